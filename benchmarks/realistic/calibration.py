"""How often selection is right, by the probability that the model states."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, sqrt

from benchmarks.realistic.lines import Row

LEAST_FITS = 60  # per bin
MOST_BINS = 10


@dataclass(frozen=True)
class Bin:
    """Fits with similar probabilities."""

    least: float
    largest: float
    said: float
    """mean of the stated probabilities"""
    right: float
    """share of right forms"""
    n_fits: int

    @property
    def error(self) -> float:
        """Standard error of `right` if the stated probabilities are true."""
        return sqrt(max(self.said * (1.0 - self.said), 0.0) / self.n_fits)


def bins(rows: Sequence[Row], least_fits: int = LEAST_FITS, most_bins: int = MOST_BINS) -> list[Bin]:
    """Bins of equally many fits with rising probabilities; a single bin for few fits."""
    stated = sorted((row for row in rows if not isnan(row.probability)), key=lambda row: row.probability)
    n_bins = max(min(len(stated) // least_fits, most_bins), 1)
    edges = [len(stated) * index // n_bins for index in range(n_bins + 1)]
    parts = [stated[begin:end] for begin, end in zip(edges, edges[1:], strict=False)]
    return [_bin(part) for part in parts if part]


def _bin(rows: Sequence[Row]) -> Bin:
    said = [row.probability for row in rows]
    right = sum(row.is_form_right for row in rows)
    return Bin(said[0], said[-1], sum(said) / len(rows), right / len(rows), len(rows))
