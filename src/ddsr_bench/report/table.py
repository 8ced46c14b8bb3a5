"""Tables of results, written as Markdown, CSV or HTML."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

from ddsr_bench.report.rates import Rate

Cell = str | int | float | Rate | None


class TableColumn(NamedTuple):
    """A column: its name in CSV, its title, and its decimals (default: three significant digits)."""

    key: str
    title: str
    decimals: int | None = None
    is_rate: bool = False


@dataclass(frozen=True)
class Table:
    """A table of values, which each format writes in its own way."""

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
        """Make a table of rows by the keys of the columns; missing cells are empty."""
        cells = tuple(tuple(row.get(column.key) for column in columns) for row in rows)
        return cls(title, tuple(columns), cells, tuple(notes))

    @property
    def texts(self) -> list[list[str]]:
        """The cells as texts."""
        return [
            [cell_text(cell, column.decimals) for column, cell in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    @property
    def is_number(self) -> list[bool]:
        """Whether each column has numbers."""
        return [
            any(isinstance(row[place], int | float | Rate) for row in self.rows)
            for place in range(len(self.columns))
        ]


def to_markdown(tables: Sequence[Table]) -> str:
    """Write each table with its title as a heading and its notes as a list."""
    return "\n".join(map(_markdown, tables))


def _markdown(table: Table) -> str:
    rules = ["---:" if is_number else "---" for is_number in table.is_number]
    lines = [[column.title for column in table.columns], rules, *table.texts]
    body = "\n".join("| " + " | ".join(text.replace("|", "\\|") for text in line) + " |" for line in lines)
    notes = "".join(f"- {note}\n" for note in table.notes)
    return f"## {table.title}\n\n{body}\n" + (f"\n{notes}" if notes else "")


def to_html(tables: Sequence[Table]) -> str:
    """Write elements of an HTML page, without the page around them."""
    return render_template("tables.html", tables=tables)


def render_template(name: str, **values: object) -> str:
    """Fill in a template of this folder."""
    from jinja2 import Environment

    template = files("ddsr_bench.report").joinpath(name).read_text(encoding="utf-8")
    return Environment(autoescape=True, trim_blocks=True).from_string(template).render(**values)


def to_csv(tables: Sequence[Table]) -> str:
    """Write all tables as one, with columns for the titles and for the bounds of rates."""
    from pandas import DataFrame

    records = []
    for table in tables:
        for row in table.rows:
            record: dict[str, object] = {"table": table.title}
            for column, cell in zip(table.columns, row, strict=True):
                record |= _csv_cells(column, cell)
            records.append(record)
    return str(DataFrame(records, dtype=object).to_csv(index=False, lineterminator="\n"))


def _csv_cells(column: TableColumn, cell: Cell) -> dict[str, object]:
    if not column.is_rate:
        return {column.key: cell}
    rate = cell if isinstance(cell, Rate) else Rate(math.nan)
    bounds = {column.key: rate.percent, f"{column.key}_low": rate.low, f"{column.key}_high": rate.high}
    return {key: None if value is None else round(value, 4) for key, value in bounds.items()}


FORMATS: dict[str, Callable[[Sequence[Table]], str]] = {
    "markdown": to_markdown,
    "csv": to_csv,
    "html": to_html,
}


def cell_text(cell: Cell, decimals: int | None = None) -> str:
    """Return a cell as readers see it: `46.5 [38.2, 55.0]` for a rate, an en dash for an empty one."""
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
    return f"{value:.1e}" if size < -3 else f"{value:,.{max(0, 2 - size)}f}"
