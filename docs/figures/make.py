"""Draws the figures of docs/how.md: `make figures`."""

from __future__ import annotations

from pathlib import Path

from docs.figures.diagrams import draw_epoch, draw_search
from docs.figures.fronts import draw_selection
from docs.figures.masking import draw_masking

FOLDER = Path(__file__).resolve().parent
FIGURES = {
    "masking": draw_masking,
    "epoch": draw_epoch,
    "search": draw_search,
    "selection": draw_selection,
}


if __name__ == "__main__":
    for draw in FIGURES.values():
        draw(FOLDER)
