"""Equations and their errors as a LaTeX table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ddsr.data.checks import check_whole
from ddsr.errors import DataError, did_you_mean
from ddsr.expression import Expression

DEFAULT_COLUMNS = ("equation", "complexity", "loss", "r2")
HEADINGS = {
    "equation": "Equation",
    "complexity": "Complexity",
    "loss": "Loss",
    "r2": "$R^2$",
    "description_length": "Description length",
    "reward": "Reward",
    "is_best": "Chosen",
}


def latex_table(
    table: pd.DataFrame,
    equations: Sequence[Expression],
    indices: Sequence[int] | None,
    precision: int,
    columns: Sequence[str],
) -> str:
    """Return a table with one row per equation; numbers have `precision` significant digits."""
    for column in columns:
        if column not in HEADINGS:
            hint = did_you_mean(column, HEADINGS)
            raise DataError(f"unknown column {column!r}{hint}; choose from: {', '.join(HEADINGS)}")
    check_whole(precision, "precision", least=1, most=17)
    chosen = range(len(equations)) if indices is None else indices
    rows = [check_whole(row, "an index", 0, len(equations) - 1) for row in chosen]
    alignment = "".join("l" if column == "equation" else "r" for column in columns)
    lines = [
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        " & ".join(HEADINGS[column] for column in columns) + r" \\",
        r"\midrule",
        *(_row(table.iloc[row], equations[row], precision, columns) for row in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _row(row: pd.Series, equation: Expression, precision: int, columns: Sequence[str]) -> str:
    cells = (
        f"${equation.to_latex(precision)}$" if column == "equation" else _cell(row[column], precision)
        for column in columns
    )
    return " & ".join(cells) + r" \\"


def _cell(value: Any, precision: int) -> str:
    if isinstance(value, (bool, np.bool_)):
        return r"$\ast$" if value else ""
    if isinstance(value, (int, np.integer)):
        return f"${value}$"
    mantissa, _, exponent = f"{value:.{precision}g}".partition("e")
    return rf"${mantissa} \times 10^{{{int(exponent)}}}$" if exponent else f"${mantissa}$"
