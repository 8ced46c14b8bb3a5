"""The front: error against size. The page's script makes the points interactive."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from ddsr.report.chart import Axis, Chart, path, stairs
from ddsr.report.equations import ShownEquation

# Losses below this share of the largest are rounding; all are drawn at this depth.
LEAST_SHARE = 1e-30


def front_chart(equations: Sequence[ShownEquation]) -> str:
    """Draw loss on a logarithmic axis against complexity, one point per equation, the chosen one marked."""
    losses = np.array([equation.loss for equation in equations])
    largest = float(losses.max()) or 1.0
    losses = np.maximum(losses, LEAST_SHARE * largest)
    sizes = [equation.complexity for equation in equations]
    chart = Chart(
        Axis(min(0, *sizes), max(sizes) + 1.5, "complexity (tokens)"),
        Axis.around(losses, "mean squared error", is_log=True),
    )
    places = chart.points(sizes, losses)
    marks = [_mark(equation, *place) for equation, place in zip(equations, places, strict=True)]
    return chart.svg(
        "Equations of the front: error against complexity. Arrow keys go from one to the next.",
        [path(stairs(places), "front-line"), *marks],
        kind="front",
        role="radiogroup",
    )


def _mark(equation: ShownEquation, x: float, y: float) -> str:
    label = f"complexity {equation.complexity}, R² {equation.r2_text}: {equation.short_text}"
    if equation.is_chosen:
        label = f"chosen equation, {label}"
    # without the script, the browser's own tooltip shows the equation
    return (
        f'<g class="point{" chosen" if equation.is_chosen else ""}" role="radio" '
        f'tabindex="{0 if equation.is_chosen else -1}" aria-checked="{str(equation.is_chosen).lower()}" '
        f'aria-label="{escape(label)}" data-index="{equation.index}" transform="translate({x} {y})">'
        f"<title>{escape(label)}</title>"
        '<circle class="halo" r="13"/>'
        f'<circle class="dot" r="{8 if equation.is_chosen else 6}"/></g>'
    )
