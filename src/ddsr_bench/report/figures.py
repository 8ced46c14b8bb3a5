"""Figures by their kind, written as SVG or PNG. matplotlib is imported when the first is drawn."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from typing import TYPE_CHECKING, Any

from ddsr.errors import BenchError
from ddsr_bench.report.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("rates", "pareto", "ablation", "curves")
"""each is drawn by `draw` of the module KIND_figure beside this one"""

# Text stays text in an SVG: it can be searched and scales with the reader's fonts.
STYLE: Any = {
    "svg.fonttype": "none",
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
    """The figure's file; the same bytes for the same results."""
    if kind not in KINDS:
        raise BenchError(f"unknown kind of figure {kind!r}: known are {', '.join(KINDS)}")
    if format not in ("svg", "png"):
        raise BenchError(f"a figure must be .svg or .png, not {format or 'a file without an ending'!r}")
    return drawn(import_module(f"ddsr_bench.report.{kind}_figure").draw, results, format)


def drawn(draw: Callable[[Results], Figure], results: Results, format: str) -> bytes:
    """What `draw` makes of the results, in the style of all figures, as SVG or PNG."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context(STYLE):
        figure = draw(results)
        metadata = {"Date": None} if format == "svg" else None
        figure.savefig(file, format=format, dpi=150, bbox_inches="tight", metadata=metadata)
    return file.getvalue()
