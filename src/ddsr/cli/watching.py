"""Run a search with a live view and handle Ctrl-C."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ddsr.cli.failure import INTERRUPTED
from ddsr.cli.interrupt import TwoStepInterrupt
from ddsr.data.printable import printable
from ddsr.estimator.model_selection import find_selection
from ddsr.live import PlainView, TensorBoardLog, TerminalView
from ddsr.live.board import Board, Choose
from ddsr.live.verbose import stream_view
from ddsr.search.loop import SearchState
from ddsr.search.presets import parse_method, settings

if TYPE_CHECKING:
    from ddsr.estimator.regressor import DDSRRegressor

Callback = Callable[[SearchState], None]
STOPPING = "stopping: simplifying and choosing equations; press Ctrl-C again to stop at once without a result"


@dataclass(frozen=True)
class Watched:
    """A fitted model, and whether the fit was interrupted."""

    model: DDSRRegressor
    is_interrupted: bool

    def raise_interrupt(self) -> None:
        """Exit with the code of an interrupted command if the fit was interrupted."""
        if self.is_interrupted:
            raise click.exceptions.Exit(INTERRUPTED)


def watch(
    work: Callable[[Callback], DDSRRegressor], board: Board, is_quiet: bool, tensorboard: str | None = None
) -> Watched:
    """Run `work`, which calls its argument after every epoch, and show progress on stderr."""
    with ExitStack() as stack:
        view = _view(board, is_quiet)
        callbacks: list[Callback] = [board.take if view is None else view]
        if tensorboard is not None:
            log = TensorBoardLog(tensorboard)
            stack.callback(log.close)
            callbacks.append(log)
        if view is not None:
            stack.enter_context(view)
        note = print_to_stderr if view is None else view.note
        interrupt = stack.enter_context(TwoStepInterrupt(lambda: note(STOPPING)))

        def on_state(state: SearchState) -> None:
            for callback in callbacks:
                callback(state)

        try:
            model = work(on_state)
        except Exception:  # such as a full disk or too little memory: show what was found
            if board.chosen is not None:
                stack.callback(print_to_stderr, f"best so far: {board.write(board.chosen)}")
            raise
        if view is not None:
            view.on_choice(model.outcomes_)
        if not board.epoch:  # time ran out before the first epoch finished
            board.searched = board.seconds
    return Watched(model, interrupt.count > 0)


def choice_of(preset: str, selection: str | None, n_rows: int) -> Choose:
    """Return the function with which a view chooses the equation to mark, before simplification."""
    chosen = find_selection(selection, settings(parse_method(preset)))
    return lambda front: chosen.choose(front, n_rows)


def print_to_stderr(text: str) -> None:
    """Print a line to stderr; the result goes to stdout."""
    print(printable(text), file=sys.stderr, flush=True)


def _view(board: Board, is_quiet: bool) -> TerminalView | PlainView | None:
    if is_quiet:
        return None
    return stream_view(board, sys.stderr)
