"""Reads states of the default search that earlier versions saved."""

from __future__ import annotations

from ddsr.search.contributors.names import GENERATOR, PRIOR, REFINER, SYMMETRIES
from ddsr.storage.saved import Saved


def by_contributor(saved: Saved) -> dict[str, Saved]:
    """Return the states of contributors by name; version 0.1 saved them side by side."""
    if "contributors" in saved:
        parts: dict[str, Saved] = saved["contributors"]
        return parts
    parts = {
        REFINER: {"refiner": saved["refiner"], "stall": saved["stall"]},
        GENERATOR: {"proposer": saved["proposer"], "n_scored": saved["n_scored"]},
        PRIOR: {"is_done": saved.get("is_primed", True)},
    }
    if saved.get("reduced") is not None:
        parts[SYMMETRIES] = saved["reduced"]
    return parts
