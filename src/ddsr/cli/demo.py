"""`ddsr demo`: find Kepler's third law in a table of the eight planets."""

from __future__ import annotations

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import Seconds

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


@click.command(cls=Command)
@click.option(
    "--time",
    "seconds",
    type=Seconds(min_open=True),
    metavar="SECONDS",
    default=3.0,
    help="Time limit of the search.",
)
@click.option("--seed", type=click.IntRange(0), metavar="N", default=0, help="Random seed.")
def demo(seconds: float, seed: int) -> None:
    """Find Kepler's third law in the orbits of the planets."""
    from ddsr.cli.watching import print_to_stderr

    print_to_stderr("Eight planets: how does the period (years) depend on the semi-major axis (AU)?")
    import pandas as pd

    from ddsr.cli.result import print_result
    from ddsr.cli.watching import Callback, watch
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.live.board import Board

    table = pd.DataFrame(PLANETS.values(), columns=["axis", "period"])

    def fit(on_state: Callback) -> DDSRRegressor:
        model = DDSRRegressor(max_time=seconds, random_state=seed, n_jobs=-1, callback=on_state)
        return model.fit(table[["axis"]], table["period"])

    board = Board("period", seconds, lambda front: front.best(len(table)))
    done = watch(fit, board, is_quiet=False)
    print_result(done.model, "period", {"seconds": board.searched})
    click.echo("Kepler, 1619: the square of the period is proportional to the cube of the axis.")
    done.raise_interrupt()
