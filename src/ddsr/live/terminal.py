"""A view for terminals: a table that is updated in place, with a running clock."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.text import Text

from ddsr.data.printable import printable
from ddsr.live.board import Board
from ddsr.live.table import FrontRow, front_table
from ddsr.search.loop import SearchState
from ddsr.selection.outcome import Outcome

REFRESHES_PER_S = 4
# Number of lines other than equations.
OTHER_LINES = 7


class TerminalView:
    """Show the front as it grows, on a rich console; the view disappears when the fit ends."""

    def __init__(self, board: Board, console: Console) -> None:
        self.board = board
        self._note = "Ctrl-C ends the search and keeps the best so far"
        self._live = Live(self, console=console, refresh_per_second=REFRESHES_PER_S, transient=True)

    def __call__(self, state: SearchState) -> None:
        """Take the state of an epoch."""
        self.board.take(state)

    def on_choice(self, outcomes: Sequence[Outcome]) -> None:
        """Show the choice and how sure it is until the view disappears."""
        self.board.finish(outcomes)
        self._note = ""
        self._live.refresh()

    def note(self, text: str) -> None:
        """Replace the line under the table."""
        self._note = printable(text)

    def __enter__(self) -> TerminalView:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal as it was."""
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Render the current state; rich calls this at every refresh."""
        finders = self.board.finders()
        lines = [Text(self.board.headline())]
        if finders:
            lines.append(Text(f"improvements by: {finders}"))
        most = max(3, console.height - OTHER_LINES - len(self.board.certainty))
        rows = _around_choice(self.board.rows(), most)
        table = front_table(rows, f"equation for {self.board.target}", console.width)
        certainty = [Text(line) for line in self.board.certainty]
        yield Group(*lines, table, *certainty, Text(self._note, style="dim"))


def _around_choice(rows: list[FrontRow], most: int) -> list[FrontRow]:
    """Return all rows, or `most` rows around the choice."""
    place = next((index for index, row in enumerate(rows) if row.is_chosen), 0)
    first = min(max(0, place - most // 2), max(0, len(rows) - most))
    return rows[first : first + most]
