"""The command `ddsr`: each command imports what it needs, so that `ddsr --help` answers at once."""

from typing import Any

import click


class Seconds(click.FloatRange):
    """A time to search for; NaN, which no clock reaches, is refused too."""

    def __init__(self) -> None:
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """From text, with a message that names it."""
        seconds: float = super().convert(value, param, ctx)
        if not seconds < float("inf"):
            self.fail(f"{value} is no number of seconds", param, ctx)
        return seconds


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ddsr", message="%(prog)s %(version)s")
def main() -> None:
    """Find the equation behind data: symbolic regression by masked discrete diffusion."""


@main.command()
@click.option("--time", "seconds", type=Seconds(), default=5.0, show_default=True, help="Seconds to search.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the random numbers.")
def demo(seconds: float, seed: int) -> None:
    """Find Kepler's third law in the orbits of the planets."""
    from rich.console import Console

    from ddsr.demo import run_demo

    run_demo(Console(), seconds, seed)
