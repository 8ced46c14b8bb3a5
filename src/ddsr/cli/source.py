"""Tables in files. The column names are read first, so that an unusable file is refused early."""

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

from ddsr.cli.interrupt import TwoStepInterrupt
from ddsr.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

MOST_COLUMNS = 10_000
# Characters: a longer header has too many columns, or is not a header.
LONGEST_HEADER = 2**20
DELIMITERS = (",", "\t", ";", "|")
WHITESPACE = r"\s+"
PARQUET_SUFFIXES = (".parquet", ".pq")
# The name under which pandas stores row numbers in Parquet.
UNNAMED_INDEX = re.compile(r"__index_level_\d+__")
SPREADSHEET_SUFFIXES = (".xlsx", ".xls", ".ods")


@dataclass(frozen=True)
class Source(ABC):
    """A file and the names of its columns."""

    path: Path
    names: tuple[str, ...]

    @abstractmethod
    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """Read these columns, as they are in the file."""


@dataclass(frozen=True)
class TextSource(Source):
    """A text file of delimited values, perhaps compressed by gzip."""

    delimiter: str
    decimal: str

    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """Read these columns; columns without text become numbers."""
        import pandas as pd

        with (
            refusing_unreadable(self.path),
            warnings.catch_warnings(),
            TwoStepInterrupt() as interrupt,
        ):
            # Read all columns: with a selection, pandas silently cuts rows that are too long.
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
                if interrupt.count:  # pandas turns an interrupt into a parser error
                    raise KeyboardInterrupt from None
                reason = str(error).removeprefix("Error tokenizing data. C error: ").strip()
                raise InputError(
                    f"{self.path} is not a table with {len(self.names)} columns: {reason}"
                ) from None
        if len(frame.columns) != len(self.names):  # delimiters within quotes
            raise InputError(
                f"{self.path} has {len(self.names)} column names but {len(frame.columns)} columns: "
                "separate the names like the values, for example by commas"
            )
        frame.columns = list(self.names)
        return frame[list(names)]


@dataclass(frozen=True)
class ParquetSource(Source):
    """A Parquet file."""

    def read(self, names: Sequence[str]) -> pd.DataFrame:
        """Read these columns; a null is a missing value."""
        pyarrow, parquet = _import_pyarrow()
        with refusing_unreadable(self.path, pyarrow.ArrowException):
            table = parquet.read_table(self.path, columns=list(names))
            # The metadata of pandas would turn columns back into an index.
            return table.to_pandas(ignore_metadata=True)


def open_source(path: str | Path) -> Source:
    """Detect the format of a file and read its column names."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a table")
    if not path.exists():
        raise InputError(f"there is no file {path}")
    if not path.is_file():
        raise InputError(f"{path} is not a regular file: save the table to a file first")
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
    """Turn errors of reading a file into messages of one line."""
    try:
        yield
    except UnicodeDecodeError:
        raise InputError(
            f"{path} is not UTF-8 text. Supported formats: CSV and TSV (plain or gzipped), Parquet."
        ) from None
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a complete gzip file: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except more as error:
        raise InputError(f"cannot read {path}: {str(error).splitlines()[0]}") from None


def _open_text(path: Path) -> TextSource:
    opened = gzip.open if _is_gzip(path) else open
    with refusing_unreadable(path), opened(path, "rt", encoding="utf-8-sig", newline="") as stream:
        head = str(stream.read(LONGEST_HEADER))
    if "\0" in head:
        raise InputError(
            f"{path} is not a text file. Supported formats: CSV and TSV (plain or gzipped), Parquet."
        )
    lines = [line for line in head.splitlines() if line.strip()]
    if not lines:
        raise InputError(f"{path} is empty")
    n_lines = _lines_of_names(lines)
    header, rows = "\n".join(lines[:n_lines]), lines[n_lines:]
    stem = path.name.lower().removesuffix(".gz")
    delimiter = "\t" if stem.endswith(".tsv") else _delimiter_of(header)
    has_no_end = len(head) == LONGEST_HEADER and not rows
    if has_no_end or _is_too_wide(header, delimiter):
        raise InputError(f"{path} has more than {MOST_COLUMNS:,} columns: remove those that cannot matter")
    names = _split(head, delimiter)
    decimal = "," if delimiter == ";" and rows and "," in rows[0] else "."
    return TextSource(path, tuple(name.strip() for name in names), delimiter, decimal)


def _open_parquet(path: Path) -> ParquetSource:
    pyarrow, parquet = _import_pyarrow()
    with refusing_unreadable(path, pyarrow.ArrowException):
        metadata = parquet.read_metadata(path)
        if metadata.num_columns > MOST_COLUMNS:
            raise InputError(
                f"{path} has more than {MOST_COLUMNS:,} columns: remove those that cannot matter"
            )
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
    """Return the number of header lines: more than one if a quoted name contains a line break."""
    is_open = False
    for number, line in enumerate(lines, 1):
        is_open ^= line.count('"') % 2 == 1
        if not is_open:
            return number
    return 1


def _delimiter_of(line: str) -> str:
    """Return the delimiter that splits the header into the most names; whitespace if no other splits it."""
    counts = {delimiter: line.count(delimiter) for delimiter in DELIMITERS}
    if not any(counts.values()):
        return WHITESPACE
    return max(DELIMITERS, key=lambda delimiter: len(_split(line, delimiter)) if counts[delimiter] else 0)


def _is_too_wide(line: str, delimiter: str) -> bool:
    n_gaps = len(line.split()) - 1 if delimiter == WHITESPACE else line.count(delimiter)
    return n_gaps >= MOST_COLUMNS


def _split(text: str, delimiter: str) -> list[str]:
    """Split the first line that is not blank."""
    if delimiter == WHITESPACE:
        return text.lstrip().splitlines()[0].split()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True)
    try:
        return next((row for row in reader if any(part.strip() for part in row)), [])
    except csv.Error as error:
        raise InputError(f"cannot read the line of column names: {error}") from None


def _check_names(source: Source) -> None:
    for number, name in enumerate(source.names, 1):
        if not name:
            raise InputError(
                f"column {number} of {source.path} has no name: name it or remove it "
                "(with pandas, write the file with to_csv(index=False))"
            )
    repeated = [name for name, count in Counter(source.names).items() if count > 1]
    if repeated:
        raise InputError(f"{source.path} has more than one column {repeated[0]!r}: rename all but one")
    if all(map(is_number, source.names)):
        raise InputError(
            f"the first line of {source.path} has numbers instead of column names: "
            "add a line with the names of the columns"
        )


def is_number(text: str) -> bool:
    """Return whether a text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
