"""A front as a table for terminals and logs; an arrow marks the choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from ddsr.data.printable import printable

MARK = "→"
# Width of the columns that are not equations.
OTHER_WIDTH = 34
LEAST_EQUATION_WIDTH = 20


@dataclass(frozen=True)
class FrontRow:
    """An equation with its size and errors."""

    size: int
    r2: float
    loss: float | None
    equation: str
    is_chosen: bool


def merged(rows: Iterable[FrontRow]) -> list[FrontRow]:
    """Return one row per equation text: the chosen one, otherwise the first.

    Equations that differ only in hidden digits would look like repetitions.
    """
    kept: dict[str, FrontRow] = {}
    for row in rows:
        if row.is_chosen or row.equation not in kept:
            kept[row.equation] = row
    return list(kept.values())


def front_table(rows: Iterable[FrontRow], title: str, width: int | None = None) -> Table:
    """Return the table; equations are cut so that it is at most `width` wide, or never if that is None."""
    rows = list(rows)
    has_losses = any(row.loss is not None for row in rows)
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for name in ("size", "R²", *["loss"] * has_losses):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(Text(printable(title)), no_wrap=True)  # a title in brackets is not markup
    for row in rows:
        figures = [str(row.size), r2_text(row.r2)]
        if has_losses:
            figures.append("" if row.loss is None else f"{row.loss:.4g}")
        style = "bold green" if row.is_chosen else ""
        equation = Text(_cut(row.equation, width))
        table.add_row(MARK if row.is_chosen else "", *figures, equation, style=style)
    return table


def r2_text(r2: float) -> str:
    """Format R² with six decimals."""
    return f"{r2:.6f}"


def _cut(text: str, width: int | None) -> str:
    room = len(text) if width is None else max(width - OTHER_WIDTH, LEAST_EQUATION_WIDTH)
    return text if len(text) <= room else text[: room - 1] + "…"
