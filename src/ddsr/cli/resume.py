"""`ddsr resume`: resume a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import Seconds, tensorboard_folder
from ddsr.cli.options import as_json as with_json
from ddsr.errors import RunError
from ddsr.storage.folders import check_run_folder

if TYPE_CHECKING:
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.runs import RunFolder

# Reasons for an end after which more time would not help.
FINAL = ("exact", "exhausted")


@click.command(cls=Command, short_help="Resume a run.")
@click.argument("run", type=click.Path())
@click.option(
    "--time",
    "more_time",
    type=Seconds(min_open=True),
    metavar="SECONDS",
    help="Additional time for the search.",
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
    """Resume a run that was interrupted, or continue a finished one.

    RUN is a run folder. An interrupted or killed run continues as if nothing had happened, with its remaining
    time and epochs. A finished run needs --time or --epochs.
    """
    check_run_folder(Path(run))
    from ddsr.cli.opening import UNNAMED, Opened
    from ddsr.cli.result import report_result
    from ddsr.cli.watching import Callback, choice_of, print_to_stderr, watch
    from ddsr.live.board import Board
    from ddsr.runs import RunFolder

    folder = RunFolder.open(run)
    _check_unfinished(folder, more_time is not None or more_epochs is not None)
    last = folder.log()[-1:]
    seconds_before = float(last[0]["seconds"]) if last else 0.0
    if not quiet:
        print_to_stderr(f"resuming {run} after {seconds_before:.1f} s")

    def resume(on_state: Callback) -> DDSRRegressor:
        return folder.resume(on_state, more_time, more_epochs, n_jobs=jobs)

    limit, asked = folder.asked.max_time, folder.asked.parameters
    max_time = limit if more_time is None else more_time + (seconds_before if limit is None else limit)
    choose = choice_of(asked["preset"], asked["model_selection"], len(folder.data().y))
    board = Board(folder.asked.target or UNNAMED, max_time, choose, seconds_before=seconds_before)
    done = watch(resume, board, quiet, tensorboard)
    facts = Opened(run, done.model, board.target, folder).facts()
    report_result(done.model, board.target, facts, as_json)
    done.raise_interrupt()


def _check_unfinished(run: RunFolder, has_more: bool) -> None:
    """Refuse to resume a finished run without more time or epochs."""
    stopped_by = run.stopped_by
    if stopped_by is not None and not has_more:
        remedy = "nothing is left to find" if stopped_by in FINAL else "pass --time or --epochs to continue"
        raise RunError(f"the run in {run.path} has finished ({stopped_by}): {remedy}")
