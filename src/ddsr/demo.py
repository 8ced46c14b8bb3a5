"""`ddsr demo`: Kepler's third law from the eight planets, as a user would see a search run."""

from __future__ import annotations

import time
from collections.abc import Iterator

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ddsr.engine import Engine
from ddsr.expression import Vocabulary
from ddsr.grammar import Grammar
from ddsr.search import SearchState, UniformGenerator, search

# Semi-major axis in astronomical units and sidereal period in Julian years (J2000 mean elements).
PLANETS = {
    "Mercury": (0.38710, 0.24085),
    "Venus": (0.72333, 0.61521),
    "Earth": (1.00000, 1.00002),
    "Mars": (1.52366, 1.88085),
    "Jupiter": (5.20336, 11.86262),
    "Saturn": (9.53707, 29.44750),
    "Uranus": (19.19126, 84.01685),
    "Neptune": (30.06896, 164.79132),
}
SECONDS = 5.0
BATCH_SIZE = 2000
MAX_LENGTH = 12


def run_demo(console: Console, seconds: float = SECONDS, seed: int = 0) -> SearchState:
    """Search for the period as a function of the axis, showing the front as it grows."""
    console.print("The planets: how does the period (years) follow from the semi-major axis (AU)?")
    axis, period = zip(*PLANETS.values(), strict=True)
    vocabulary = Vocabulary(("axis",))
    engine = Engine(vocabulary, [[value] for value in axis], period, seed=seed)
    generator = UniformGenerator(Grammar(vocabulary, max_length=MAX_LENGTH), seed)
    started = time.monotonic()
    state = None
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        for state in _until(search(generator, engine, batch_size=BATCH_SIZE), started + seconds):
            live.update(_view(state, time.monotonic() - started))
    assert state is not None  # the search yields at least once
    console.print(_view(state, time.monotonic() - started))
    best = state.front.best(len(PLANETS))
    console.print(Text.assemble("period = ", (best.expression.text(precision=4), "bold green")))
    console.print("Kepler, 1619: the square of the period goes with the cube of the axis.")
    return state


def _until(states: Iterator[SearchState], deadline: float) -> Iterator[SearchState]:
    for state in states:
        yield state
        if time.monotonic() >= deadline:
            return


def _view(state: SearchState, seconds: float) -> Table:
    table = Table(
        title=f"{seconds:.1f} s · {state.n_scored:,} expressions · {state.n_scored / seconds:,.0f}/s"
    )
    table.add_column("size", justify="right")
    table.add_column("error (NRMSE)", justify="right")
    table.add_column("equation")
    chosen = state.front.best(len(PLANETS))
    for entry in state.front:
        style = "bold green" if entry is chosen else ""
        equation = Text("period = " + entry.expression.text(precision=4))
        table.add_row(str(entry.size), f"{entry.nrmse:.2e}", equation, style=style)
    return table
