"""A table of results, written as Markdown, CSV or HTML."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from ddsr_bench.report.rates import Rate

Cell = str | int | float | Rate | None


class TableColumn(NamedTuple):
    """`key` names it in CSV, `title` for people; `decimals` of its numbers, or three significant digits."""

    key: str
    title: str
    decimals: int | None = None
    is_rate: bool = False


@dataclass(frozen=True)
class Table:
    """Cells are values; how they look is up to the format."""

    title: str
    columns: tuple[TableColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        columns: Sequence[TableColumn],
        rows: Iterable[Mapping[str, Cell]],
        notes: Iterable[str] = (),
    ) -> Table:
        """Of rows by the columns' keys; what a row does not have is an empty cell."""
        cells = tuple(tuple(row.get(column.key) for column in columns) for row in rows)
        return cls(title, tuple(columns), cells, tuple(notes))


def to_markdown(tables: Sequence[Table]) -> str:
    """A heading, a table and its notes, one after the other."""
    return "\n".join(_markdown(table) for table in tables)


def to_html(tables: Sequence[Table]) -> str:
    """The same as elements of a page, without a page around them."""
    return "\n".join(_html(table) for table in tables)


def to_csv(tables: Sequence[Table]) -> str:
    """All tables in one, with a column that names them; a rate has its bounds in two columns of their own."""
    keys = dict.fromkeys(["table"])
    records = []
    for table in tables:
        for row in table.rows:
            record: dict[str, object] = {"table": table.title}
            for column, cell in zip(table.columns, row, strict=True):
                record |= _csv_cells(column, cell)
            keys |= dict.fromkeys(record)
            records.append(record)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(keys), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "markdown": to_markdown,
    "csv": to_csv,
    "html": to_html,
}


def cell_text(cell: Cell, decimals: int | None = None) -> str:
    """As a person reads it: `46.5 [38.2, 55.0]` for a rate, an en dash for nothing."""
    if cell is None:
        return "–"
    if isinstance(cell, Rate):
        interval = "" if cell.low is None else f" [{cell.low:.1f}, {cell.high:.1f}]"
        return f"{cell.percent:.1f}{interval}" + (f" ({cell.of})" if cell.of else "")
    if isinstance(cell, float):
        return f"{cell:.{decimals}f}" if decimals is not None else _three_digits(cell)
    return f"{cell:,}" if isinstance(cell, int) else cell


def _three_digits(value: float) -> str:
    if value == 0:
        return "0"
    size = math.floor(math.log10(abs(value)))
    if size < -3:
        return f"{value:.1e}"
    return f"{value:,.{max(0, 2 - size)}f}"


def _csv_cells(column: TableColumn, cell: Cell) -> dict[str, object]:
    if not column.is_rate:
        return {column.key: "" if cell is None else cell}
    rate = cell if isinstance(cell, Rate) else Rate(math.nan)
    bounds = {column.key: rate.percent, f"{column.key}_low": rate.low, f"{column.key}_high": rate.high}
    return {
        key: "" if value is None or math.isnan(value) else round(value, 4) for key, value in bounds.items()
    }


def _texts(table: Table) -> list[list[str]]:
    return [
        [cell_text(cell, column.decimals) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]


def _is_right(table: Table, position: int) -> bool:
    """Whether a column holds numbers."""
    return any(isinstance(row[position], int | float | Rate) for row in table.rows)


def _markdown(table: Table) -> str:
    rules = ["---:" if _is_right(table, position) else "---" for position in range(len(table.columns))]
    lines = [[column.title for column in table.columns], rules, *_texts(table)]
    body = "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines)
    notes = "".join(f"- {note}\n" for note in table.notes)
    return f"## {table.title}\n\n{body}\n" + (f"\n{notes}" if notes else "")


def _html(table: Table) -> str:
    classes = [
        ' class="number"' if _is_right(table, position) else "" for position in range(len(table.columns))
    ]
    head = "".join(
        f"<th{kind}>{escape(column.title)}</th>" for kind, column in zip(classes, table.columns, strict=True)
    )
    body = "\n".join(
        "<tr>"
        + "".join(f"<td{kind}>{escape(text)}</td>" for kind, text in zip(classes, row, strict=True))
        + "</tr>"
        for row in _texts(table)
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    listed = f'\n<ul class="notes">{notes}</ul>' if notes else ""
    return (
        f"<h2>{escape(table.title)}</h2>\n<table>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>{listed}\n"
    )
