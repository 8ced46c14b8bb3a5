"""Read tables of data: those of pmlb, and CSV files of users."""

from __future__ import annotations

import csv
import gzip
import keyword
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError
from ddsr.expression.operators import NAMES_OF_QUANTITIES, OPERATORS

if TYPE_CHECKING:
    import pandas

TARGET = "target"
DELIMITERS = ("\t", ";", ",")


def read_header(path: Path) -> list[str]:
    """Return the names of the columns."""
    line = _first_line(path)
    return [name.strip() for name in next(csv.reader([line], delimiter=_delimiter(line)), [])]


def read_text(path: Path) -> str:
    """Return the text of a table."""
    with _opened(path) as file:
        return file.read()


def read_columns(path: Path) -> tuple[pandas.DataFrame, NDArray[np.float64]]:
    """Return features and target (the column `target`, or the last one). All values must be finite."""
    import pandas

    try:
        table = pandas.read_csv(path, sep=_delimiter(_first_line(path)))
    except (ValueError, OSError) as error:
        raise BenchError(f"cannot read {path} as a table: {error}") from error
    if len(table.columns) < 2:
        raise BenchError(f"{path} has only one column, but needs features and a target")
    for name in table.columns:
        column = pandas.to_numeric(table[name], errors="coerce").to_numpy(dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(column))
        if len(wrong):
            value = table[name].iloc[wrong[0]]
            shown = repr(value) if isinstance(value, str) else value
            raise BenchError(f"{path}, column {name!r}, row {wrong[0] + 1}: {shown} is not a finite number")
    target = TARGET if TARGET in table else table.columns[-1]
    features = table.drop(columns=target).astype(np.float64)
    return features.set_axis(_variables(features.columns), axis=1), table[target].to_numpy(dtype=np.float64)


def _variables(columns: pandas.Index) -> list[str]:
    """Return the names of the columns, or x0, x1, … if one of them is not valid in a formula."""
    reserved = {*OPERATORS, "pi"} - NAMES_OF_QUANTITIES
    names = [str(name) for name in columns]
    is_usable = all(
        name.isidentifier() and not keyword.iskeyword(name) and name not in reserved for name in names
    )
    return names if is_usable else [f"x{column}" for column in range(len(names))]


def _first_line(path: Path) -> str:
    with _opened(path) as file:
        return file.readline()


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """Open a text file, compressed or not, and skip its byte order mark."""
    try:
        with gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb") as file:
            yield TextIOWrapper(file, encoding="utf-8-sig", newline="")
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise BenchError(f"cannot read {path} as a table: {error}") from error


def _delimiter(header: str) -> str:
    """Return the most frequent delimiter in the header."""
    return max(DELIMITERS, key=header.count)
