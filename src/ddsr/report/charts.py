"""The charts of a report, drawn by matplotlib as inline SVG in the colours of the page."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from math import log10
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.data.row_samples import spread_evenly
from ddsr.report.curves import Curves
from ddsr.report.equations import ShownEquation, number_text, raised
from ddsr.report.fits import Predictions
from ddsr.selection.bands import LOGARITHMIC, Band, spans_decades

if TYPE_CHECKING:
    from matplotlib.axes import Axes


SIZE = (4.8, 3.5)  # inches; the page scales charts to its columns
DPI = 200  # resolution of parts drawn as pixels
SOFT, GRID, CARD, SAMPLE = "#4d5a6a", "#e6eaf0", "#ffffff", "#2f84d6"
SERIES = ("#0a5fb4", "#c2410c", "#00795b", "#8e3a86")
# Colours of the light page; the style sheet replaces them in dark mode. Samples have one colour for both.
VARIABLES = {SOFT: "soft", GRID: "grid", CARD: "card"} | {
    colour: f"colour-{n}" for n, colour in enumerate(SERIES)
}
STYLE: Any = {
    "svg.fonttype": "none",  # text stays text, in the page's font
    "svg.hashsalt": "ddsr",
    "font.size": 10,
    "font.sans-serif": "DejaVu Sans",
    "axes.linewidth": 0,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.labelcolor": SOFT,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": (-4, 5),
    "grid.color": GRID,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
}
LONGEST_LABEL = 36  # characters; longer labels would not fit the picture

MOST_VECTOR_DOTS, MOST_DOTS = 500, 1500  # above these, dots are drawn as pixels, and rows as a density
HEXAGONS_ACROSS = 40
# Losses below this share of the largest are rounding; all are drawn at this depth.
LEAST_SHARE = 1e-30
MOST_POINTS = 400  # points of a learning curve


def front_chart(
    equations: Sequence[ShownEquation], loss_label: str = "mean squared error"
) -> tuple[Any, list[dict[str, Any]]]:
    """Draw the line of loss against complexity; return the points for the page to lay over it.

    `left` and `top` of a point are its position in per cent of the chart.
    """
    losses = np.array([equation.loss for equation in equations])
    losses = np.maximum(losses, LEAST_SHARE * (losses.max() or 1.0))
    sizes = [equation.complexity for equation in equations]
    with _axes("complexity (tokens)", loss_label) as axes:
        axes.step(sizes, losses, where="post", color=SOFT, alpha=0.45)
        axes.set_xlim(min(0, *sizes), max(sizes) + 1.5)
        _make_logarithmic(axes, "y", *_around(losses))
        picture = _svg(axes, "Error against complexity of the equations of the front")
        to_figure = axes.transData - axes.figure.transFigure
        places = 100 * to_figure.transform(np.column_stack([sizes, losses]))
    return picture, [
        {"equation": equation, "left": round(float(left), 2), "top": round(100 - float(bottom), 2)}
        for equation, (left, bottom) in zip(equations, places, strict=True)
    ]


def parity_chart(fit: Predictions, target: str) -> Any:
    """Draw predicted against true values."""
    with _axes(f"true {target}", f"predicted {target}") as axes:
        _draw_rows(axes, fit.true, fit.predicted)
        ends = min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.get_xlim()[1], axes.get_ylim()[1])
        axes.plot(ends, ends, "--", color=SOFT, linewidth=1)
        axes.set(xlim=ends, ylim=ends)
        return _svg(axes, f"Predicted against true values of {target}, {len(fit.true)} rows")


def residual_chart(fit: Predictions, target: str) -> Any:
    """Draw residuals by predicted value."""
    with _axes(f"predicted {target}", "residual (true − predicted)") as axes:
        _draw_rows(axes, fit.predicted, fit.residuals)
        axes.axhline(0.0, linestyle="--", color=SOFT, linewidth=1)
        return _svg(axes, f"Residuals by predicted {target}, {len(fit.true)} rows")


def reward_chart(curves: Curves) -> Any:
    """Draw the best reward so far against time."""
    rows = _thinned(np.isfinite(curves.best_reward))
    x, y = curves.seconds[rows], curves.best_reward[rows]
    room = max(0.08 * float(np.ptp(y)), 0.005)  # a flat curve is drawn as flat
    with _axes("seconds", "best reward") as axes:
        _draw_curve(axes, x, y, SERIES[0])
        axes.set(xlim=_time_limits(curves), ylim=(max(0.0, y.min() - room), y.max() + room))
        return _svg(axes, f"Best reward over {curves.seconds[-1]:.3g} seconds: {y[-1]:.4g} at the end")


def gain_chart(curves: Curves) -> Any:
    """Draw the cumulative gain of each source against time."""
    rows = _thinned(np.isfinite(curves.seconds))
    x = np.append(0.0, curves.seconds[rows])
    names = ", ".join(f"{source} {share}" for source, share in curves.legend)
    with _axes("seconds", "gain (nats of log error, all sizes)") as axes:
        for place, gain in enumerate(curves.gains.values()):
            _draw_curve(axes, x, np.append(0.0, gain[rows]), SERIES[place % len(SERIES)])
        axes.set(xlim=_time_limits(curves), ylim=(0.0, None))
        return _svg(axes, f"Improvements by part of the search: {names}")


def band_chart(band: Band, x: Floats, y: Floats, name: str, target: str) -> Any:
    """Draw data, band and curves for data with one input, clipped to the chart."""
    is_known = np.isfinite(x) & np.isfinite(y)
    x, y = x[is_known], y[is_known]
    is_within = (band.x >= x.min()) & (band.x <= x.max())
    lines = band.curves[:1] if band.low is None or band.high is None else (band.low, band.high)
    ends = np.concatenate([line[is_within] for line in lines])
    wide = float(np.ptp(y)) or abs(float(y[0])) or 1.0  # a wider band would flatten the data
    shown = np.append(y, np.clip(ends[np.isfinite(ends)], y.min() - wide, y.max() + wide))
    with _axes(name, target) as axes:
        if spans_decades(x):
            _make_logarithmic(axes, "x", band.x[0], band.x[-1])
        if spans_decades(y):
            _make_logarithmic(axes, "y", *_around(np.maximum(shown, 0.3 * y.min())))
        else:
            room = 0.06 * float(np.ptp(shown)) or 0.5 * wide
            axes.set_ylim(shown.min() - room, shown.max() + room)
        limits = axes.get_ylim()
        if band.low is not None and band.high is not None:
            low, high = np.clip(band.low, *limits), np.clip(band.high, *limits)
            axes.fill_between(band.x, low, high, color=SERIES[0], alpha=0.14, linewidth=0)
        for place, curve in reversed(list(enumerate(band.curves))):
            colour = SERIES[place % len(SERIES)]
            axes.plot(band.x, curve, color=colour, linewidth=1 if place else 2)
        _draw_rows(axes, x, y, outline=0.8)
        axes.set(xlim=(band.x[0], band.x[-1]), ylim=limits)
        rest = "and the equation" if band.low is None else "equations, and the band for new measurements"
        return _svg(axes, f"{target} by {name}: data, {rest}")


@contextmanager
def _axes(across: str, up: str) -> Iterator[Axes]:
    """Yield empty axes in the style of the report, regardless of the user's matplotlib settings."""
    from matplotlib import style
    from matplotlib.figure import Figure

    with style.context(STYLE, after_reset=True), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the reader's fonts may have the glyph
        axes = Figure(SIZE, layout="constrained").subplots()
        axes.locator_params(nbins=6)
        axes.margins(0.06)
        axes.set_xlabel(_label(across), parse_math=False)
        axes.set_ylabel(_label(up), parse_math=False)
        yield axes


def _svg(axes: Axes, label: str) -> Any:
    """Return the figure as markup of an `svg` element, with the page's variables for colours."""
    from markupsafe import Markup

    file = StringIO()
    metadata: Any = dict.fromkeys(("Creator", "Date", "Format", "Type"))
    figure: Any = axes.figure
    figure.savefig(file, format="svg", dpi=DPI, transparent=True, metadata=metadata)
    text = file.getvalue()
    # matplotlib's style sheet would apply to the whole page, and its names are the same in every chart
    text = re.sub(r"<style.*?</style>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text).removeprefix("<svg")
    for colour, name in VARIABLES.items():
        text = text.replace(colour, f"var(--{name})")
    start = Markup('<svg class="chart" role="img" aria-label="{}"').format(label)
    return start + Markup(text)


def _label(text: str) -> str:
    text = "".join(character if character.isprintable() else " " for character in text)
    return text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1].rstrip() + "…"


def _make_logarithmic(axes: Axes, name: str, low: float, high: float) -> None:
    """Set the scale and the limits; label powers of ten, and on a short axis also 2 and 5 times these."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    is_short = high < LOGARITHMIC * low
    getattr(axes, f"set_{name}scale")("log", nonpositive="mask")
    getattr(axes, f"set_{name}lim")(low, high)
    axis = getattr(axes, f"{name}axis")
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if is_short else (1.0,), numticks=6))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(_short_tick if is_short else _power_tick))


def _short_tick(value: float, _: int) -> str:
    return number_text(value).removeprefix("1·")


def _power_tick(value: float, _: int) -> str:
    return f"10{raised(round(log10(value)))}"


def _around(numbers: Floats) -> tuple[float, float]:
    """Return limits of a logarithmic axis with room for at least one tick."""
    room = 10 ** max(0.06 * log10(numbers.max() / numbers.min()), 0.3)
    return float(numbers.min() / room), float(numbers.max() * room)


def _draw_rows(axes: Axes, x: Floats, y: Floats, outline: float = 0.0) -> None:
    """Draw a dot for each row, or for many rows hexagons shaded by their number of rows.

    An outline makes dots visible on a curve.
    """
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    if len(x) > MOST_DOTS:
        shades = LinearSegmentedColormap.from_list("", [to_rgba(SAMPLE, 0.2), to_rgba(SAMPLE, 1.0)])
        scales: Any = {"xscale": axes.get_xscale(), "yscale": axes.get_yscale()}
        hexagons = axes.hexbin(x, y, gridsize=HEXAGONS_ACROSS, bins="log", mincnt=1, cmap=shades, **scales)
        hexagons.set(linewidth=0, rasterized=True, zorder=3)
        return
    (dots,) = axes.plot(x, y, "o", color=SAMPLE, alpha=0.9 if outline else 0.55, zorder=3)
    dots.set(markeredgecolor=CARD, markeredgewidth=outline, rasterized=len(x) > MOST_VECTOR_DOTS)
    dots.set_markersize((4.5 if len(x) <= 400 else 3.0) + 2 * outline)


def _draw_curve(axes: Axes, x: Floats, y: Floats, colour: str) -> None:
    axes.step(x, y, where="post", color=colour, linewidth=1.6)
    axes.plot(x[-1], y[-1], "o", color=colour, markersize=6, markeredgewidth=0)


def _time_limits(curves: Curves) -> tuple[float, float]:
    return 0.0, 1.04 * float(curves.seconds[-1]) or 1.0


def _thinned(is_known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return rows to draw: a line with more points than the screen is not clearer."""
    rows = np.flatnonzero(is_known)
    return rows[spread_evenly(len(rows), MOST_POINTS)]
