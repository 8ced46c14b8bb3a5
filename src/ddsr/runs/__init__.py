"""Runs that outlive their process: a folder that is saved every few seconds, and models as files."""

from ddsr.runs.folder import RunFolder
from ddsr.runs.models import load_model, save_model

__all__ = ["RunFolder", "load_model", "save_model"]
