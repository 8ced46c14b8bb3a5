"""Figures as SVG or PNG. matplotlib is imported for the first figure."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ddsr.errors import BenchError, did_you_mean
from ddsr_bench.report.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CAPTIONS = {
    "rates": "Rates by method and noise level; filled marks are our own runs, with 95 % intervals.",
    "pareto": "Mean R² on test against mean size on the black-box data sets.",
    "ablation": "Methods on the same problems, noise levels and seeds, with 95 % intervals.",
    "curves": "Learning curves, means over runs; a run that has ended keeps its best reward.",
}
"""the kinds of figures; the function `draw` of the module KIND_figure draws each"""

STYLE: Any = {
    "svg.fonttype": "none",  # text that can be searched
    "svg.hashsalt": "ddsr",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "figure.facecolor": "white",
    "axes.facecolor": "white",
}


def render(kind: str, results: Results, format: str = "svg") -> bytes:
    """Draw a figure. The same results give the same bytes."""
    if kind not in CAPTIONS:
        hint = did_you_mean(kind, CAPTIONS)
        raise BenchError(f"unknown kind of figure {kind!r}{hint}; choose from: {', '.join(CAPTIONS)}")
    if format not in ("svg", "png"):
        raise BenchError(f"a figure must be .svg or .png, not {format or 'a file without an ending'!r}")
    return drawn(import_module(f"ddsr_bench.report.{kind}_figure").draw, results, format)


def drawn(draw: Callable[[Results], Figure], results: Results, format: str) -> bytes:
    """Draw results with a function, in the style of all figures."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context(STYLE):
        metadata = {"Date": None} if format == "svg" else None
        draw(results).savefig(file, format=format, dpi=150, bbox_inches="tight", metadata=metadata)
    return file.getvalue()
