"""A search that somebody watches: its views, and what Ctrl-C does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ddsr.command.failure import INTERRUPTED
from ddsr.command.interrupt import TwoStepInterrupt
from ddsr.live import PlainView, TensorBoardLog, TerminalView
from ddsr.live.board import Board, Choose
from ddsr.methods import parse_method, settings
from ddsr.model_selection import find_selection
from ddsr.search import SearchState
from ddsr.terminal import plain_console, printable

if TYPE_CHECKING:
    from ddsr.estimator import DDSRRegressor

Callback = Callable[[SearchState], None]
STOPPING = "stopping: the equations are being made shorter; Ctrl-C again stops at once, without the result"


@dataclass(frozen=True)
class Watched:
    """A model and how it came to be."""

    model: DDSRRegressor
    is_interrupted: bool

    def raise_interrupt(self) -> None:
        """End the command as an interrupted one, if it was."""
        if self.is_interrupted:
            raise click.exceptions.Exit(INTERRUPTED)


def watch(
    work: Callable[[Callback], DDSRRegressor], board: Board, is_quiet: bool, tensorboard: str | None = None
) -> Watched:
    """Do the work, which calls its argument after every epoch, and show how it goes on stderr."""
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
        except Exception:  # a full disk or too little memory: what was found is not lost with it
            if board.chosen is not None:
                stack.callback(print_to_stderr, f"best so far: {board.write(board.chosen)}")
            raise
        if view is not None:
            view.on_choice(model.outcomes_)
        if not board.epoch:  # the time was up before the first was done
            board.searched = board.seconds
    return Watched(model, interrupt.count > 0)


def choice_of(preset: str, selection: str | None, n_rows: int) -> Choose:
    """What a view marks: the equation that would be chosen now, before any is made shorter."""
    chosen = find_selection(selection, settings(parse_method(preset)))
    return lambda front: chosen.choose(front, n_rows)


def print_to_stderr(text: str) -> None:
    """A line beside the result, which goes to stdout."""
    print(printable(text), file=sys.stderr, flush=True)


def _view(board: Board, is_quiet: bool) -> TerminalView | PlainView | None:
    if is_quiet:
        return None
    if not sys.stderr.isatty():
        return PlainView(board, sys.stderr)
    return TerminalView(board, plain_console(is_stderr=True))
