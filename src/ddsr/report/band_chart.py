"""Chart for data with one input: the chosen equation, the next likely forms, and their interval band."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import values
from ddsr.estimator.averaging import interval
from ddsr.estimator.fit import Outcome
from ddsr.estimator.uncertainty import predicted_by_forms
from ddsr.expression import Expression
from ddsr.report.chart import Axis, Chart, path
from ddsr.report.fit_charts import cloud

Floats = NDArray[np.float64]
LEVEL = 0.95
N_POINTS = 241
BEYOND = 0.25  # of the range of the data, to either side
LOGARITHMIC = 100.0  # positive values that span at least this factor get a logarithmic axis
N_COLOURS = 4


@dataclass(frozen=True, eq=False)
class Band:
    """Curves and band over one input."""

    x: Floats
    """points over the data and a quarter of their range to either side"""
    low: Floats
    high: Floats
    curves: tuple[Floats, ...]
    """the chosen equation, then other forms"""

    @classmethod
    def over(cls, x: Floats, outcome: Outcome, equations: Sequence[Expression]) -> Band:
        """Compute curves and band of a fit on the values `x`; the first equation is the chosen one."""
        points = _points(x)
        rows = np.ascontiguousarray(points[:, None])
        ends = interval(predicted_by_forms(outcome, rows), LEVEL, of_measurements=True)
        curves = tuple(values([equation], rows)[0][0] for equation in equations)
        return cls(points, ends[:, 0], ends[:, 1], curves)


def band_chart(band: Band, x: Floats, y: Floats, name: str, target: str) -> str:
    """Draw data, band and curves, clipped to the chart."""
    is_known = np.isfinite(x) & np.isfinite(y)
    x, y = x[is_known], y[is_known]
    is_within = (band.x >= x.min()) & (band.x <= x.max())
    ends = np.concatenate([band.low[is_within], band.high[is_within]])
    shown = np.concatenate([y, _near(ends[np.isfinite(ends)], y)])
    is_log = _spans_decades(y)
    if is_log:
        shown = np.maximum(shown, 0.3 * y.min())
    up = Axis.around(shown, target, is_log=is_log)
    across = Axis(float(band.x[0]), float(band.x[-1]), name, _spans_decades(x))
    chart = Chart(across, up)
    layers = [_area(chart, band)]
    for place, curve in reversed(list(enumerate(band.curves))):
        kind = f"curve colour-{place % N_COLOURS}" + (" thin" if place else "")
        layers += [path(line, kind) for line in _lines(chart, band.x, curve)]
    layers.append(cloud(chart, x, y))
    return chart.svg(f"{target} by {name}: data, equations, and the band for new measurements", layers)


def band_legend(equations: Sequence[str], shares: Sequence[str]) -> str:
    """Return the legend: equations, colours and weights."""
    return "".join(
        f'<li><svg class="swatch colour-{place % N_COLOURS}" viewBox="0 0 10 10" aria-hidden="true">'
        f'<circle cx="5" cy="5" r="5"/></svg>{escape(equation)} <b>{escape(share)}</b></li>'
        for place, (equation, share) in enumerate(zip(equations, shares, strict=True))
    )


def _points(x: Floats) -> Floats:
    low, high = float(x.min()), float(x.max())
    if _spans_decades(x):
        room = (high / low) ** BEYOND
        return np.geomspace(low / room, high * room, N_POINTS)
    room = BEYOND * (high - low) or 0.5 * abs(low) or 0.5
    least = low - room
    return np.linspace(max(least, 0.0) if low >= 0.0 else least, high + room, N_POINTS)


def _spans_decades(numbers: Floats) -> bool:
    return bool(numbers.min() > 0.0 and numbers.max() >= LOGARITHMIC * numbers.min())


def _near(ends: Floats, y: Floats) -> Floats:
    """Clip the band to the range of the data plus its width: a wider band would flatten the data."""
    wide = float(np.ptp(y)) or abs(float(y[0])) or 1.0
    return np.clip(ends, y.min() - wide, y.max() + wide)


def _area(chart: Chart, band: Band) -> str:
    """Draw the band, in pieces if it is not finite everywhere."""
    is_known = np.isfinite(band.low) & np.isfinite(band.high)
    pieces = []
    for piece in _runs(is_known):
        low, high = (np.clip(ends[piece], chart.y.low, chart.y.high) for ends in (band.low, band.high))
        outline = chart.points(band.x[piece], high) + chart.points(band.x[piece], low)[::-1]
        pieces.append(path(outline, "band"))
    return "".join(pieces)


def _lines(chart: Chart, x: Floats, y: Floats) -> Iterator[list[tuple[float, float]]]:
    """Yield the pieces of a curve inside the chart, up to the first point outside."""
    with np.errstate(invalid="ignore"):
        is_inside = (y >= chart.y.low) & (y <= chart.y.high)
    beside = is_inside.copy()
    beside[1:] |= is_inside[:-1]
    beside[:-1] |= is_inside[1:]
    for piece in _runs(beside & np.isfinite(y)):
        yield chart.points(x[piece], np.clip(y[piece], chart.y.low, chart.y.high))


def _runs(is_so: NDArray[np.bool_]) -> list[slice]:
    """Return runs of at least two True values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_so, [False]]).astype(np.int8)))
    return [slice(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a > 1]
