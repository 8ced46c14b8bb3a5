"""Dates, durations, tables without columns and numbers beyond double precision are refused with advice."""

import collections
import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ddsr import DataError, DDSRRegressor
from ddsr.data.checks import check_weights
from ddsr.data.times import check_no_times

X = np.arange(10.0)[:, None]
Y = np.arange(10.0) ** 2
DAYS = pd.date_range("2020-01-01", periods=10)
SPANS = DAYS - DAYS[0]
BIG = 10**400


def objects(values):
    """A column of Python objects."""
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


DATES = {
    "numpy": DAYS.to_numpy(),
    "pandas": pd.Series(DAYS),
    "pandas with a time zone": pd.Series(DAYS.tz_localize("UTC")),
    "index": DAYS,
    "periods": pd.Series(pd.period_range("2020", periods=10, freq="D")),
    "polars": pl.Series(DAYS.to_list()),
    "polars dates": pl.Series([day.date() for day in DAYS]),
    "objects": objects(list(DAYS.to_pydatetime())),
    "list": list(DAYS.to_pydatetime()),
}
DURATIONS = {
    "numpy": SPANS.to_numpy(),
    "pandas": pd.Series(SPANS),
    "polars": pl.Series(SPANS.to_list()),
    "objects": objects([datetime.timedelta(days=day) for day in range(10)]),
    "NumPy's objects": objects([np.timedelta64(day, "D") for day in range(10)]),
    "list": [np.timedelta64(day, "D") for day in range(10)],
}
CASES = [(values, "dates") for values in DATES.values()] + [
    (each, "durations") for each in DURATIONS.values()
]
NAMES = [f"dates {name}" for name in DATES] + [f"durations {name}" for name in DURATIONS]


@pytest.mark.parametrize(("values", "kind"), CASES, ids=NAMES)
def test_targets_are_refused(values, kind):
    with pytest.raises(DataError, match=f"^y contains {kind}: convert them to numbers first"):
        DDSRRegressor(max_epochs=1).fit(X, values)


@pytest.mark.parametrize(("values", "kind"), CASES, ids=NAMES)
def test_inputs_are_refused(values, kind):
    with pytest.raises(DataError, match=f"^column 't' of X contains {kind}"):
        DDSRRegressor(max_epochs=1).fit(pd.DataFrame({"a": Y, "t": values}), Y)
    if isinstance(values, pl.Series):
        with pytest.raises(DataError, match=f"^column 't' of X contains {kind}"):
            DDSRRegressor(max_epochs=1).fit(pl.DataFrame({"a": Y, "t": values}), Y)


@pytest.mark.parametrize(
    "values", [DAYS.to_numpy(), SPANS.to_numpy(), DATES["objects"], DURATIONS["objects"]]
)
def test_arrays_of_inputs_are_refused(values):
    with pytest.raises(DataError, match="^X contains"):
        DDSRRegressor(max_epochs=1).fit(values[:, None], Y)
    with pytest.raises(DataError, match="^sample_weight contains"):
        check_weights(values, 10)


def test_numbers_texts_and_missing_values_are_not_times():
    for values in (
        X,
        Y,
        [1, 2],
        ["2020-01-01"],
        [None, pd.NaT, np.nan],
        pd.DataFrame({"date": Y}),
        3.0,
        None,
    ):
        check_no_times(values, "X")


@pytest.mark.parametrize("table", [pd.DataFrame({"a": Y})[[]], pl.DataFrame(), np.zeros((10, 0))])
def test_tables_without_columns_are_refused(table):
    with pytest.raises(DataError, match=r"X has 0 feature\(s\).*select at least one column"):
        DDSRRegressor(max_epochs=1).fit(table, Y)


@pytest.mark.parametrize(
    ("rows", "target", "message"),
    [
        (X, [1] * 9 + [BIG], "y has a number above 1.8e308 in row 9"),
        (X, pd.Series([1] * 9 + [-BIG]), "y has a number above 1.8e308 in row 9"),
        (X, objects([10**5000] * 10), "y has a number above 1.8e308 in row 0"),
        ([[1, 1]] * 9 + [[1, BIG]], Y, "X has a number above 1.8e308 in row 9, column 'x1'"),
        (pd.DataFrame({"a": [1] * 9 + [BIG]}), Y, "X has a number above 1.8e308 in row 9, column 'a'"),
    ],
)
def test_numbers_of_many_digits_are_refused(rows, target, message):
    with pytest.raises(DataError, match=message):
        DDSRRegressor(max_epochs=1).fit(rows, target)


DAYS = [datetime.datetime(2020, 1, day) for day in range(1, 6)]


@pytest.mark.parametrize(
    "values",
    [
        pd.Series(pd.Categorical(DAYS)),
        pd.DataFrame({"a": range(5), "t": pd.Categorical(DAYS)}),
        pa.array(DAYS),
        pa.array(DAYS).dictionary_encode(),
        pa.chunked_array([DAYS]),
        pa.table({"t": DAYS}),
        collections.deque(DAYS),
    ],
    ids=["categories", "a column of categories", "Arrow", "dictionary", "chunks", "Arrow's table", "deque"],
)
def test_dates_in_other_containers_are_refused(values):
    with pytest.raises(DataError, match="contains dates"):
        check_no_times(values, "X")


def test_numbers_in_other_containers_are_not_times():
    for values in (
        pa.array([1.0]),
        pa.table({"x": [1]}),
        pd.DataFrame({"a": pd.Categorical([1, 2])}),
        range(3),
    ):
        check_no_times(values, "X")


def test_scores_of_times_are_refused():
    X = np.arange(1.0, 6.0)[:, None]
    model = DDSRRegressor("uniform", max_epochs=1).fit(X, X[:, 0])
    with pytest.raises(DataError, match="contains durations"):
        model.score(X, np.arange(5).astype("timedelta64[h]"))
