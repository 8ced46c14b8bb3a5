"""`ddsr resume`: resume a run."""

from __future__ import annotations

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import Seconds, tensorboard_folder
from ddsr.cli.options import as_json as with_json


@click.command(cls=Command, short_help="Resume a run.")
@click.argument("run", type=click.Path())
@click.option(
    "--time", "more_time", type=Seconds(min_open=True), metavar="SECONDS", help="Additional search time."
)
@click.option(
    "--epochs", "more_epochs", type=click.IntRange(1), metavar="N", help="Number of additional epochs."
)
@click.option(
    "--jobs", type=int, metavar="N", help="Number of threads; -1: all cores.  [default: as in the first fit]"
)
@tensorboard_folder
@click.option("--quiet", is_flag=True, help="Do not show progress.")
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
    """Resume RUN, a run folder, as if it had never been interrupted or killed.

    The run uses what is left of its time and epochs. A finished run needs --time or --epochs.
    """
    from ddsr.cli.resuming import run_resume

    run_resume(run, more_time, more_epochs, jobs, tensorboard=tensorboard, quiet=quiet, as_json=as_json)
