"""Names beside the points of a scatter plot, each where it covers least of what is there already."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 8.0
CHARACTER_WIDTH = 0.56
"""of the font's size, on average"""
N_DIRECTIONS = 12
DISTANCES = (7.0, 14.0, 24.0, 36.0)
"""points between a mark and its name"""
MARK_RADIUS = 4.0
REACH_COST = 3.0
"""square points of overlap that one point of distance is worth: near names are read with less doubt"""


class Label(NamedTuple):
    """A name and the point it belongs to, in the data's coordinates."""

    text: str
    x: float
    y: float
    colour: str = "black"
    is_bold: bool = False


class Box(NamedTuple):
    """In points of a seventy-second of an inch."""

    left: float
    bottom: float
    right: float
    top: float

    def overlap(self, other: Box) -> float:
        """Area that both cover."""
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.top, other.top) - max(self.bottom, other.bottom)
        return max(0.0, width) * max(0.0, height)


def place_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Write them, in their order: the first have the free choice. The axes' limits must stand by then."""
    scale = 72.0 / axes.figure.dpi
    centres = [axes.transData.transform((label.x, label.y)) * scale for label in labels]
    taken = [
        Box(x - MARK_RADIUS, y - MARK_RADIUS, x + MARK_RADIUS, y + MARK_RADIUS)
        for x, y in map(tuple, centres)
    ]
    frame = Box(*(edge * scale for edge in axes.bbox.extents))
    for label, (x, y) in zip(labels, map(tuple, centres), strict=True):
        box, reach = min(_candidates(label, x, y), key=lambda found: _cost(found[0], found[1], taken, frame))
        taken.append(box)
        axes.annotate(
            label.text,
            (label.x, label.y),
            xytext=((box.left + box.right) / 2 - x, (box.bottom + box.top) / 2 - y),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=FONT_SIZE,
            fontweight="bold" if label.is_bold else "normal",
            color=label.colour,
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.5} if reach > 10 else None,
        )


def _candidates(label: Label, x: float, y: float) -> list[tuple[Box, float]]:
    """Boxes around a point, with their distance from it."""
    width, height = len(label.text) * CHARACTER_WIDTH * FONT_SIZE * (1.1 if label.is_bold else 1), FONT_SIZE
    found = []
    for reach in DISTANCES:
        for step in range(N_DIRECTIONS):
            angle = 2 * math.pi * (step + 1) / N_DIRECTIONS
            across, up = math.cos(angle), math.sin(angle)
            middle_x, middle_y = x + across * (reach + width / 2), y + up * (reach + height / 2)
            box = Box(
                middle_x - width / 2, middle_y - height / 2, middle_x + width / 2, middle_y + height / 2
            )
            found.append((box, reach))
    return found


def _cost(box: Box, reach: float, taken: Sequence[Box], frame: Box) -> float:
    outside = box.overlap(box) - box.overlap(frame)
    return REACH_COST * reach + 2 * outside + sum(box.overlap(other) for other in taken)
