"""Colours that people with colour blindness tell apart (Okabe & Ito 2008), and markers to go with them."""

from __future__ import annotations

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OURS = "#D55E00"
PUBLISHED = "#6b6b6b"


def colour(place: int) -> str:
    """The same for the same place; after seven they begin anew."""
    return COLOURS[place % len(COLOURS)]


def marker(place: int) -> str:
    """Likewise."""
    return MARKERS[place % len(MARKERS)]
