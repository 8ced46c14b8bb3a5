"""A part of the page: what is written between its marks, and the figures that it shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from ddsr_bench.report.table import Cell, Table, TableColumn, to_markdown


class Part(NamedTuple):
    """Markdown, and what draws the files that it links in docs/assets."""

    text: str
    drawings: Mapping[str, Callable[[], bytes]] = {}

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> Part:
        """Return a part of a line or more, without a table."""
        return cls("".join(f"{line}\n" for line in lines))


def table(
    columns: Sequence[TableColumn], rows: Iterable[Mapping[str, Cell]], notes: Iterable[str] = ()
) -> str:
    """Return a table in Markdown, with its notes as a list and without a heading."""
    return to_markdown([Table.of("", columns, rows, notes)]).partition("\n\n")[2]


def image(description: str, name: str) -> str:
    """Return the line that shows a figure of docs/assets."""
    return f"![{description}](assets/{name})\n"
