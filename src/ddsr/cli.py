"""The command `ddsr`: each command imports what it needs, so that `ddsr --help` answers at once."""

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ddsr", message="%(prog)s %(version)s")
def main() -> None:
    """Find the equation behind data: symbolic regression by masked discrete diffusion."""


@main.command()
def demo() -> None:
    """Find a known equation in embedded data."""
    from ddsr.demo import run_demo

    run_demo()
