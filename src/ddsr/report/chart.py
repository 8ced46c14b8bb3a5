"""Charts as inline SVG: axes with round ticks, and what is drawn between them. Colours are the page's CSS."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

WIDTH, HEIGHT = 520.0, 360.0
LEFT, RIGHT, TOP, BOTTOM = 84.0, 14.0, 14.0, 58.0
N_TICKS = 5
FEWEST_POWERS = 3
MOST_LETTERS_ACROSS, MOST_LETTERS_UP = 44, 34  # of an axis' label; longer ones leave the picture
MOST_DIGITS = 9
LONGEST_TICK = 5  # letters; longer ones would reach the label beside them
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Axis:
    """From `low` to `high`; on a logarithmic one both are positive."""

    low: float
    high: float
    label: str
    is_log: bool = False

    @classmethod
    def around(cls, values: ArrayLike, label: str, *, is_log: bool = False, margin: float = 0.06) -> Axis:
        """With a little room on both sides of the values."""
        array = np.asarray(values, dtype=np.float64)
        low, high = float(array.min()), float(array.max())
        if is_log:
            room = max(margin * log10(high / low), 0.3)
            return cls(low / 10**room, high * 10**room, label, is_log)
        room = margin * (high - low) or 0.5 * abs(low) or 0.5
        return cls(low - room, high + room, label)

    def share(self, values: ArrayLike) -> NDArray[np.float64]:
        """Where the values lie between the ends: 0 at the low one, 1 at the high one."""
        array, low, high = np.asarray(values, dtype=np.float64), self.low, self.high
        if self.is_log:
            array, low, high = np.log10(array), log10(low), log10(high)
        return np.asarray((array - low) / (high - low))

    def ticks(self) -> list[tuple[float, str]]:
        """Round values within the ends, and how they are written."""
        if self.is_log:
            return self._powers()
        step = _round_step((self.high - self.low) / N_TICKS)
        values = [k * step for k in range(ceil(self.low / step), floor(self.high / step) + 1)]
        return [(value, tick_text(value, step)) for value in values]

    def _powers(self) -> list[tuple[float, str]]:
        first, last = ceil(log10(self.low)), floor(log10(self.high))
        if last - first < FEWEST_POWERS - 1:
            return self._between_powers(first, last)
        step = max(1, ceil((last - first + 1) / (N_TICKS + 2)))
        return [(10.0**power, power_text(power)) for power in range(first, last + 1) if power % step == 0]

    def _between_powers(self, first: int, last: int) -> list[tuple[float, str]]:
        """1, 2 and 5 times powers of ten: on a short axis there are too few of these alone."""
        values = [factor * 10.0**power for power in range(first - 1, last + 1) for factor in (1, 2, 5)]
        return [
            (value, f"{value:.12g}" if 1e-4 < value < 1e5 else f"{value:.0e}".replace("e-0", "e−"))
            for value in values
            if self.low <= value <= self.high
        ]


@dataclass(frozen=True)
class Chart:
    """Two axes and a picture between them."""

    x: Axis
    y: Axis

    def points(self, x: ArrayLike, y: ArrayLike) -> list[tuple[float, float]]:
        """The places in the picture."""
        across = LEFT + self.x.share(x) * (WIDTH - LEFT - RIGHT)
        down = HEIGHT - BOTTOM - self.y.share(y) * (HEIGHT - TOP - BOTTOM)
        return [(round(float(a), 1), round(float(b), 1)) for a, b in zip(across, down, strict=True)]

    def svg(self, label: str, layers: Iterable[str], kind: str = "", role: str = "img") -> str:
        """The element; `label` tells what it shows to who cannot see it."""
        return (
            f'<svg class="chart {kind}" role="{role}" aria-label="{escape(label)}" '
            f'viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}">{self._frame()}{"".join(layers)}</svg>'
        )

    def _frame(self) -> str:
        right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
        parts = ['<g class="frame" aria-hidden="true">']
        for value, text in self.x.ticks():
            ((at, _),) = self.points([value], [self.y.low])
            parts.append(f'<line class="grid" x1="{at}" y1="{TOP}" x2="{at}" y2="{bottom}"/>')
            parts.append(f'<text class="tick" x="{at}" y="{bottom + 20}" text-anchor="middle">{text}</text>')
        for value, text in self.y.ticks():
            ((_, at),) = self.points([self.x.low], [value])
            parts.append(f'<line class="grid" x1="{LEFT}" y1="{at}" x2="{right}" y2="{at}"/>')
            kind = "tick" if len(text) <= LONGEST_TICK else "tick small"
            parts.append(f'<text class="{kind}" x="{LEFT - 8}" y="{at + 5}" text-anchor="end">{text}</text>')
        middle = (TOP + bottom) / 2
        parts.append(
            f'<text class="axis" x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">'
            f"{escape(_cut(self.x.label, MOST_LETTERS_ACROSS))}</text>"
            f'<text class="axis" x="15" y="{middle}" text-anchor="middle" '
            f'transform="rotate(-90 15 {middle})">'
            f"{escape(_cut(self.y.label, MOST_LETTERS_UP))}</text>"
        )
        return "".join(parts) + "</g>"


def path(points: Iterable[tuple[float, float]], kind: str) -> str:
    """A line through the points."""
    data = "L".join(f"{x} {y}" for x, y in points)
    return f'<path class="{kind}" d="M{data}"/>'


def stairs(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Across first, then up or down: how something goes that stays until it changes."""
    corners = points[:1]
    for (_, before), (x, y) in zip(points, points[1:], strict=False):
        corners += [(x, before), (x, y)]
    return corners


def dots(points: Iterable[tuple[float, float]], kind: str, radius: float = 3.0) -> str:
    """A disc at each point, all in one path: thousands of elements would slow a page down."""
    r = radius
    data = "".join(f"M{x - r:.1f} {y}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0" for x, y in points)
    return f'<path class="{kind}" d="{data}"/>'


def power_text(power: int) -> str:
    """10⁻³; 1 and 10 as they are."""
    return {0: "1", 1: "10"}.get(power, "10" + str(power).translate(SUPERSCRIPTS))


def tick_text(value: float, step: float) -> str:
    """With as many decimals as the steps between ticks have."""
    if value != 0 and isfinite(value) and (abs(value) >= 1e5 or step < 1e-4):
        n_digits = floor(log10(abs(value))) - floor(log10(step) + 1e-9) + 1
        mantissa, _, exponent = f"{value:.{min(max(n_digits, 3), MOST_DIGITS)}g}".partition("e")
        text = f"{mantissa}e{int(exponent)}" if exponent else mantissa
    else:
        text = f"{value:.{max(0, -floor(log10(step) + 1e-9))}f}"
    return "0" if value == 0 else text.replace("-", "−")


def _cut(label: str, most: int) -> str:
    return label if len(label) <= most else label[: most - 1].rstrip() + "…"


def _round_step(least: float) -> float:
    power = 10.0 ** floor(log10(least))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least * (1 - 1e-9))
