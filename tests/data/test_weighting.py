"""Weights are relative, counts repeat rows, and neither depends on the magnitude of the numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest

from ddsr import DataError, DDSRRegressor, RunFolder, Vocabulary
from ddsr.data.dataset import Dataset
from ddsr.data.weighting import Weighting, relative_weights
from ddsr.engine import Engine

rng = np.random.default_rng(0)
X = rng.uniform(0.5, 10.0, size=(60, 1))
Y = 3.0 * np.sqrt(X[:, 0]) + 0.1 * rng.normal(size=60)
WEIGHTS = rng.uniform(0.1, 3.0, size=60)
COUNTS = rng.integers(0, 4, size=60)
NUMBERS = ["complexity", "loss", "r2", "description_length"]


def small(**parameters):
    """A default search that takes a tenth of a second."""
    settings = {"max_epochs": 1, "random_state": 0, "model_selection": "best", "prior": None} | parameters
    return DDSRRegressor(**settings, config={"evaluations_per_epoch": 200, "max_length": 9})


@pytest.fixture(scope="module")
def unweighted():
    """A fit without weights."""
    return small().fit(X, Y)


@pytest.fixture(scope="module")
def weighted():
    """A fit with weights, in their original unit."""
    return small(model_selection="description_length").fit(X, Y, sample_weight=WEIGHTS)


def guessed(**parameters):
    """A search reduced to its deterministic part: the baseline and guesses, fitted."""
    config = {"max_length": 5, "batch_size": 2}
    guesses = ["C * sqrt(x0)", "C * x0 + C"]
    return DDSRRegressor(
        "uniform", max_epochs=1, random_state=0, config=config, guesses=guesses, **parameters
    )


@pytest.mark.parametrize("factor", [16.0, 1 / 3, 1e300])
def test_the_unit_of_weights_changes_no_bit(factor, weighted):
    other = small(model_selection="description_length").fit(X, Y, sample_weight=factor * WEIGHTS)
    pd.testing.assert_frame_equal(weighted.equations_, other.equations_, check_exact=True)
    assert weighted.outcomes_[0].n_counted == other.outcomes_[0].n_counted


@pytest.mark.parametrize("factor", [2.0**-900, 16.0, 1 / 3, np.pi, 1e300, 1e-300])
def test_relative_weights_have_no_unit(factor):
    np.testing.assert_array_equal(relative_weights(factor * WEIGHTS), relative_weights(WEIGHTS))


@pytest.mark.parametrize("weight", [16.0, 0.3, 1e308, 5e-324])
def test_equal_weights_change_nothing(weight, unweighted):
    second = small().fit(X, Y, sample_weight=np.full(60, weight))
    pd.testing.assert_frame_equal(unweighted.equations_, second.equations_, check_exact=True)


@pytest.mark.parametrize(
    ("weights", "counts", "n_counted", "n_observed"),
    [
        (None, None, 4, 4),
        (None, [1, 2, 0, 3], 6, 6),
        ([2.0, 2.0, 0.0, 2.0], None, 3, 3),
        ([1.0, 2.0, 0.0, 3.0], None, 3, 3),  # 36 / 14 = 2.57
        ([1.0, 1.0, 1.0, 1e-9], None, 3, 4),
        ([1.0, 1.0, 1.0, 1e-9], [2, 1, 1, 5], 4, 9),
        ([1.0, 1.0, 1.0, 9.0], [1, 1, 1, 1], 2, 4),  # 144 / 84 = 1.71
        ([1e308, 1e308, 1e308, 1e-300], None, 3, 3),
    ],
)
def test_rows_are_worth_kishs_effective_number(weights, counts, n_counted, n_observed):
    arrays = (None if part is None else np.array(part, dtype=float) for part in (weights, counts))
    found = Weighting.of(*arrays, np.array([3.0, -1.0, 2.0, 0.5]))
    assert (found.n_counted, found.n_observed) == (n_counted, n_observed)


@pytest.mark.parametrize("power", [1, 2])
def test_weights_that_state_how_errors_grow_with_y_make_no_row_worth_less(power):
    y = np.geomspace(1e-3, 1e3, 40)
    assert Weighting.of(y**-power, None, y).n_counted == 40
    assert Weighting.of(y**power, None, y).n_counted < 10


def test_relative_weights_keep_their_ratios():
    relative = relative_weights(WEIGHTS)
    np.testing.assert_allclose(relative / relative[0], WEIGHTS / WEIGHTS[0], rtol=1e-9)
    np.testing.assert_array_equal(relative, relative_weights(relative))


@pytest.mark.parametrize("selection", ["accuracy", "best", "description_length"])
def test_counts_are_copies_of_rows(selection):
    counted = guessed(model_selection=selection).fit(X, Y, counts=COUNTS)
    repeated = guessed(model_selection=selection).fit(np.repeat(X, COUNTS, axis=0), np.repeat(Y, COUNTS))
    assert counted.outcomes_[0].n_counted == COUNTS.sum() and counted.has_counts_
    pd.testing.assert_frame_equal(counted.equations_[NUMBERS], repeated.equations_[NUMBERS], rtol=1e-6)
    assert (counted.equations_["is_best"] == repeated.equations_["is_best"]).all()
    errors = [model.confidence_intervals()["standard_error"] for model in (counted, repeated)]
    np.testing.assert_allclose(*errors, rtol=1e-4)


def test_counts_repeat_weighted_rows_too():
    weighted = guessed(model_selection="description_length").fit(X, Y, WEIGHTS, COUNTS)
    rows = np.repeat(np.arange(60), COUNTS)
    repeated = guessed(model_selection="description_length").fit(X[rows], Y[rows], WEIGHTS[rows])
    pd.testing.assert_frame_equal(weighted.equations_[NUMBERS], repeated.equations_[NUMBERS], rtol=1e-6)


def test_rows_with_a_count_of_zero_are_not_there():
    holes = np.where(COUNTS[:, None] > 0, X, np.inf)
    data = Dataset.of(holes, Y, WEIGHTS, COUNTS, names=[f"x{column}" for column in range(X.shape[1])])
    assert np.isfinite(data.X).all() and len(data.X) == len(data.y) == len(data.counts) == (COUNTS > 0).sum()
    other = data.with_target(-Y)
    np.testing.assert_array_equal(other.y, -data.y)
    assert other.X is data.X


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (np.full(60, 0.5), "whole number"),
        (np.full(60, -1), "whole number"),
        (np.zeros(60), "zero in every row"),
        (np.ones(59), "59 rows"),
        (np.full(60, 1e18), "more than"),
        (np.full(60, np.nan), "NaN"),
    ],
)
def test_counts_are_checked(counts, message):
    with pytest.raises(DataError, match=message):
        small().fit(X, Y, counts=counts)


@pytest.mark.parametrize("given", [{"sample_weight": 1e9 * COUNTS}, {"counts": 10**9 * COUNTS}])
def test_large_weights_and_counts_can_be_saved(given, tmp_path):
    model = guessed().fit(X, Y, **given)
    model.save(tmp_path / "model.json")
    again = DDSRRegressor.load(tmp_path / "model.json")
    assert again.outcomes_[0].n_counted == model.outcomes_[0].n_counted
    pd.testing.assert_frame_equal(again.equations_, model.equations_)
    pd.testing.assert_frame_equal(again.confidence_intervals(), model.confidence_intervals())


def test_a_run_folder_keeps_counts(tmp_path):
    parameters = small(max_epochs=2).get_params(deep=False)
    run = RunFolder.create(
        tmp_path / "run", X, Y, sample_weight=WEIGHTS, counts=COUNTS, parameters=parameters
    )

    def stop(state):
        raise KeyboardInterrupt

    run.fit(stop)
    resumed = RunFolder.open(tmp_path / "run").resume()
    assert (RunFolder.open(tmp_path / "run").data().counts == COUNTS).all()
    whole = small(max_epochs=2).fit(X, Y, WEIGHTS, COUNTS)
    pd.testing.assert_frame_equal(resumed.equations_, whole.equations_)


def test_a_sum_of_weights_that_an_earlier_version_wrote_can_be_read(tmp_path):
    guessed().fit(X, Y).save(tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(
        text.replace('"n_counted": 60', f'"n_counted": {10**20}').replace('"n_observed": 60', '"other": 1')
    )
    assert DDSRRegressor.load(tmp_path / "model.json").outcomes_[0].n_observed is None


@pytest.mark.parametrize(
    "weights",
    [[1e308] * 59 + [1e-308], [5e-324] * 30 + [1.0] * 30, [1e308] * 60, np.geomspace(1e-300, 1, 60)],
)
def test_extreme_weights_warn_of_nothing(weights):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = small().fit(X, Y, sample_weight=weights)
    assert np.isfinite(model.predict(X)).all()


def test_an_engine_uses_the_given_counts():
    assert Engine(Vocabulary.of_size(1), X, Y, WEIGHTS, n_counted=7).n_counted == 7
