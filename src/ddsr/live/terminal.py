"""A view for terminals: a table that stays in place and whose clock goes on during an epoch."""

from __future__ import annotations

from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ddsr.live.board import Board, r2_text
from ddsr.search import SearchState
from ddsr.selection import FrontEntry

REFRESHES_PER_S = 4
# Lines of a view that are not equations.
OTHER_LINES = 7
MARK = "→"


class TerminalView:
    """Shows the front as it grows; it vanishes at the end, when the result is printed."""

    def __init__(self, board: Board, console: Console) -> None:
        self.board = board
        self._note = "Ctrl-C ends the search and keeps the best so far"
        self._live = Live(self, console=console, refresh_per_second=REFRESHES_PER_S, transient=True)

    def __call__(self, state: SearchState) -> None:
        """Take the state of an epoch."""
        self.board.take(state)

    def note(self, text: str) -> None:
        """Replace the line under the table."""
        self._note = text

    def __enter__(self) -> TerminalView:
        self._live.start(refresh=True)
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal as it was."""
        self._live.stop()

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """As it stands now; rich asks again at every refresh."""
        finders = self.board.finders()
        lines = [Text(self.board.headline())]
        if finders:
            lines.append(Text(f"improvements by: {finders}"))
        most = max(3, console.height - OTHER_LINES)
        yield Group(*lines, front_table(self.board, most), Text(self._note, style="dim"))


def front_table(board: Board, most: int | None = None) -> Table:
    """The front, or the `most` entries around its choice."""
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("size", justify="right")
    table.add_column("R²", justify="right")
    table.add_column("equation", no_wrap=True, overflow="ellipsis")
    chosen = board.chosen
    for entry in _around(list(board.front), chosen, most):
        is_chosen = entry is chosen
        row = (MARK if is_chosen else "", str(entry.size), r2_text(entry), Text(board.write(entry)))
        table.add_row(*row, style="bold green" if is_chosen else "")
    return table


def _around(entries: list[FrontEntry], chosen: FrontEntry | None, most: int | None) -> list[FrontEntry]:
    if most is None or len(entries) <= most or chosen is None:
        return entries
    place = next(index for index, entry in enumerate(entries) if entry is chosen)
    first = min(max(0, place - most // 2), len(entries) - most)
    return entries[first : first + most]
