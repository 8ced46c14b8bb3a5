"""How sure a model is: weights of forms, intervals, and where to measure next."""

import numpy as np
import pandas as pd
import pytest

from ddsr import DDSRRegressor, Engine, Expression, Vocabulary
from ddsr.errors import DataError
from ddsr.price.noise import size_where_errors_are_measured
from ddsr.search.front import FrontEntry
from ddsr.selection.averaging import Prediction, informative_rows, interval, predict_forms
from ddsr.selection.judged import Selected
from ddsr.selection.posterior import Form, form_key, forms_of
from ddsr.selection.select import select

VOCABULARY = Vocabulary(["x"], ("add", "sub", "mul", "div", "exp", "pow", "log", "sqrt"))
X = np.array([0.3, 0.5, 0.8, 1.2, 2.0, 3.0, 4.0, 5.0, 7.0, 9.0, 12.0, 15.0])
Y = 7.3 * X / (1.9 + X) * (1.0 + 0.04 * np.random.default_rng(3).normal(size=12))
CANDIDATES = ("7.3 * x / (1.9 + x)", "6.1 * (1 - exp(-0.5 * x))", "2.1 * x^0.5", "1.3 * x")
LITTLE = {"evaluations_per_epoch": 300, "max_length": 12}


def engine() -> Engine:
    return Engine(VOCABULARY, X[:, None], Y)


def found():
    return select([Expression.parse(text, VOCABULARY) for text in CANDIDATES], engine())


@pytest.fixture(scope="module")
def model() -> DDSRRegressor:
    searched = DDSRRegressor("ddsr:generator=none", max_epochs=1, random_state=0, config=LITTLE, prior=None)
    return searched.fit(pd.DataFrame({"x": X}), Y)


def test_weights_fall_and_are_shares_of_one():
    forms = forms_of(found(), engine())
    weights = [form.weight for form in forms]
    assert weights == sorted(weights, reverse=True)
    assert 0.99 < sum(weights) <= 1.0 + 1e-12
    assert len({form_key(form.entry.equation) for form in forms}) == len(forms)


@pytest.mark.parametrize("is_first", [False, True])
def test_another_notation_with_a_fixed_constant_is_the_same_form(is_first):
    """It is shown in the notation of the choice, with the weight of the shortest."""
    texts = ("7.43 / (1 + 2 / x)", "7.3 * x / (1.9 + x)", "6.1 * (1 - exp(-0.5 * x))")
    judged = [
        Selected(Expression.parse(text, VOCABULARY), (True,) * 3, nrmse, length)
        for text, nrmse, length in zip(texts, (0.12, 0.11, 0.2), (3.0, 2.0, 4.0), strict=True)
    ]
    assert form_key(judged[0].expression) != form_key(judged[1].expression)
    forms = forms_of(judged if is_first else [judged[1], judged[0], judged[2]], engine())
    assert [str(form.entry.equation) for form in forms] == [texts[0 if is_first else 1], texts[2]]
    assert forms[0].weight == pytest.approx(1.0 / (1.0 + np.exp(-2.0)))


def test_two_notations_of_an_exact_form_are_one():
    """Their errors are rounding, and differ."""
    texts = ("2.5 / (1 + 2 / x)", "2.5 * x / (2 + x)")
    judged = [
        Selected(Expression.parse(text, VOCABULARY), (True,) * 2, nrmse, -100.0)
        for text, nrmse in zip(texts, (3e-16, 1e-16), strict=True)
    ]
    assert len(forms_of(judged, Engine(VOCABULARY, X[:, None], 2.5 * X / (2.0 + X)))) == 1


def test_a_nat_is_a_factor_of_e():
    first, second = forms_of(found(), engine())[:2]
    expected = np.exp(first.entry.nats - second.entry.nats)
    assert second.weight / first.weight == pytest.approx(expected)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("7.3 * x / (1.9 + x)", "2.1 * x / (3 + x)", True),
        ("7.3 * x / (1.9 + x)", "x / (0.73 + 0.37 * x)", True),
        ("2.3 * x^2", "1.7 * x^3", False),
        ("2.3 * x", "2.3 * x + 1.7", False),
    ],
)
def test_equations_of_one_form_differ_by_their_constants(one, other, is_same):
    keys = [form_key(Expression.parse(text, VOCABULARY)) for text in (one, other)]
    assert (keys[0] == keys[1]) == is_same


def test_the_table_begins_with_the_likeliest(model):
    table = model.forms_
    assert list(table.columns) == ["weight", "description_length", "r2", "n_constants", "equation"]
    assert table["weight"].is_monotonic_decreasing and 0.0 < table["weight"].sum() <= 1.0 + 1e-12


def test_intervals_hold_the_likeliest_form_and_widen_with_the_level():
    forms, rows = forms_of(found(), engine()), np.linspace(0.3, 15.0, 20)[:, None]
    said = predict_forms(forms, rows, spread=engine().spread, n_observed=12, size_of_y=None)
    narrow, wide = (interval(said, level, of_measurements=True) for level in (0.5, 0.95))
    assert narrow.shape == (20, 2)
    assert (wide[:, 0] < narrow[:, 0]).all() and (narrow[:, 1] < wide[:, 1]).all()
    assert ((wide[:, 0] < said.values[0]) & (said.values[0] < wide[:, 1])).all()


def test_an_interval_of_a_model_has_a_low_and_a_high_end(model):
    ends = model.predict_interval(pd.DataFrame({"x": X}))
    assert ends.shape == (12, 2) and (ends[:, 0] < ends[:, 1]).all()


def test_relative_noise_is_a_share_of_the_prediction():
    t = np.linspace(0.0, 12.0, 40)
    law = 12.4 * np.exp(-0.37 * t)  # over two decades
    y = law * (1.0 + 0.05 * np.random.default_rng(0).normal(size=40))
    weighted = Engine(VOCABULARY, t[:, None], y, sample_weight=1.0 / law**2)
    chosen = select([Expression.parse("12.4 * exp(-0.37 * x)", VOCABULARY)], weighted)
    said = predict_forms(
        forms_of(chosen, weighted),
        t[:, None],
        spread=weighted.spread,
        n_observed=40,
        size_of_y=size_where_errors_are_measured(y),
    )
    relative = said.noise[0] / said.values[0]
    expected = np.sqrt(np.sum((y / said.values[0] - 1.0) ** 2) / 38)
    assert np.ptp(relative) < 1e-9 and relative[0] == pytest.approx(expected, rel=0.05)


def test_a_form_that_is_undefined_leaves_the_interval_to_the_others():
    both = prediction([[2.0, np.nan], [2.1, 2.1]], [0.5, 0.5])
    ends = interval(both, 0.9, of_measurements=True)
    alone = interval(prediction([[2.1]], [1.0]), 0.9, of_measurements=True)
    assert np.isfinite(ends).all() and np.allclose(ends[1], alone[0])
    nobody = interval(prediction([[np.nan]], [1.0]), 0.9, of_measurements=True)
    assert np.isnan(nobody).all()


def prediction(values, weights, noise=0.1, effect=0.05, degrees=1000) -> Prediction:
    values = np.array(values, dtype=float)
    effects = tuple(np.full((values.shape[1], 1), effect) for _ in values)
    return Prediction(
        np.array(weights), values, effects, np.full(values.shape, noise), np.full(len(values), degrees)
    )


def test_one_form_has_the_interval_of_its_t_distribution():
    low, high = interval(prediction([[2.0]], [1.0], noise=0.3, effect=0.4), 0.95, of_measurements=True)[0]
    assert (low, high) == pytest.approx((2.0 - 1.962 * 0.5, 2.0 + 1.962 * 0.5), abs=1e-3)


def test_two_forms_that_differ_have_a_wide_interval():
    both = prediction([[2.0], [5.0]], [0.6, 0.4])
    low, high = interval(both, 0.9, of_measurements=True)[0]
    assert low < 2.0 and high > 5.0
    low, high = interval(prediction([[2.0], [5.0]], [0.999, 0.001]), 0.9, of_measurements=True)[0]
    assert high < 3.0


def test_the_next_measurement_is_where_forms_differ():
    values = [[1.0, 1.0, 1.0, 1.0], [1.0, 1.1, 3.0, 1.0]]
    assert informative_rows(prediction(values, [0.5, 0.5]), 2)[0] == 2
    assert sorted(informative_rows(prediction(values, [0.5, 0.5]), 9)) == [0, 1, 2, 3]  # each once


def test_redundant_rows_are_not_suggested():
    # rows 0 and 1 give the same information on the forms; row 2 gives what they do not
    values = [[0.0, 0.0, 0.0], [1.0, 0.99, 0.0], [0.0, 0.0, 0.7]]
    assert informative_rows(prediction(values, [0.4, 0.3, 0.3], noise=0.05, effect=0.0), 2) == [0, 2]


def fitted_forms(*texts: str, X=X, Y=Y, vocabulary=VOCABULARY) -> tuple[list[Form], Engine]:
    """Forms of equal probability, with their constants fitted."""
    data = Engine(vocabulary, X.reshape(len(X), -1), Y)
    fits = [data.refit([Expression.parse(text, vocabulary)]) for text in texts]
    entries = [FrontEntry(fit.batch[0], float(fit.nrmse[0])) for fit in fits]
    pairs = zip(entries, fits, strict=True)
    return [Form(entry, 1.0 / len(texts), fit.information[0]) for entry, fit in pairs], data


def suggested(forms: list[Form], data: Engine, pool: np.ndarray, n: int) -> list[int]:
    said = predict_forms(forms, pool, spread=data.spread, n_observed=data.n_observed, size_of_y=None)
    return informative_rows(said, n, pool)


@pytest.mark.parametrize("texts", [CANDIDATES[:1], CANDIDATES[:2], CANDIDATES[:3], CANDIDATES[:3:2]])
def test_several_suggestions_are_spread(texts):
    """In a dense pool, neighbours of a suggested row would give the same information."""
    pool = np.linspace(0.1, 40.0, 400)[:, None]
    chosen = pool[suggested(*fitted_forms(*texts), pool, 4), 0]
    assert np.diff(np.sort(chosen)).min() > 0.5


def test_suggestions_for_several_inputs_are_spread():
    vocabulary = Vocabulary(["a", "b"], VOCABULARY.operators)
    rows = np.random.default_rng(0).uniform(1.0, 3.0, (30, 2))
    y = rows[:, 0] * rows[:, 1] + 0.1 * np.random.default_rng(1).normal(size=30)
    forms = fitted_forms(
        "1.1 * a * b", "1.3 * a * b^0.9", "0.2 + 1.1 * a * b", X=rows, Y=y, vocabulary=vocabulary
    )
    pool = np.stack(np.meshgrid(np.linspace(0.5, 6.0, 30), np.linspace(0.5, 6.0, 30)), axis=-1).reshape(-1, 2)
    chosen = pool[suggested(*forms, pool, 5)]
    apart = np.abs(chosen[:, None] - chosen).max(axis=2) + 9.0 * np.eye(5)
    assert apart.min() > 0.4


def test_uninformative_pools_suggest_distant_rows():
    same = prediction([[1.0] * 5, [1.0] * 5], [0.5, 0.5], effect=0.0)
    places = np.array([[0.0], [0.1], [0.2], [0.9], [1.0]])
    assert informative_rows(same, 3, places) == [0, 4, 2]


def test_rows_where_a_form_is_undefined_are_not_suggested():
    values = [[1.0, np.nan], [2.0, 1.0]]
    assert informative_rows(prediction(values, [0.5, 0.5]), 2) == [0]


def test_suggestions_are_rows_of_the_pool(model):
    pool = pd.DataFrame({"x": np.linspace(0.1, 40.0, 30)})
    chosen = model.suggest(pool, 3)
    assert len(set(chosen)) == 3 and all(0 <= row < 30 for row in chosen)


def test_saved_models_are_as_sure(model, tmp_path):
    model.save(tmp_path / "model.json")
    read = DDSRRegressor.load(tmp_path / "model.json")
    rows = pd.DataFrame({"x": X})
    assert np.array_equal(read.predict_interval(rows), model.predict_interval(rows))
    pd.testing.assert_frame_equal(read.forms_, model.forms_)


def test_several_targets_have_a_list():
    less = LITTLE | {"evaluations_per_epoch": 100, "max_length": 8}
    searched = DDSRRegressor("ddsr:generator=none", max_epochs=1, random_state=0, config=less, prior=None)
    searched.fit(X[:, None], np.column_stack([Y, 2.0 * X + 0.1 * Y]))
    assert (
        len(searched.forms_)
        == len(searched.predict_interval(X[:, None]))
        == len(searched.suggest(X[:, None]))
        == 2
    )


@pytest.mark.parametrize("level", [0.0, 1.0, -1, 95, "0.9", True, np.nan])
def test_a_level_is_a_probability(model, level):
    with pytest.raises(DataError, match="level must be a number between 0 and 1"):
        model.predict_interval(pd.DataFrame({"x": X}), level)


def test_other_selections_have_no_weights():
    searched = DDSRRegressor(
        "uniform", max_epochs=1, random_state=0, config={"max_length": 7, "batch_size": 50}
    )
    searched.fit(X[:, None], Y)
    assert len(searched.forms_) == 0
    with pytest.raises(DataError, match="no weights of forms"):
        searched.predict_interval(X[:, None])
