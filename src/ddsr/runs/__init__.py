"""Run folders, which save a fit every few seconds so that it can be resumed, and model files."""

from ddsr.runs.folder import RunFolder
from ddsr.runs.models import load_model, save_model

__all__ = ["RunFolder", "load_model", "save_model"]
