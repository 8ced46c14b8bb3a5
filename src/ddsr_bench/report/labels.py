"""Names beside the points of a scatter plot, placed so that they overlap little."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

FONT_SIZE = 8.0
CHARACTER_WIDTH = 0.56
"""mean width of a character, relative to the size of the font"""
N_DIRECTIONS = 12
DISTANCES = (7.0, 14.0, 24.0, 36.0)
"""distances between a mark and its name, in points"""
MARK_RADIUS = 4.0
DISTANCE_COST = 3.0
"""overlap in square points that is as bad as one point of distance"""


class Label(NamedTuple):
    """A name and its point, in the coordinates of the data."""

    text: str
    x: float
    y: float
    colour: str = "black"
    is_bold: bool = False


def place_labels(axes: Axes, labels: Sequence[Label]) -> None:
    """Write the names; the first ones have the best places. Set the limits of the axes before."""
    from matplotlib.transforms import Bbox

    scale = 72.0 / axes.figure.dpi
    centres = [axes.transData.transform((label.x, label.y)) * scale for label in labels]
    taken = [
        Bbox.from_bounds(x - MARK_RADIUS, y - MARK_RADIUS, 2 * MARK_RADIUS, 2 * MARK_RADIUS)
        for x, y in centres
    ]
    frame = Bbox.from_extents(*(edge * scale for edge in axes.bbox.extents))
    for label, (x, y) in zip(labels, centres, strict=True):
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


def _candidates(label: Label, x: float, y: float) -> Iterator[tuple[Bbox, float]]:
    """Yield boxes around a point, with their distances from it."""
    from matplotlib.transforms import Bbox

    width, height = len(label.text) * CHARACTER_WIDTH * FONT_SIZE * (1.1 if label.is_bold else 1), FONT_SIZE
    for distance in DISTANCES:
        for step in range(N_DIRECTIONS):
            angle = 2 * math.pi * (step + 1) / N_DIRECTIONS
            left = x + math.cos(angle) * (distance + width / 2) - width / 2
            bottom = y + math.sin(angle) * (distance + height / 2) - height / 2
            yield Bbox.from_bounds(left, bottom, width, height), distance


def _cost(box: Bbox, distance: float, taken: Sequence[Bbox], frame: Bbox) -> float:
    outside = box.width * box.height - _overlap(box, frame)
    return DISTANCE_COST * distance + 2 * outside + sum(_overlap(box, other) for other in taken)


def _overlap(one: Bbox, other: Bbox) -> float:
    """Return the area that both boxes cover."""
    common = one.intersection(one, other)
    return 0.0 if common is None else float(common.width * common.height)
