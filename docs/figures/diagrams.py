"""Boxes and arrows: one epoch of the paper's search, and the default search around it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from docs.drawing import BLUE, GREEN, GREY, ORANGE, drawn
from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

WIDE = 3.1


@dataclass(frozen=True)
class Box:
    """A part of the search: its centre and label."""

    x: float
    y: float
    title: str
    text: str
    colour: str = BLUE
    width: float = 2.5
    height: float = 0.95


def draw_epoch(folder: Path) -> None:
    """Draw one cycle of the paper's loop."""
    generator = Box(1.5, 1.6, "generator", "draws 3000 expressions,\nkeeps 1000 distinct ones")
    engine = Box(5.0, 1.6, "engine", "fits their constants,\nreward 1 / (1 + NRMSE)")
    memory = Box(8.5, 1.6, "memory", "the best 5 % join\nthose of earlier epochs")
    policy = Box(5.0, 0.2, "update", "5 steps of token-wise GRPO\non the pool of elites", ORANGE)
    front = Box(5.0, 3.0, "front", "the most accurate\nequation of each size", GREEN)
    with drawn(folder / "epoch.svg", 9.6, 3.6) as figure:
        axes = _canvas(figure.subplots(), 10.0, (-0.4, 3.6))
        for box in (generator, engine, memory, policy, front):
            _draw(axes, box)
        _arrow(axes, (2.75, 1.6), (3.75, 1.6), "proposals", lift=0.14)
        _arrow(axes, (6.25, 1.6), (7.25, 1.6), "scores", lift=0.14)
        _arrow(axes, (5.0, 2.08), (5.0, 2.52))
        _arrow(axes, (8.5, 1.12), (6.25, 0.2), "elites", "arc3,rad=-0.25")
        _arrow(axes, (3.75, 0.2), (1.5, 1.12), "new weights", "arc3,rad=-0.25")


def draw_search(folder: Path) -> None:
    """Draw the refiner in every epoch, and the generator in its turns."""
    refiner = Box(1.7, 1.9, "refiner", "evolution of whole\nexpressions, native code")
    generator = Box(
        6.1, 1.9, "generator", "masked diffusion: half from\nnothing, half by refilling elites", ORANGE, WIDE
    )
    front = Box(1.7, 0.0, "front", "the most accurate\nequation of each size", GREEN)
    choice = Box(6.1, 0.0, "selection", "shortens the best, chooses\nby description length", GREEN, WIDE)
    with drawn(folder / "search.svg", 8.6, 3.3) as figure:
        axes = _canvas(figure.subplots(), 8.2, (-0.65, 2.75))
        for box in (refiner, generator, front, choice):
            _draw(axes, box)
        _arrow(axes, (2.95, 2.1), (4.55, 2.1), "elites, to learn from", "arc3,rad=-0.2", 0.32)
        _arrow(axes, (4.55, 1.7), (2.95, 1.7), "proposals, as seeds", "arc3,rad=-0.2", -0.34)
        _arrow(axes, (1.7, 1.42), (1.7, 0.48))
        _arrow(axes, (5.2, 1.42), (2.95, 0.2), "", "arc3,rad=-0.1")
        _arrow(axes, (2.95, -0.1), (4.55, -0.1), "at the end", lift=0.14)
        axes.text(0.35, 0.95, "every epoch", color=GREY, fontsize=9, style="italic", ha="left")
        axes.text(5.1, 0.85, "when its turn has come", color=GREY, fontsize=9, style="italic", ha="left")


def _canvas(axes: Axes, width: float, heights: tuple[float, float]) -> Axes:
    axes.set(xlim=(0, width), ylim=heights)
    axes.axis("off")
    return axes


def _draw(axes: Axes, box: Box) -> None:
    corner = box.x - box.width / 2, box.y - box.height / 2
    shape = FancyBboxPatch(
        corner,
        box.width,
        box.height,
        boxstyle="round,pad=0,rounding_size=0.12",
        facecolor="white",
        edgecolor=box.colour,
    )
    axes.add_patch(shape)
    axes.text(box.x, box.y + 0.26, box.title, ha="center", va="center", weight="bold", color=box.colour)
    axes.text(box.x, box.y - 0.15, box.text, ha="center", va="center", fontsize=8.5)


def _arrow(
    axes: Axes,
    start: tuple[float, float],
    end: tuple[float, float],
    text: str = "",
    bend: str = "arc3",
    lift: float = 0.0,
) -> None:
    axes.annotate(
        "",
        end,
        start,
        arrowprops={"arrowstyle": "-|>", "color": GREY, "connectionstyle": bend, "shrinkA": 3, "shrinkB": 3},
    )
    middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + lift
    axes.text(*middle, text, ha="center", va="center", fontsize=8.5, color=GREY)
