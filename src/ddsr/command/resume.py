"""`ddsr resume`: go on with a run."""

from __future__ import annotations

import click

from ddsr.command.failure import Command
from ddsr.command.options import Seconds, tensorboard_folder
from ddsr.command.options import as_json as with_json


@click.command(cls=Command, short_help="Go on with a run.")
@click.argument("run", type=click.Path())
@click.option(
    "--time", "more_time", type=Seconds(min_open=True), metavar="SECONDS", help="More than the run was given."
)
@click.option("--epochs", "more_epochs", type=click.IntRange(1), metavar="N", help="More than it was given.")
@click.option(
    "--jobs", type=int, metavar="N", help="Number of threads; -1: all cores.  [default: as the run began]"
)
@tensorboard_folder
@click.option("--quiet", is_flag=True, help="Show nothing while it runs.")
@with_json
def resume(
    run: str,
    more_time: float | None,
    more_epochs: int | None,
    jobs: int | None,
    tensorboard: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Go on with RUN, a run folder, as if it had never been interrupted or killed.

    What it was given and has not used is left to it; a run that is over needs --time or --epochs.
    """
    from ddsr.command.resuming import run_resume

    run_resume(run, more_time, more_epochs, jobs, tensorboard=tensorboard, quiet=quiet, as_json=as_json)
