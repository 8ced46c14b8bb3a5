"""Data frames whose text fits a terminal: few columns, and numbers of equations with few digits."""

from __future__ import annotations

import re
import shutil
from typing import ClassVar

import pandas as pd

from ddsr.expression.printing import SHORT_PRECISION

NUMBER = re.compile(r"\d+\.\d+(?:e[+-]?\d+)?")
LEAST_WIDTH = 20  # of the column of equations, even in narrow terminals
INDENT = 2
MARK = "→"
SHORT_TEXTS = "short_texts"  # attribute of a table: each equation with the digits that it needs


class PrintedTable(pd.DataFrame):  # type: ignore[misc]  # pandas has no types
    """A data frame with all columns that prints some of them, the column `equation` last.

    A selection of rows prints in the same way; one without these columns prints as any data frame.
    """

    printed: ClassVar[tuple[str, ...]] = ()
    """columns that are printed before the equation"""

    @property
    def _constructor(self) -> type[PrintedTable]:
        return type(self)

    def __repr__(self) -> str:
        """Return one line per equation; the chosen one is marked."""
        if self.empty or not {*self.printed, "equation"} <= set(self.columns):
            return str(super().__repr__())
        short = self.attrs.get(SHORT_TEXTS, {})
        rounded = self["equation"].map(lambda text: short.get(text) or _rounded(text))
        table = pd.DataFrame({name: self[name] for name in self.printed})
        if "is_best" in self.columns:
            table.insert(0, "", self["is_best"].map({True: MARK, False: ""}))
            # one line per text: the chosen equation's, otherwise the first
            is_shown = self["is_best"] | ~(rounded.duplicated() | rounded.isin(rounded[self["is_best"]]))
            table, rounded = table[is_shown], rounded[is_shown]
        before = table.to_string(float_format="{:.6f}".format).split("\n")
        width = max(shutil.get_terminal_size().columns - len(before[0]) - INDENT, LEAST_WIDTH)
        equations = ["equation", *(_cut(text, width) for text in rounded)]
        return "\n".join(
            f"{line}{'':{INDENT}}{text}".rstrip() for line, text in zip(before, equations, strict=True)
        )


class EquationTable(PrintedTable):
    """`DDSRRegressor.equations_`."""

    printed = ("complexity", "r2")


class FormTable(PrintedTable):
    """`DDSRRegressor.forms_`."""

    printed = ("weight",)


def _rounded(equation: str) -> str:
    return NUMBER.sub(lambda found: f"{float(found[0]):.{SHORT_PRECISION}g}", equation)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
