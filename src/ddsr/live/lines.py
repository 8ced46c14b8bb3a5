"""A view for logs: one line when the choice changes, and otherwise at regular intervals."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TextIO

from ddsr.data.printable import printable
from ddsr.live.board import Board
from ddsr.live.table import r2_text
from ddsr.search.loop import SearchState
from ddsr.selection.outcome import Outcome

# At the start every epoch finds a better equation, so do not print all of them.
LEAST_SECONDS_BETWEEN, MOST_SECONDS_BETWEEN = 1.0, 30.0


class PlainView:
    """Print progress as lines of text to a stream.

    `board` holds what is shown, for example `Board("y", max_time=60)`.
    """

    def __init__(self, board: Board, stream: TextIO) -> None:
        self.board = board
        self._stream = stream
        self._last: tuple[float, str] | None = None

    def __call__(self, state: SearchState) -> None:
        """Take the state of an epoch."""
        self.board.take(state)
        chosen = self.board.chosen
        if chosen is None:
            return
        equation, now = self.board.write(chosen), time.monotonic()
        if self._last is not None:
            since = now - self._last[0]
            is_due = since >= MOST_SECONDS_BETWEEN
            is_news = equation != self._last[1] and since >= LEAST_SECONDS_BETWEEN
            if not (is_due or is_news):
                return
        self._last = (now, equation)
        self.note(f"{self.board.headline()} · R² {r2_text(1.0 - chosen.nrmse**2)} · {equation}")

    def on_choice(self, outcomes: Sequence[Outcome]) -> None:
        """Print the choice and, if known, how sure it is."""
        self.board.finish(outcomes)
        if self.board.certainty and self.board.chosen is not None:
            self.note(f"chosen: {self.board.write(self.board.chosen)}")
        for line in self.board.certainty:
            self.note(line)

    def note(self, text: str) -> None:
        """Print another line."""
        print(printable(text), file=self._stream, flush=True)

    def __enter__(self) -> PlainView:
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: there is nothing to close."""
