"""Users' tables: names are kept, and unreadable columns are named in errors."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
import sympy

from ddsr import DataError, DDSRRegressor
from ddsr.data.frames import read_targets

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 3))
TARGET = X[:, 0] * X[:, 1] / X[:, 2]
NAMES = ["I", "beta", "E", "pi", "speed of light", "größe", "a-b", "2x", "sin", "C", "x^2", "S", "None"]


def tiny(**parameters):
    config = {"batch_size": 60, "max_length": 7}
    return DDSRRegressor("uniform", **{"max_epochs": 2, "random_state": 0, "config": config} | parameters)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_names_are_kept_through_every_form(name, table):
    frame = table({"first": X[:, 0], name: X[:, 1]})
    model = tiny(max_epochs=20).fit(frame, X[:, 0] * X[:, 1])
    assert list(model.feature_names_in_) == ["first", name]
    assert model.sympy().free_symbols == {sympy.Symbol("first"), sympy.Symbol(name)}
    assert "first" in model.latex()
    namespace: dict = {}
    exec(model.best_.equation.to_python("f"), namespace)
    np.testing.assert_allclose(namespace["f"](*X[:, :2].T), model.predict(frame), rtol=1e-12)
    np.testing.assert_allclose(model.predict(frame), X[:, 0] * X[:, 1], rtol=1e-9)


@pytest.mark.parametrize("table", [pd.DataFrame, pl.DataFrame])
def test_predict_checks_the_names(table):
    model = tiny().fit(table({"a": X[:, 0], "b": X[:, 1]}), TARGET)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table({"b": X[:, 0], "a": X[:, 1]}))
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X[:, :2])


def test_every_kind_of_numeric_column_is_read():
    frame = pd.DataFrame(
        {
            "nullable": pd.array(X[:, 0], dtype="Float64"),
            "arrow": pd.array(X[:, 1], dtype="double[pyarrow]"),
            "whole": pd.array(range(40), dtype="Int32"),
            "truth": [True, False] * 20,
        }
    )
    model = tiny(max_epochs=20, config={"max_length": 5}).fit(frame, X[:, 0] * X[:, 1])
    np.testing.assert_allclose(model.predict(frame), X[:, 0] * X[:, 1], rtol=1e-9)


MISSING = {
    "NaN": pd.Series([1.0, np.nan] * 20),
    "nullable NA": pd.Series([1.0, pd.NA] * 20, dtype="Float64"),
    "nullable whole NA": pd.Series([1, pd.NA] * 20, dtype="Int64"),
    "arrow null": pd.Series([1.0, None] * 20, dtype="double[pyarrow]"),
    "object NA": pd.Series([1.0, pd.NA] * 20, dtype=object),
    "object None": pd.Series([1.0, None] * 20, dtype=object),
    "polars null": pl.Series([1.0, None] * 20),
    "polars whole null": pl.Series([1, None] * 20),
}


@pytest.mark.parametrize("kind", MISSING)
def test_missing_values_are_refused_by_column(kind):
    column = MISSING[kind]
    table = pl.DataFrame if isinstance(column, pl.Series) else pd.DataFrame
    with pytest.raises(DataError, match="X has (NaN|a missing value) in row 1, column 'my col'"):
        tiny().fit(table({"a": X[:, 0], "my col": column}), TARGET)
    with pytest.raises(DataError, match="y (has NaN in row 1|cannot be read as numbers)"):
        tiny().fit(X, column)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"a": X[:, 0], "b": ["text"] * 40}), "column 'b' of X cannot be read as numbers"),
        (pl.DataFrame({"a": X[:, 0], "b": ["text"] * 40}), "column 'b' of X cannot be read as numbers"),
        (
            pd.DataFrame({"a": X[:, 0], "t": pd.date_range("2020", periods=40)}),
            "column 't' of X contains dates",
        ),
        (pd.DataFrame(X, columns=["a", "b", "a"]), "several columns named 'a'"),
        (pd.DataFrame(X, columns=["a", "", "b"]), "column 1 of X has an empty name"),
        (
            pd.DataFrame(X, columns=pd.Index(["a", "\ud800", "b"], dtype=object)),
            r"column 1 of X, '\\ud800', is not valid text",
        ),
        (pl.LazyFrame({"a": X[:, 0]}), "X is a lazy table"),
        (pd.DataFrame({"a": X[:, 0], "b": np.where(X[:, 1] > 2, np.inf, 1.0)}), "infinite value.*column 'b'"),
    ],
)
def test_errors_name_the_column_of_a_frame(frame, message):
    with pytest.raises(DataError, match=message):
        tiny().fit(frame, TARGET)


@pytest.mark.parametrize(
    "table, message",
    [
        (None, "X is None"),
        (np.empty((0, 3)), r"0 sample\(s\)"),
        (np.ones((1, 3)), "1 sample"),
        (np.float64(3.0), "one row per observation, but has no dimensions. Reshape"),
        (TARGET, "one row per observation, but has one dimension. Reshape"),
        (np.ones((40, 2, 2)), "dim 3"),
        ([[1.0, 2.0], [3.0]] * 20, "X has rows of different lengths"),
        (X * 1j, "Complex data not supported: X must hold real numbers"),
        ({1.0, 2.0}, "must be a string or a real number"),
        (scipy.sparse.csr_array(X), "Sparse data"),
    ],
    ids=["none", "no rows", "one row", "number", "vector", "cube", "ragged", "complex", "set", "sparse"],
)
def test_invalid_tables_are_refused_in_one_line(table, message):
    with pytest.raises(DataError, match=message) as raised:
        tiny().fit(table, TARGET)
    assert "\n" not in str(raised.value)


def test_sparse_columns_are_read_without_a_warning():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray(X[:, 0]), "b": X[:, 1]})
    fitted = tiny().fit(frame, TARGET)
    assert np.array_equal(fitted.predict(frame), fitted.predict(frame.astype(float)))


def test_names_unseen_at_fit_are_named():
    fitted = tiny().fit(pd.DataFrame(X, columns=list("abc")), TARGET)
    with pytest.raises(DataError, match="unseen at fit time:\n- d"):
        fitted.predict(pd.DataFrame(X, columns=list("abd")))


def test_masked_values_are_missing():
    masked = np.ma.array(X, mask=False)
    model = tiny().fit(masked, np.ma.array(TARGET))  # no value is masked
    masked[3, 1] = np.ma.masked
    with pytest.raises(DataError, match=r"X has a missing \(masked\) value in row 3, column 'x1'"):
        tiny().fit(masked, TARGET)
    with pytest.raises(DataError, match=r"X has a missing \(masked\) value in row 3, column 'x1'"):
        model.predict(masked)
    with pytest.raises(DataError, match=r"y has a missing \(masked\) value in row 7"):
        tiny().fit(X, np.ma.array(TARGET, mask=np.arange(40) == 7))


def test_columns_without_text_as_names_are_numbered():
    model = tiny().fit(pd.DataFrame(X), TARGET)
    assert not hasattr(model, "feature_names_in_")
    assert {str(symbol) for symbol in model.sympy().free_symbols} <= {"x0", "x1", "x2"}


def test_targets_of_one_and_of_several_columns():
    assert read_targets([1.0, 2.0]).is_one
    assert read_targets(pd.DataFrame({"b": [1, 2]})).columns.shape == (2, 1)
    several = read_targets(pl.DataFrame({"b": [1, 2], "a": [3, 4]}))
    assert several.names == ("b", "a") and not several.is_one
    assert read_targets([[1, 2], [3, 4]]).names == ("y0", "y1")
    for bad in (np.zeros((2, 2, 2)), np.zeros((2, 0)), np.array([1j, 2.0]), pd.DataFrame({"a": ["x", "y"]})):
        with pytest.raises(DataError, match=r"\by\b"):
            read_targets(bad)


@pytest.mark.parametrize("column", [pd.Series([1.0, 2.0, 3.0]), pl.Series([1.0, 2.0, 3.0])])
def test_a_single_column_is_not_a_table(column):
    with pytest.raises(DataError, match=r"X must be a table, but is a single column: pass X.to_frame\(\)"):
        DDSRRegressor().fit(column, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("table", "way"),
    [
        (pd.DataFrame({"a": [1.0, 2.0, 3.0], "colour": ["red", "green", "red"]}), "categories='one-hot'"),
        (
            np.array([[1.0, "red"], [2.0, "green"], [3.0, "red"]], dtype=object),
            "get_dummies or scikit-learn's OrdinalEncoder, or drop the column",
        ),
    ],
    ids=["frame", "array"],
)
def test_text_is_refused_with_ways_to_encode_it(table, way):
    with pytest.raises(DataError, match=way):
        DDSRRegressor().fit(table, [1.0, 2.0, 3.0])
    with pytest.raises(DataError, match="OrdinalEncoder, or choose another target"):
        DDSRRegressor().fit([[1.0], [2.0]], ["low", "high"])
