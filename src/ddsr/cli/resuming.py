"""Implementation of `ddsr resume`."""

from __future__ import annotations

from ddsr.cli.opening import UNNAMED, Opened
from ddsr.cli.result import print_json, print_result, summary
from ddsr.cli.watching import Callback, choice_of, print_to_stderr, watch
from ddsr.errors import RunError
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.live.board import Board
from ddsr.runs import RunFolder

# After these, more time would not help.
FINAL = ("exact", "exhausted")


def run_resume(
    path: str,
    more_time: float | None,
    more_epochs: int | None,
    jobs: int | None,
    *,
    tensorboard: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Resume the run, show the result and save it."""
    run = RunFolder.open(path)
    stopped_by = run.stopped_by
    if stopped_by is not None and more_time is None and more_epochs is None:
        remedy = "nothing is left to find" if stopped_by in FINAL else "pass --time or --epochs to continue"
        raise RunError(f"the run in {path} has finished ({stopped_by}): {remedy}")
    done_before = run.log()[-1:]
    seconds_before = float(done_before[0]["seconds"]) if done_before else 0.0
    if not quiet:
        print_to_stderr(f"resuming {path} after {seconds_before:.1f} s")

    def resume(on_state: Callback) -> DDSRRegressor:
        return run.resume(on_state, more_time, more_epochs, n_jobs=jobs)

    limit, asked = run.asked.max_time, run.asked.parameters
    max_time = limit if more_time is None else more_time + (seconds_before if limit is None else limit)
    choose = choice_of(asked["preset"], asked["model_selection"], len(run.data().y))
    board = Board(run.asked.target or UNNAMED, max_time, choose, seconds_before=seconds_before)
    done = watch(resume, board, quiet, tensorboard)
    facts = Opened(path, done.model, board.target, run).facts()
    if as_json:
        print_json(summary(done.model, facts))
    else:
        print_result(done.model, board.target, facts)
    done.raise_interrupt()
