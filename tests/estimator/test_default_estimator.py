"""The estimator with its default preset `ddsr`: budgets, the end of a fit, and selection."""

import signal
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from chance_cases import assert_rate
from ddsr import AtMost, DDSRRegressor, MustAppear
from ddsr.config import DefaultConfig, DenoiserConfig, RefinerConfig
from ddsr.search import presets as methods
from ddsr.search.contributors.evolution import Refiner
from sklearn_cases import expected_failures

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0]) / (0.3 + X[:, 1] ** 3)
NOISY = HARD + 0.05 * np.random.default_rng(1).normal(size=60)
ISLANDS = {"n_islands": 2, "dictionary_size": 1000}
SMALL = {"evaluations_per_epoch": 200, "max_length": 12, "evolution": RefinerConfig(**ISLANDS)}
WITH_GENERATOR = {
    "least_share": 0.5,
    "batch_size": 30,
    "updates_per_epoch": 1,
    "denoiser": DenoiserConfig(feed_forward_width=16),
}


def small(**parameters):
    """The default preset with small epochs and no prior."""
    usual = {"max_epochs": 3, "random_state": 0, "device": "cpu", "prior": None}
    config = SMALL | parameters.pop("config", {})
    return DDSRRegressor(**usual | {"config": config} | parameters)


def test_ddsr_is_the_default():
    assert DDSRRegressor().preset == "ddsr"
    model = small(preset=DDSRRegressor().preset, prior=DDSRRegressor().prior).fit(X, NOISY)
    assert model.stopped_by_ == "max_epochs" and model.n_epochs_ == 3
    assert (model.curves_["seconds_refine"] > 0).all()


# Settings with so little work that the checks stay fast.
FAST = {
    "config": {"evaluations_per_epoch": 30, "max_length": 5, "evolution": ISLANDS},
    "operators": ["+", "*"],
    "max_epochs": 1,
}


@parametrize_with_checks(
    [DDSRRegressor(**FAST, model_selection="best")], expected_failed_checks=expected_failures
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks([DDSRRegressor(**FAST)], expected_failed_checks=expected_failures)
def test_scikit_learn_checks_where_equations_are_shortened(estimator, check):
    check(estimator)


# The end of a fit


def test_an_exact_fit_ends_it():
    """The grammar is so small that all of it is tried."""
    x = X[:, :1]
    model = small(operators=["+", "*", "sin"], config={"max_length": 3}).fit(x, 2.5 * np.sin(x[:, 0]) - 1)
    assert model.stopped_by_ == "exact"
    np.testing.assert_allclose(model.predict(2 * x), 2.5 * np.sin(2 * x[:, 0]) - 1, rtol=1e-9)


@pytest.mark.slow
def test_a_simple_law_is_found():
    """Within 20 epochs. Measured: 10 of 10 seeds; assumed: 0.8, so 7 of 20 seeds must succeed."""
    y = 2.5 * X[:, 0] * np.sin(X[:, 1]) - 1

    def is_found(seed):
        model = DDSRRegressor(random_state=seed, max_epochs=20, config=SMALL).fit(X, y)
        return model.stopped_by_ == "exact" and model.best_.size <= 8

    assert_rate(is_found, range(20), 0.8)


def test_a_larger_exact_ends_a_fit_too():
    noisy = X[:, 0] + 1e-5 * np.random.default_rng(0).normal(size=60)
    loose = small(config={"evolution": RefinerConfig(**ISLANDS, exact=1e-3)}).fit(X, noisy)
    assert loose.stopped_by_ == "exact"
    assert small(max_epochs=2).fit(X, noisy).stopped_by_ == "max_epochs"


def test_max_evaluations_end_it():
    states = []
    # without symmetries, which have their own evaluations
    config = {"max_evaluations": 500, "symmetries": False}
    model = small(config=config, max_epochs=50, callback=states.append).fit(X, NOISY)
    assert model.stopped_by_ == "max_evaluations"
    assert [state.n_scored for state in states] == [200, 400, 600]


def test_epochs_without_progress_end_it():
    states = []
    config = {"patience": 2, "max_length": 5}
    model = small(config=config, max_epochs=300, model_selection="best", callback=states.append)
    model.fit(X, NOISY)
    assert model.stopped_by_ == "no_progress" and model.n_epochs_ < 300
    assert states[-1].front.gain_over(states[-3].front) == 0.0
    gains = model.curves_["gain_refiner"].to_numpy()
    is_idle = gains <= 1e-6
    assert is_idle[-2:].all() and not (is_idle[:-2] & is_idle[1:-1]).any()  # and not before


def test_it_ends_when_everything_was_tried():
    """And not because a clock runs on without work."""
    tiny = {"max_length": 3, "constants": False}
    model = small(operators=["+", "sin"], config=tiny, max_epochs=None, max_time=600).fit(X[:, :1], NOISY)
    assert model.stopped_by_ == "exhausted"


@pytest.mark.slow
def test_max_time_is_the_deadline_of_the_search(monkeypatch):
    left, search = [], methods.refined_search

    def watched(*parts, deadline, **options):
        left.append(deadline.seconds_left)
        return search(*parts, deadline=deadline, **options)

    monkeypatch.setattr(methods, "refined_search", watched)
    # on the slowest machines, the work before the search takes seconds
    model = small(max_epochs=None, max_time=4.0).fit(X, NOISY)
    assert model.stopped_by_ == "max_time" and np.isfinite(model.predict(X)).all()
    assert 0.0 <= left[0] <= 4.0


@pytest.mark.slow
def test_max_time_ends_a_fit_of_a_million_rows():
    """Runs end within an epoch, so that there are results to show and keep."""
    rng = np.random.default_rng(0)
    rows = rng.uniform(0.5, 3.0, size=(1_000_000, 5))
    target = np.sin(3 * rows[:, 0]) * rows[:, 1] + np.exp(rows[:, 2] / rows[:, 3]) * rows[:, 4]
    target += 0.1 * rng.normal(size=len(rows))
    config = {"evaluations_per_epoch": 10**9}
    model = DDSRRegressor(max_time=15, random_state=0, config=config, device="cpu").fit(rows, target)
    assert model.stopped_by_ == "max_time" and model.n_epochs_ >= 1
    assert model.get_best()["r2"] >= 0.0


# Results of a fit that is cut short


@pytest.mark.parametrize("kind", [KeyboardInterrupt, RuntimeError])
def test_an_error_in_a_callback_keeps_results(kind):
    def stop(state):
        if state.epoch == 1:
            raise kind

    model = small(callback=stop, model_selection="best", max_epochs=9)
    if kind is KeyboardInterrupt:
        model.fit(X, NOISY)
    else:
        with pytest.raises(RuntimeError):
            model.fit(X, NOISY)
    assert model.stopped_by_ == "interrupt" and model.n_epochs_ == 2
    expected = small(max_epochs=2, model_selection="best").fit(X, NOISY)
    pd.testing.assert_frame_equal(model.equations_, expected.equations_)


def test_an_interrupt_within_a_run_of_the_refiner_ends_the_fit(monkeypatch):
    """The results of the refiner's only run are kept. Without a time limit, no clock ends a run."""
    running, run = [], Refiner.run

    def noted(refiner, *budget):
        running.append(refiner)
        return run(refiner, *budget)

    def ring(number, frame):
        if running and running[0].n_evaluations > 500:
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise KeyboardInterrupt

    monkeypatch.setattr(Refiner, "run", noted)
    model = small(config={"evaluations_per_epoch": 10**9}, max_epochs=1, model_selection="best")
    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    try:
        model.fit(X, NOISY)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert model.stopped_by_ == "interrupt" and model.n_epochs_ == 1
    assert np.isfinite(model.predict(X)).all()
    assert model.curves_["gain_refiner"].iloc[0] > 0.0


# Results


def test_model_selection_is_the_presets_unless_given():
    one_epoch = partial(small, max_epochs=1, config={"max_length": 8})
    chosen = one_epoch().fit(X, NOISY)
    named = one_epoch(model_selection="description_length").fit(X, NOISY)
    assert chosen.best_ == named.best_
    accurate = one_epoch(model_selection="accuracy").fit(X, NOISY)
    assert accurate.get_best()["loss"] == accurate.equations_["loss"].min()
    by_option = one_epoch(preset="ddsr:model_selection=accuracy").fit(X, NOISY)
    by_setting = one_epoch(config={"max_length": 8, "model_selection": "accuracy"}).fit(X, NOISY)
    assert by_option.best_ == by_setting.best_ == accurate.best_
    # the estimator's parameter takes precedence over the preset's option
    assert one_epoch(preset="ddsr:model_selection=accuracy", model_selection="best").fit(X, NOISY).best_ == (
        one_epoch(model_selection="best").fit(X, NOISY).best_
    )
    uniform = DDSRRegressor("uniform", max_epochs=2, random_state=0).fit(X, NOISY)
    assert uniform.get_best()["loss"] == uniform.equations_["loss"].min()


@pytest.mark.slow
def test_the_same_equations_on_any_number_of_threads_with_the_generator_on():
    def equations(**parameters):
        model = small(config=WITH_GENERATOR, max_epochs=4, model_selection="best", **parameters)
        return model.fit(X, NOISY).equations_

    pd.testing.assert_frame_equal(equations(n_jobs=1), equations(n_jobs=2))
    assert not equations().equals(equations(random_state=1))


def test_gains_are_in_the_curves():
    curves = small(config=WITH_GENERATOR, max_epochs=4, model_selection="best").fit(X, NOISY).curves_
    assert (curves["seconds_propose"] > 0).tolist() == [False, True, False, True]
    assert (curves["gain_refiner"] >= 0).all() and curves["gain_refiner"].iloc[0] > 0
    assert (curves["gain_generator"] >= 0).all()
    assert curves["loss"].notna().tolist() == [False, True, False, True]


@pytest.mark.parametrize("fit_rows", [30, 10_000])
def test_the_refiner_uses_the_weights(fit_rows):
    """Half of the rows follow another law and have no weight, or almost none."""
    y = np.where(np.arange(60) < 30, 3 * X[:, 0] - 2, 40 * X[:, 2])
    for little in (0.0, 1e-20):
        weights = np.where(np.arange(60) < 30, 1.0, little)
        config = {"evolution": RefinerConfig(**ISLANDS, fit_rows=fit_rows)}
        model = small(config=config, max_epochs=1).fit(X, y, sample_weight=weights)
        np.testing.assert_allclose(model.predict(X), 3 * X[:, 0] - 2, atol=1e-6)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("constants", [True, False])
def test_few_variables_and_no_constants(columns, constants):
    y = np.exp(X[:, 0]) * X[:, columns - 1] + 0.1 * NOISY
    model = small(config={"constants": constants}, model_selection="best", max_epochs=1).fit(
        X[:, :columns], y
    )
    assert len(model.front_) > 1 and model.get_best()["r2"] >= 0.0
    assert constants == any(entry.expression.n_constants > 0 for entry in model.front_)
    shortened = small(config={"constants": constants, "max_length": 8}, max_epochs=1).fit(X[:, :columns], y)
    assert shortened.get_best()["r2"] >= 0.0


@pytest.mark.parametrize("selection", ["accuracy", "best", "description_length"])
def test_rules_hold_for_what_is_found(selection):
    rules = [MustAppear("x0", "x1", "x2"), AtMost(("sin", "cos"), 1)]
    model = small(rules=rules, model_selection=selection, max_epochs=1).fit(X, NOISY)
    found = [entry.equation for entry in model.front_ if len(entry.equation) > 1]
    assert found
    for equation in found:
        names = [equation.vocabulary.names[token] for token in equation.tokens]
        assert {"x0", "x1", "x2"} <= set(names)
        if selection == "description_length":  # in other equations x1 may occur and cancel
            assert {"x0", "x1", "x2"} <= {str(symbol) for symbol in equation.to_sympy().free_symbols}
        assert names.count("sin") + names.count("cos") <= 1


def test_a_constant_model_is_written_as_a_number():
    y = 7 + np.where(np.arange(60) % 2, 1.0, -1.0)  # no line explains this
    model = small(model_selection="best", max_epochs=1).fit(X, y)
    assert float(model.equations_["equation"][0]) == pytest.approx(7.0)


def test_settings_come_whole_or_in_part():
    whole = DefaultConfig(**SMALL | {"max_length": 9})
    left = small(config={"max_length": 9}, model_selection="best").fit(X, NOISY)
    right = small(model_selection="best").set_params(config=whole).fit(X, NOISY)
    pd.testing.assert_frame_equal(left.equations_, right.equations_)
