"""Which files can be read as a table, and which are refused before reading."""

import gzip
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from command_cases import write_table
from ddsr.cli.reading import Columns, read_training_data
from ddsr.cli.source import MOST_COLUMNS, open_source
from ddsr.data.preparation import TableOptions
from ddsr.errors import DDSRError, InputError

ROWS = [["a", "b c", "y"], ["1", "2.5", "3"], ["-4e1", "0.5", "6"]]


def joined(delimiter: str) -> str:
    return "".join(delimiter.join(row) + "\n" for row in ROWS)


def check_rows(path) -> None:
    source = open_source(path)
    assert source.names == ("a", "b c", "y")
    frame = source.read(["y", "a"])
    assert frame["a"].tolist() == [1.0, -40.0] and frame["y"].tolist() == [3.0, 6.0]


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [("d.csv", ","), ("d.csv", ";"), ("d.txt", "\t"), ("d.tsv", "\t"), ("d.csv", "|"), ("d.dat", ", ")],
)
def test_delimiters(tmp_path, name, delimiter):
    check_rows(write_table(tmp_path / name, joined(delimiter)))


def test_gzip(tmp_path):
    path = tmp_path / "d.csv.gz"
    path.write_bytes(gzip.compress(joined(",").encode()))
    check_rows(path)


def test_byte_order_mark_windows_lines_and_blank_lines(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n" + joined(",").replace("\n", "\r\n").encode() + b"\r\n")
    check_rows(path)


def test_columns_with_blanks_between(tmp_path):
    source = open_source(write_table(tmp_path / "d.txt", "  a   y\n  1   2\n 3  4\n"))
    assert source.names == ("a", "y")
    assert source.read(["y"])["y"].tolist() == [2, 4]


def test_decimal_commas(tmp_path):
    source = open_source(write_table(tmp_path / "d.csv", "a;y\n1,5;2\n3;4,25\n"))
    assert source.read(["a", "y"]).to_numpy().tolist() == [[1.5, 2.0], [3.0, 4.25]]


def test_quoted_names(tmp_path):
    source = open_source(write_table(tmp_path / "d.csv", '"a,1","say ""x""",y\n1,2,3\n'))
    assert source.names == ("a,1", 'say "x"', "y")


def test_a_line_break_in_a_quoted_name(tmp_path):
    """Spreadsheets write wrapped headings like this."""
    path = tmp_path / "wrapped.csv"
    path.write_text('"length\n[m]";"a;b";y\n1,5;2;3\n2,5;4;5\n')
    source = open_source(path)
    assert source.names == ("length\n[m]", "a;b", "y")
    assert source.read(["length\n[m]", "y"]).to_numpy().tolist() == [[1.5, 3.0], [2.5, 5.0]]


def test_parquet(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [1.0, np.nan], "b": [1, 2], "when": ["x", "y"]})
    frame.to_parquet(tmp_path / "d.parquet")
    source = open_source(tmp_path / "d.parquet")
    assert source.names == ("a", "b", "when")
    assert source.read(["b"])["b"].tolist() == [1, 2]


def test_an_index_of_pandas_in_parquet(tmp_path):
    """An index with a name becomes a column, one without a name does not."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "y": [4, 5, 6]})
    frame.set_index("a").to_parquet(tmp_path / "named.parquet")
    named = open_source(tmp_path / "named.parquet")
    assert sorted(named.names) == ["a", "y"]
    assert named.read(["a", "y"]).to_numpy().tolist() == [[1, 4], [2, 5], [3, 6]]
    frame[frame["y"] > 4].to_parquet(tmp_path / "unnamed.parquet")
    unnamed = open_source(tmp_path / "unnamed.parquet")
    assert unnamed.names == ("a", "y")
    assert unnamed.read(["y"])["y"].tolist() == [5, 6]


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(InputError, match="is not a regular file"):
        open_source(tmp_path / "pipe.csv")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("d.csv", b"", "is empty"),
        ("d.csv", b"\n\n", "is empty"),
        ("d.csv", b"a,,y\n1,2,3\n", "column 2 of .* has no name"),
        ("d.csv", b"a,a,y\n1,2,3\n", "more than one column 'a'"),
        ("d.csv", b"1.5,2,3\n1,2,3\n", "numbers instead of column names"),
        ("d.csv", b"a\0b,c\n", "not a text file"),
        ("d.csv", "größe,y\n1,2\n".encode("latin-1"), "not UTF-8 text"),
        ("d.csv.gz", b"a,b\n1,2\n", "not a complete gzip file"),
        ("d.csv.gz", gzip.compress(b"a,b\n1,2\n" * 999, mtime=0)[:-20], "not a complete gzip file"),
        ("d.parquet", b"a,b\n1,2\n", "cannot read"),
        ("d.xlsx", b"PK", "save it as CSV"),
    ],
)
def test_invalid_tables_are_refused(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        source = open_source(path)
        source.read(source.names)


@pytest.mark.parametrize("rows", ["1,2,3\n4,5,6,7\n", "1,2,3,4\n5,6,7,8\n"])
def test_rows_that_are_too_long_are_refused(tmp_path, rows):
    source = open_source(write_table(tmp_path / "d.csv", "a,b,y\n" + rows))
    with pytest.raises(InputError, match="3 columns"):
        source.read(["a", "y"])


def test_missing_files_and_folders_are_refused(tmp_path):
    with pytest.raises(InputError, match="there is no file .*nowhere.csv"):
        open_source(tmp_path / "nowhere.csv")
    with pytest.raises(InputError, match="is a folder"):
        open_source(tmp_path)


def test_a_million_columns_are_refused_at_once(tmp_path):
    names = ",".join(f"x{k}" for k in range(1_000_000))
    path = write_table(tmp_path / "d.csv", names + "\n" + ",".join(["1"] * 1_000_000) + "\n")
    with pytest.raises(InputError, match=f"more than {MOST_COLUMNS:,} columns"):
        open_source(path)
    narrow = ",".join(f"x{k}" for k in range(MOST_COLUMNS))
    assert len(open_source(write_table(tmp_path / "e.csv", narrow + "\n")).names) == MOST_COLUMNS
    with pytest.raises(InputError, match="columns"):
        open_source(write_table(tmp_path / "f.csv", narrow + ",one_more\n"))


def test_parquet_says_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"ddsr\[parquet\]"):
        open_source(write_table(tmp_path / "d.parquet", ""))


CELLS = st.sampled_from([*"abyxé,;\t|\"' \n\r.-+0123456789", "nan", "inf", "1e400", "\0", "NA"])


@given(st.lists(CELLS, max_size=60).map("".join))
@example('"a "')
def test_any_text_is_read_or_refused(text):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "d.csv"
        path.write_bytes(text.encode())
        check_read_or_refused(path)


@given(st.binary(max_size=80), st.sampled_from(["d.csv", "d.csv.gz", "d.parquet"]))
def test_any_bytes_are_read_or_refused(content, name):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        check_read_or_refused(path)


def check_read_or_refused(path: Path) -> None:
    try:
        names = open_source(path).names
        data = read_training_data(str(path), Columns(names[-1]), options=TableOptions(missing="drop"))
    except DDSRError as error:
        assert str(error)
    else:
        assert np.isfinite(data.X).all() and np.isfinite(data.y).all() and len(data.y) >= 5
