"""Missing values, categories and dates become numbers, in new tables as in the first."""

import datetime
import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from ddsr.data.columns import as_dates, as_numbers, columns_of
from ddsr.data.preparation import Preparation, TableOptions
from ddsr.errors import DataError, MethodError

ALL = TableOptions(missing="impute", categories="one-hot", dates="days")
DATES = ["2024-01-05", "2024-01-06", None, "2024-02-05"]
DAYS = [0.0, 1.0, np.nan, 31.0]


def table():
    return pd.DataFrame(
        {
            "size": [1.0, np.nan, 3.0, 10.0],
            "colour": ["red", None, "blue", "red"],
            "day": pd.to_datetime(DATES),
            "is_on": [True, False, True, True],
        }
    )


def prepared(frame, options=ALL):
    return Preparation.of(columns_of(frame), options)


def test_a_table_becomes_numbers():
    found = prepared(table())
    assert found.inputs == ("size", "colour", "day", "is_on")
    assert found.names == ("size", "colour=blue", "colour=red", "day [d]", "is_on")
    expected = [[1, 0, 1, 0, 1], [3, 0, 1, 1, 0], [3, 1, 0, 1, 1], [10, 0, 1, 31, 1]]
    assert found.apply(table()).tolist() == expected
    assert list(found.notes) == [
        "1 missing value of size replaced by 3, the median",
        "colour is now colour=blue, colour=red",
        "1 missing value of colour replaced by red, the most frequent",
        "day is now day [d]: days since 2024-01-05",
        "1 missing value of day replaced by 2024-01-06, the median",
    ]


def test_missing_values_stay_where_they_are_not_replaced():
    found = prepared(table(), TableOptions(missing="drop", categories="one-hot", dates="days"))
    assert np.isnan(found.apply(table())).sum(axis=1).tolist() == [0, 3, 1, 0]
    assert np.array_equal(found.apply(table())[:, 3], DAYS, equal_nan=True)


def test_new_tables_are_prepared_like_the_first():
    found = prepared(table())
    again = Preparation.from_json(json.loads(json.dumps(found.to_json())))
    assert again == found
    new = {
        "is_on": [0],
        "day": ["2024-01-04T12:00"],
        "colour": np.array(["green"], dtype=object),
        "size": [np.nan],
    }
    assert again.apply(new).tolist() == [[3.0, 0.0, 0.0, -0.5, 0.0]]
    (line,) = again.unknown_levels(new)
    assert line.startswith("column 'colour' has 'green' in 1 row, which was not in the fit")
    assert "such as 'green'" in again.unknown_levels(new | {"colour": ["green", "red", "grey"]})[0]


def test_prepared_tables_stay_as_they_are():
    found = prepared(table())
    numbers = pd.DataFrame(found.apply(table()), columns=list(found.names))
    assert found.done.names == found.names and found.done.notes == found.notes
    assert (found.done.apply(numbers) == numbers.to_numpy()).all()


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.to_datetime(DATES)),
        pd.Series(pd.to_datetime(DATES)).dt.tz_localize("UTC").dt.tz_convert("Asia/Tokyo"),
        pd.Series(DATES),
        pd.Series(pd.PeriodIndex(DATES, freq="D")),
        pl.Series(DATES).str.to_date(),
        pl.Series(DATES).str.to_datetime(),
        np.array(DATES, dtype="datetime64[D]"),
        np.array([date and datetime.date.fromisoformat(date) for date in DATES], dtype=object),
        [date and f"{date}T02:00:00+02:00" for date in DATES],
        [date and f"{date} 00:00:00Z" for date in DATES],
    ],
    ids=range(10),
)
def test_dates_of_all_kinds(values):
    found = as_dates(values)
    assert np.array_equal((found - found[0]) / np.timedelta64(1, "D"), DAYS, equal_nan=True)


@pytest.mark.parametrize("values", [[1.0, 2.0], ["a", "b"], ["2024-01-05", "5.1.2024"], [None, None]])
def test_other_columns_are_no_dates(values):
    assert as_dates(pd.Series(values)) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (pd.Series([1, None, 3], dtype="Int64"), [1.0, np.nan, 3.0]),
        (pl.Series([1, None, 3]), [1.0, np.nan, 3.0]),
        (pd.Series(["1", "2.5"]), [1.0, 2.5]),
        (pd.Series([True, None], dtype="boolean"), [1.0, np.nan]),
        (pd.Series(["a", 1.0]), None),
        (pd.to_datetime(pd.Series(DATES)), None),
        (np.array([1 + 1j]), None),
    ],
    ids=range(7),
)
def test_numbers_of_all_kinds(values, expected):
    found = as_numbers(values)
    assert expected is None if found is None else np.array_equal(found, expected, equal_nan=True)


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(["b", "a"]),
        pd.Series(["b", "a"], dtype="category"),
        pd.Series([2, 1], dtype="category"),
        pl.Series(["b", "a"], dtype=pl.Categorical),
        pl.Series(["b", "a"], dtype=pl.Enum(["b", "a", "c"])),
    ],
    ids=range(5),
)
def test_categories_of_all_kinds(values):
    found = Preparation.of([("k", values)], ALL)
    assert found.apply({"k": values}).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_a_category_of_whole_numbers_is_known_as_decimals():
    found = Preparation.of([("k", pd.Series([2, 1], dtype="category"))], ALL)
    assert found.names == ("k=1", "k=2") and found.apply({"k": [2.0]}).tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"a": [np.nan, np.nan]}, "column 'a' has no values"),
        ({"a": [str(number) + "x" for number in range(40)]}, "'a' has 40 different texts, more than 30"),
        ({"a": [1.0, 2.0, "x"]}, "column 'a' cannot be read as numbers: it has 'x' in row 2"),
        ({"a": ["x", "y"], "a=x": [1.0, 2.0]}, "two columns would be named 'a=x'"),
    ],
)
def test_what_cannot_be_prepared_is_refused(frame, message):
    with pytest.raises(DataError, match=message):
        prepared(pd.DataFrame(frame))


def test_a_column_that_had_dates_needs_them_again():
    with pytest.raises(DataError, match="column 'day' had dates in the fit"):
        prepared(table()).apply(table().assign(day=[1.0, 2.0, 3.0, 4.0]))


def test_options_are_checked():
    with pytest.raises(MethodError, match="missing must be 'error', 'drop' or 'impute', got 'ignore'"):
        TableOptions(missing="ignore")
