"""The command `ddsr`: each command imports what it needs, so that `ddsr --help` answers at once."""

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ddsr", message="%(prog)s %(version)s")
def main() -> None:
    """Find the equation behind data: symbolic regression by masked discrete diffusion."""


@main.command()
@click.option("--time", "seconds", default=5.0, show_default=True, help="Seconds to search.")
@click.option("--seed", default=0, show_default=True, help="Seed of the random numbers.")
def demo(seconds: float, seed: int) -> None:
    """Find Kepler's third law in the orbits of the planets."""
    from rich.console import Console

    from ddsr.demo import run_demo

    run_demo(Console(), seconds, seed)
