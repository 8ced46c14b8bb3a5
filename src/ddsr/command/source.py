"""A table in a file: its column names first, so that a hopeless file is refused before it is read."""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddsr.command.interrupt import TwoStepInterrupt
from ddsr.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 10_000
# A line of names that is longer has more columns than that, or is no line of names.
LONGEST_HEADER = 2**20
DELIMITERS = (",", "\t", ";", "|")
WHITESPACE = r"\s+"
PARQUET_SUFFIXES = (".parquet", ".pq")
# How pandas calls the numbers of rows that it keeps in Parquet.
UNNAMED_INDEX = re.compile(r"__index_level_\d+__")
SPREADSHEET_SUFFIXES = (".xlsx", ".xls", ".ods")


@dataclass(frozen=True)
class Source(ABC):
    """A file, the names of its columns, and how to read them."""

    path: Path
    names: tuple[str, ...]

    @abstractmethod
    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """These columns, as they are in the file."""


@dataclass(frozen=True)
class TextSource(Source):
    """Lines of values with something between them, perhaps compressed by gzip."""

    delimiter: str
    decimal: str

    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """These columns; those without one text are numbers."""
        import pandas as pd

        with (
            refusing_unreadable(self.path),
            warnings.catch_warnings(),
            TwoStepInterrupt() as interrupt,
        ):
            # All columns are read, since with some of them pandas cuts off rows that are too long, silently.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            try:
                frame = pd.read_csv(
                    self.path,
                    sep=self.delimiter,
                    decimal=self.decimal,
                    index_col=False,
                    low_memory=False,
                    skipinitialspace=True,
                    encoding="utf-8-sig",
                    compression="gzip" if _is_gzip(self.path) else None,
                )
            except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
                if interrupt.count:  # pandas takes an interrupt while it reads for an error of the file
                    raise KeyboardInterrupt from None
                reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
                raise InputError(
                    f"{self.path} is no table with {len(self.names)} columns: {reason}"
                ) from None
        if len(frame.columns) != len(self.names):  # quotes that hold what separates columns
            raise InputError(
                f"{self.path} has {len(self.names)} names of columns, and {len(frame.columns)} columns: "
                "separate them by commas"
            )
        frame.columns = list(self.names)
        return frame[list(names)]


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file."""

    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """These columns; a null is a missing value."""
        pyarrow, parquet = _import_pyarrow()
        with refusing_unreadable(self.path, pyarrow.ArrowException):
            table = parquet.read_table(self.path, columns=list(names))
            # What pandas notes on its own frames would turn columns into an index again.
            return table.to_pandas(ignore_metadata=True)


def open_source(path: str | Path) -> Source:
    """Look at what a file is and how its columns are called."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a table")
    if not path.exists():
        raise InputError(f"there is no file {path}")
    if not path.is_file():
        raise InputError(f"{path} is no file that can be read twice: save the table in one first")
    if path.suffix.lower() in SPREADSHEET_SUFFIXES:
        raise InputError(f"{path} is a spreadsheet: save it as CSV first")
    if path.suffix.lower() in PARQUET_SUFFIXES:
        source: Source = _open_parquet(path)
    else:
        source = _open_text(path)
    _check_names(source)
    return source


@contextmanager
def refusing_unreadable(path: Path, *more: type[Exception]) -> Iterator[None]:
    """Say in one line what keeps a file from being read."""
    try:
        yield
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not text in UTF-8; CSV, TSV (also .gz) and Parquet can be read"
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is no complete gzip file: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except more as error:
        raise InputError(f"cannot read {path}: {str(error).splitlines()[0]}") from None


def _open_text(path: Path) -> TextSource:
    opened = gzip.open if _is_gzip(path) else open
    with refusing_unreadable(path), opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
        head = str(stream.read(LONGEST_HEADER))
    if "\0" in head:
        raise InputError(f"{path} is not text; CSV, TSV (also .gz) and Parquet can be read")
    lines = [line for line in head.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{path} is empty")
    n_lines = _lines_of_names(lines)
    header, rows = "\n".join(lines[:n_lines]), lines[n_lines:]
    stem = path.name.lower().removesuffix(".gz")
    delimiter = "\t" if stem.endswith(".tsv") else _delimiter_of(header)
    has_no_end = len(head) == LONGEST_HEADER and not rows
    if has_no_end or _is_too_wide(header, delimiter):
        raise InputError(f"{path} has more than {MOST_COLUMNS:,} columns: keep those that may matter")
    names = _split(head, delimiter)
    decimal = "," if delimiter == ";" and rows and "," in rows[0] else "."
    return TextSource(path, tuple(name.strip() for name in names), delimiter, decimal)


def _open_parquet(path: Path) -> ParquetSource:
    pyarrow, parquet = _import_pyarrow()
    with refusing_unreadable(path, pyarrow.ArrowException):
        metadata = parquet.read_metadata(path)
        if metadata.num_columns > MOST_COLUMNS:
            raise InputError(f"{path} has more than {MOST_COLUMNS:,} columns: keep those that may matter")
        names = parquet.read_schema(path).names
        return ParquetSource(path, tuple(name for name in names if not UNNAMED_INDEX.fullmatch(name)))


def _import_pyarrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise InputError("reading Parquet needs pyarrow: pip install 'ddsr[parquet]'") from None
    return pyarrow, pyarrow.parquet


def _is_gzip(path: Path) -> bool:
    return path.suffix.lower() == ".gz"


def _lines_of_names(lines: list[str]) -> int:
    """More than one where a name in quotes has a line break in it."""
    is_open = False
    for number, line in enumerate(lines, 1):
        is_open ^= line.count('"') % 2 == 1
        if not is_open:
            return number
    return 1


def _delimiter_of(line: str) -> str:
    """What splits the line of names into most parts; blanks where nothing else does."""
    counts = {delimiter: line.count(delimiter) for delimiter in DELIMITERS}
    if not any(counts.values()):
        return WHITESPACE
    return max(DELIMITERS, key=lambda delimiter: len(_split(line, delimiter)) if counts[delimiter] else 0)


def _is_too_wide(line: str, delimiter: str) -> bool:
    n_gaps = len(line.split()) - 1 if delimiter == WHITESPACE else line.count(delimiter)
    return n_gaps >= MOST_COLUMNS


def _split(text: str, delimiter: str) -> list[str]:
    """The first line that is not blank, as parts."""
    if delimiter == WHITESPACE:
        return text.lstrip().splitlines()[0].split()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        return next((row for row in reader if any(part.strip() for part in row)), [])
    except csv.Error as error:
        raise InputError(f"the line of column names cannot be read: {error}") from None


def _check_names(source: Source) -> None:
    for number, name in enumerate(source.names, 1):
        if not name:
            raise InputError(
                f"column {number} of {source.path} has no name: name it, or leave it out "
                "(pandas writes its index like that unless to_csv has index=False)"
            )
    repeated = [name for name, count in Counter(source.names).items() if count > 1]
    if repeated:
        raise InputError(f"{source.path} has more than one column {repeated[0]!r}: rename them")
    if all(map(_is_number, source.names)):
        raise InputError(
            f"the first line of {source.path} has numbers where the names of the columns should be: "
            "put a line of names above it"
        )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
