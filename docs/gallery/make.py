"""Runs the code of the gallery's pages and draws their pictures: `make gallery`."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from docs.drawing import BLUE, GREY, ORANGE, drawn
from matplotlib.axes import Axes

ROOT = Path(__file__).resolve().parents[2]
GALLERY = ROOT / "docs" / "gallery"
EXACT = 1e-12  # smaller errors are rounding, and are drawn here


def run_page(page: str) -> tuple[dict[str, Any], str]:
    """Run a page's code and return its variables, such as data and model, and what it prints."""
    code = re.findall(r"```python\n(.*?)```", (GALLERY / f"{page}.md").read_text(), re.DOTALL)
    left: dict[str, Any] = {}
    with _inside(ROOT), contextlib.redirect_stdout(io.StringIO()) as printed:
        exec("\n".join(code), left)
    return left, printed.getvalue()


def draw_orbits(axes: Axes, left: dict[str, Any]) -> None:
    """Draw predicted against true values on logarithmic axes, by central body."""
    orbits, predicted = left["orbits"], left["model"].predict(left["X"])
    is_planet = orbits["around"] == "Sun"
    ends = orbits["period"].min() / 2, orbits["period"].max() * 2
    axes.plot(ends, ends, color=GREY, linewidth=1)
    for rows, colour, label in ((is_planet, ORANGE, "planets"), (~is_planet, BLUE, "moons")):
        axes.plot(orbits["period"][rows], predicted[rows], "o", color=colour, label=label, markersize=5)
    for body in ("Phobos", "Moon", "Neptune"):
        row = orbits.index[orbits["body"] == body][0]
        axes.annotate(body, (orbits["period"][row], predicted[row]), (8, -8), textcoords="offset points")
    axes.set(xscale="log", yscale="log", xlabel="period (days)", ylabel="predicted period (days)")
    axes.legend()


def draw_curve(axes: Axes, model: Any, table: pd.DataFrame, x: str, y: str, labels: tuple[str, str]) -> None:
    """Draw the rows, and the chosen equation as a line through them."""
    low, high = table[x].min(), table[x].max()
    grid = np.linspace(low, high, 400)
    axes.plot(grid, model.predict(pd.DataFrame({x: grid})), color=ORANGE)
    axes.plot(table[x], table[y], "o", color=BLUE, markersize=5)
    axes.set(xlabel=labels[0], ylabel=labels[1])


def draw_front(axes: Axes, left: dict[str, Any]) -> None:
    """Draw error against size and mark the choice; `longest`, if set, is a front without shortening."""
    if "longest" in left:
        sizes, errors = _front(left["longest"])
        axes.plot(sizes, errors, "o-", color=GREY, markersize=4, linewidth=1, label="as found")
    sizes, errors = _front(left["model"])
    axes.plot(sizes, errors, "o-", color=BLUE, markersize=5, linewidth=1)
    chosen = left["model"].best_
    axes.plot(chosen.size, max(chosen.nrmse, EXACT), "o", color=ORANGE, markersize=9, label="chosen")
    axes.set(yscale="log", xlabel="tokens", ylabel="error (NRMSE)")
    axes.legend()


def _front(model: Any) -> tuple[list[int], list[float]]:
    """Sizes and errors of the equations found."""
    return [entry.size for entry in model.front_], [max(entry.nrmse, EXACT) for entry in model.front_]


def curve(name: str, x: str, y: str, *labels: str) -> Callable[[Axes, dict[str, Any]], None]:
    """Make a function that draws one column over another, from the variables of the page."""
    return lambda axes, left: draw_curve(axes, left["model"], left[name], x, y, (labels[0], labels[1]))


PICTURES: dict[str, tuple[str, Callable[[Axes, dict[str, Any]], None]]] = {
    "orbits": ("period", draw_orbits),
    "hydrogen": ("wavelength", curve("lines", "n", "wavelength", "n", "wavelength (nm)")),
    "boyle": (
        "pressure",
        curve(
            "boyle",
            "volume",
            "pressure",
            "volume (quarter inches of the tube)",
            "pressure (inches of mercury)",
        ),
    ),
    "hubble": (
        "velocity",
        curve("nebulae", "distance", "velocity", "distance (Mpc)", "velocity (km/s)"),
    ),
}


def draw(page: str, folder: Path = GALLERY) -> str:
    """Draw a page's picture from a run of its code, and return what the code printed."""
    left, printed = run_page(page)
    target, draw_data = PICTURES[page]
    with drawn(folder / f"{page}.svg", 9, 3.6) as figure:
        data, front = figure.subplots(1, 2, width_ratios=(3, 2))
        draw_data(data, left)
        draw_front(front, left)
        figure.suptitle(f"{target} = {left['model'].best_.equation.text(precision=5)}", family="monospace")
    return printed


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    """`contextlib.chdir`, which Python 3.10 lacks."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


if __name__ == "__main__":
    for page in PICTURES:
        print(f"{page}:\n{draw(page)}", flush=True)
