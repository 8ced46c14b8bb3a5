"""Tables with missing values, categories and dates, from the fit to a saved model."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ddsr import DDSRRegressor
from ddsr.errors import DataError, MethodError

N = 60
LITTLE = {"batch_size": 40, "max_length": 15}
ALL = {"missing": "impute", "categories": "one-hot", "dates": "days"}


def table():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "a": rng.uniform(1.0, 3.0, N),
            "colour": np.where(rng.uniform(size=N) < 0.5, "red", "blue"),
            "date": pd.date_range("2024-01-05", periods=N, freq="D"),
        }
    )


X = table()
Y = 2.0 * X["a"] + 3.0 * (X["colour"] == "red") + 0.1 * np.arange(N)
HOLED = X.assign(a=X["a"].where(X.index % 10 != 3))
N_HOLES = N // 10


def little(**parameters):
    guess = ["2 * a + 3 * `colour=red` + 0.1 * `date [d]`"] if parameters.get("dates") else []
    return DDSRRegressor("uniform", max_epochs=1, random_state=0, config=LITTLE, guesses=guess, **parameters)


@pytest.fixture(scope="module")
def imputed():
    return little(**ALL).fit(HOLED, Y)


def test_a_model_says_what_was_done(imputed):
    assert list(imputed.feature_names_in_) == ["a", "colour", "date"] and imputed.n_features_in_ == 3
    assert imputed.front_.entries[0].equation.vocabulary.variables == (
        "a",
        "colour=blue",
        "colour=red",
        "date [d]",
    )
    lines = str(imputed).splitlines()
    assert "6 missing values of a replaced by" in lines[-3]
    assert lines[-2:] == [
        "colour is now colour=blue, colour=red",
        "date is now date [d]: days since 2024-01-05",
    ]


def test_new_tables_are_prepared(imputed):
    later = X.iloc[:2].assign(date=["2024-01-06", "2024-03-05"], colour=["red", "blue"], a=[1.0, None])
    prepared = imputed.prepare(later)
    assert list(prepared.columns) == ["a", "colour=blue", "colour=red", "date [d]"]
    assert prepared["date [d]"].tolist() == [1.0, 60.0]
    median = HOLED["a"].median()
    assert prepared["a"].tolist() == [1.0, median]
    assert np.allclose(imputed.predict(later), imputed.to_numpy()(prepared.to_numpy()))
    assert imputed.predict(pl.from_pandas(X)).tolist() == imputed.predict(X).tolist()


def test_unknown_levels_are_zero_with_a_warning(imputed):
    with pytest.warns(UserWarning, match="column 'colour' has 'green' in 1 row"):
        prepared = imputed.prepare(X.iloc[:1].assign(colour="green"))
    assert prepared[["colour=blue", "colour=red"]].to_numpy().tolist() == [[0.0, 0.0]]


def test_a_saved_model_prepares_in_the_same_way(imputed, tmp_path):
    imputed.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.preparation_ == imputed.preparation_ and str(loaded) == str(imputed)
    assert list(loaded.feature_names_in_) == ["a", "colour", "date"]
    assert (loaded.predict(HOLED) == imputed.predict(HOLED)).all()


def test_incomplete_rows_are_dropped():
    both = HOLED[["a"]].assign(b=1.0)
    y = Y.where(Y.index != 0)
    model = little(missing="drop").fit(both, y, sample_weight=np.ones(N), counts=np.ones(N))
    assert str(model).endswith(f"{N_HOLES + 1} of {N} rows with missing values dropped")
    assert len(model.fit_sample_) == N - N_HOLES - 1
    predicted = model.predict(both)
    assert (np.isnan(predicted) == both["a"].isna()).all()
    kept = both["a"].notna() & y.notna()
    assert model.score(both, y) == pytest.approx(model.score(both[kept], y[kept]))
    assert model.plot(both, y).axes
    assert model.outliers(both, y.where(y.index != 30, 1e6)).tolist() == [30]


def test_what_is_dropped_does_not_count():
    rows = HOLED[["a"]]
    model = little(missing="drop").fit(rows, Y)
    other = little().fit(rows.dropna(), Y[rows["a"].notna()])
    assert model.equations_["equation"].tolist() == other.equations_["equation"].tolist()


def test_a_missing_target_is_never_replaced():
    y = Y.astype("Float64").where(Y.index != 0)
    model = little(missing="impute").fit(HOLED[["a"]].to_numpy(), y)
    assert model.preparation_.notes[-1] == f"1 of {N} rows with a missing target or weight dropped"
    assert np.isfinite(model.predict(HOLED[["a"]].to_numpy())).all()
    assert model.preparation_.inputs == ("x0",) and not hasattr(model, "feature_names_in_")


def test_it_works_in_scikit_learn():
    model = little(**ALL)
    assert clone(model).get_params() == model.get_params()
    scores = cross_val_score(model, HOLED, Y, cv=3)
    assert np.isfinite(scores).all()


def test_masked_values_are_missing():
    masked = np.ma.masked_invalid(HOLED[["a"]].to_numpy())
    model = little(missing="drop").fit(masked, Y)
    assert model.preparation_.notes == (f"{N_HOLES} of {N} rows with missing values dropped",)


@pytest.mark.parametrize(
    ("parameters", "rows", "y", "message"),
    [
        ({}, X[["date"]], Y, "column 'date' of X contains dates: pass dates='days'"),
        ({}, X[["colour"]], Y, "'colour' of X cannot be read .* pass categories='one-hot'"),
        ({"dates": "days"}, X, Y, "column 'colour' cannot be read as numbers: it has 'red'|'blue'"),
        ({"missing": "drop"}, HOLED[["a"]] * np.nan, Y, "every row has a missing value"),
        ({"missing": "impute"}, HOLED[["a"]].replace(2.0, np.inf).assign(b=np.inf), Y, "infinite value"),
        ({"missing": "drop"}, HOLED[["a"]], Y[:-1], "y has 59 rows, but X has 60"),
        ({"categories": "one-hot"}, HOLED[["a"]], Y, "NaN in row 3, column 'a'"),
    ],
    ids=range(7),
)
def test_other_tables_are_refused(parameters, rows, y, message):
    with pytest.raises(DataError, match=message):
        DDSRRegressor("uniform", max_epochs=1, **parameters).fit(rows, y)


def test_columns_are_checked_as_in_scikit_learn(imputed):
    with pytest.raises(ValueError, match="feature names should match"):
        imputed.predict(X.rename(columns={"a": "c"}))
    with pytest.raises(MethodError, match="dates must be 'error' or 'days', got 'years'"):
        little(dates="years").fit(X, Y)
