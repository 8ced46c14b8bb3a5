"""The style of the documentation's figures; equal pictures are written as equal bytes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

# Colours that people with colour blindness can distinguish (Okabe & Ito 2008).
BLUE, ORANGE, GREEN, GREY, LIGHT = "#0072B2", "#D55E00", "#009E73", "#6b6b6b", "#e8e8e8"

STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.titlesize": 11,
    "legend.frameon": False,
    "svg.fonttype": "path",  # letters look the same with any fonts
    "svg.hashsalt": "ddsr",
}


@contextmanager
def drawn(path: Path, width: float, height: float) -> Iterator[Figure]:
    """Yield a figure to draw on; it is written to `path` as SVG at the end."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        yield figure
        figure.savefig(path, format="svg", facecolor="white", metadata={"Date": None})
