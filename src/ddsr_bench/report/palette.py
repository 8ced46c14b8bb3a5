"""Colours for readers with colour blindness (Okabe & Ito 2008), and markers."""

from __future__ import annotations

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OURS = "#D55E00"
PUBLISHED = "#6b6b6b"


def colour(place: int) -> str:
    """Return one of seven colours; they repeat."""
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    """Return one of seven markers; they repeat."""
    return MARKERS[place % len(MARKERS)]
