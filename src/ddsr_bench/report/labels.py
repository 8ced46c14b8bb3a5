"""Names next to the points of a scatter plot, placed so that they overlap little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FONT_SIZE = 8.0
CHARACTER_WIDTH = 0.56
"""mean width of a character, relative to the size of the font"""
N_DIRECTIONS = 12
DISTANCES = (7.0, 14.0, 24.0, 36.0)
"""distances between a mark and its name, in points"""
MARK_RADIUS = 4.0
DISTANCE_COST = 3.0
"""overlap in square points that costs as much as one point of distance"""


class Label(NamedTuple):
    """A name and its point, in the coordinates of the data."""

    text: str
    x: float
    y: float
    colour: str = "black"
    is_bold: bool = False


class Box(NamedTuple):
    """A rectangle, in points; matplotlib's boxes take ten times as long to compare."""

    x0: float
    y0: float
    x1: float
    y1: float

    @classmethod
    def around(cls, x: float, y: float, width: float, height: float) -> Box:
        """Return the box with this centre."""
        return cls(x - width / 2, y - height / 2, x + width / 2, y + height / 2)

    def overlap(self, other: Box) -> float:
        """Return the area that both boxes cover."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, width) * max(0.0, height)


def place_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Write the names; the first ones get the best places. Set the limits of the axes first."""
    scale = 72.0 / axes.figure.dpi
    centres = [axes.transData.transform((label.x, label.y)) * scale for label in labels]
    taken = [Box.around(x, y, 2 * MARK_RADIUS, 2 * MARK_RADIUS) for x, y in map(tuple, centres)]
    frame = Box(*(edge * scale for edge in axes.bbox.extents))
    for label, (x, y) in zip(labels, map(tuple, centres), strict=True):
        box, distance = min(
            _candidates(label, x, y), key=lambda found: _cost(found[0], found[1], taken, frame)
        )
        taken.append(box)
        axes.annotate(
            label.text,
            (label.x, label.y),
            xytext=((box.x0 + box.x1) / 2 - x, (box.y0 + box.y1) / 2 - y),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=FONT_SIZE,
            fontweight="bold" if label.is_bold else "normal",
            color=label.colour,
            arrowprops={"arrowstyle": "-", "color": "#999999", "linewidth": 0.5} if distance > 10 else None,
        )


def _candidates(label: Label, x: float, y: float) -> Iterator[tuple[Box, float]]:
    """Yield boxes around a point, with their distances from it."""
    width, height = len(label.text) * CHARACTER_WIDTH * FONT_SIZE * (1.1 if label.is_bold else 1), FONT_SIZE
    for distance in DISTANCES:
        for step in range(N_DIRECTIONS):
            angle = 2 * math.pi * (step + 1) / N_DIRECTIONS
            across, up = math.cos(angle) * (distance + width / 2), math.sin(angle) * (distance + height / 2)
            yield Box.around(x + across, y + up, width, height), distance


def _cost(box: Box, distance: float, taken: Sequence[Box], frame: Box) -> float:
    outside = box.overlap(box) - box.overlap(frame)
    return DISTANCE_COST * distance + 2 * outside + sum(box.overlap(other) for other in taken)
