"""Run folders, which save a fit every few seconds so that it can be resumed."""

from ddsr.runs.folder import RunFolder

__all__ = ["RunFolder"]
