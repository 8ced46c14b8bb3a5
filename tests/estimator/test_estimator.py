"""The estimator as scikit-learn uses it, and what it keeps if a fit is cut short."""

import pickle
import signal

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from clock_cases import PATIENT, Clock
from ddsr import DDSRError, DDSRRegressor, MustAppear
from ddsr.config import DenoiserConfig, PaperConfig
from sklearn_cases import expected_failures

TINY = {"batch_size": 60, "max_length": 9}
TINY_PAPER = PaperConfig(
    max_length=6,
    batch_size=30,
    oversampling=2,
    updates_per_epoch=2,
    elite_fraction=0.2,
    denoiser=DenoiserConfig(feed_forward_width=16),
)
X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0])  # not found by a tiny search


def tiny(**parameters):
    return DDSRRegressor(
        **{"preset": "uniform", "max_epochs": 2, "random_state": 0, "config": TINY} | parameters
    )


@parametrize_with_checks([DDSRRegressor("uniform", max_epochs=1)], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_finds_a_product():
    model = DDSRRegressor("uniform", max_epochs=100, random_state=0).fit(X, X[:, 0] * X[:, 1])
    assert model.stopped_by_ == "exact"
    assert model.n_epochs_ == len(model.curves_) < 100
    assert model.sympy() == model.sympy(index=len(model.equations_) - 1)
    assert {str(symbol) for symbol in model.sympy().free_symbols} == {"x0", "x1"}
    np.testing.assert_allclose(model.predict(2 * X), 4 * X[:, 0] * X[:, 1], rtol=1e-12)
    assert model.score(X, X[:, 0] * X[:, 1]) == pytest.approx(1.0)
    assert "x_{0}" in model.latex(precision=3)


def test_the_table_says_what_each_equation_reaches():
    weights = np.linspace(1, 2, len(X))
    model = tiny(max_epochs=5).fit(X, HARD, sample_weight=weights)
    table = model.equations_
    assert len(table) > 2
    assert list(table.columns) == [
        "complexity",
        "loss",
        "r2",
        "description_length",
        "reward",
        "equation",
        "is_best",
    ]
    assert table["complexity"].is_monotonic_increasing and table["loss"].is_monotonic_decreasing
    for index, row in table.iterrows():
        predicted = model.predict(X, index=index)
        assert row["loss"] == pytest.approx(np.average((predicted - HARD) ** 2, weights=weights), rel=1e-9)
    assert table["is_best"].sum() == 1
    assert model.get_best()["equation"] == model.best_.equation.text()
    assert model.score(X, HARD, weights) == pytest.approx(model.get_best()["r2"])
    with pytest.raises(ValueError, match="index"):
        model.predict(X, index=len(table))


def test_selection_by_accuracy_or_description_length():
    noise = np.random.default_rng(1).normal(size=20)
    settings = {"max_epochs": 20, "config": {"max_length": 15}}
    accurate = tiny(**settings).fit(X[:20], noise)
    brief = tiny(**settings, model_selection="best").fit(X[:20], noise)
    assert accurate.get_best()["loss"] == accurate.equations_["loss"].min()
    assert brief.best_ == brief.front_.best(20)
    assert brief.best_.size < accurate.best_.size


def test_description_length_makes_equations_shorter():
    noisy = 2 * X[:, 0] * X[:, 1] + 0.05 * np.random.default_rng(2).normal(size=len(X))
    guess = "2 * x0 * x1 + 0.01 * sin(x2)"  # so that selection is tested and not the search
    settings = {"max_epochs": 1, "config": {"max_length": 15, "batch_size": 100}, "guesses": [guess]}
    found = tiny(**settings).fit(X, noisy)
    shortened = tiny(**settings, model_selection="description_length").fit(X, noisy)
    assert found.best_.size > shortened.best_.size == 5
    np.testing.assert_allclose(shortened.predict(X), 2 * X[:, 0] * X[:, 1], rtol=1e-12)
    assert shortened.equations_["is_best"].sum() == 1
    assert shortened.get_best()["equation"] == shortened.best_.equation.text()
    for index, row in shortened.equations_.iterrows():
        loss = np.mean((shortened.predict(X, index=index) - noisy) ** 2)
        assert row["loss"] == pytest.approx(loss, rel=1e-9)
    assert pickle.loads(pickle.dumps(shortened)).best_ == shortened.best_


def test_an_interrupt_while_shortening_leaves_what_was_found(monkeypatch):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr("ddsr.estimator.fit.select", interrupted)
    model = tiny(model_selection="description_length").fit(X, HARD)
    best = tiny(model_selection="best").fit(X, HARD)  # written in its usual notation
    assert model.best_.nrmse == best.best_.nrmse
    np.testing.assert_allclose(model.predict(X), best.predict(X), rtol=1e-9)


def test_names_of_columns_are_kept():
    frame = pd.DataFrame(X, columns=["mass", "speed of light", "sin"])
    model = tiny(rules=[MustAppear("speed of light")], max_epochs=4).fit(frame, HARD)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert model.n_features_in_ == 3
    assert "`speed of light`" in model.get_best()["equation"]
    assert np.isfinite(model.predict(frame)).all()
    with pytest.raises(ValueError, match="speed of light"):
        model.predict(frame.assign(**{"speed of light": np.nan}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda frame: frame.assign(b=np.where(frame.index == 7, np.nan, 1.0)), "NaN in row 7, column 'b'"),
        (lambda frame: frame.assign(b="text"), "'b'.*cannot be read as numbers"),
        (lambda frame: frame.set_axis(["a", "a", "c"], axis=1), "'a'"),
    ],
)
def test_errors_name_the_column(change, message):
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    with pytest.raises(ValueError, match=message):
        tiny().fit(change(frame), HARD)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"preset": "papper"},
            r"unknown preset 'papper' \(did you mean 'paper'\?\); choose from: ddsr, paper, dsr, uniform",
        ),
        ({"preset": "ddsr:generater=none"}, "no option 'generater' .did you mean 'generator'"),
        ({"preset": "ddsr:generator=non"}, "unknown value 'non' of option 'generator' .did you mean 'none'"),
        ({"preset": "paper:memory=none"}, "choose from: long, short"),
        ({"device": "tpu"}, r"unknown device 'tpu' \(did you mean 'cpu'\?\)"),
        ({"max_time": 0}, "max_time"),
        ({"max_time": "1"}, "max_time"),
        ({"max_time": 10**400}, "max_time exceeds double precision"),
        ({"operators": {"+", "sin"}}, "operators must be an ordered list of names"),
        ({"max_epochs": 0}, "max_epochs"),
        ({"n_jobs": 0}, "the number of threads must not be 0"),
        ({"operators": ["+", "plus"]}, "unknown operator 'plus'"),
        ({"rules": [MustAppear("z")]}, "rule 'use z': there is no column 'z'"),
        ({"config": {"batchsize": 3}}, "unknown setting 'batchsize' in config .did you mean 'batch_size'"),
        ({"config": {"batch_size": 0}}, "batch_size"),
        ({"config": 3}, "config must be"),
        ({"model_selection": "simplest"}, "choose from: accuracy, best, description_length"),
        ({"model_selection": "acuracy"}, "unknown model_selection 'acuracy' .did you mean 'accuracy'"),
    ],
)
def test_bad_parameters_are_refused_by_name(parameters, message):
    with pytest.raises(DDSRError, match=message):
        tiny(**parameters).fit(X, HARD)


def test_same_random_state_same_equations_on_any_number_of_threads():
    def equations(**parameters):
        return tiny(**parameters).fit(X, HARD).equations_

    pd.testing.assert_frame_equal(equations(n_jobs=1), equations(n_jobs=3))
    assert not equations().equals(equations(random_state=1))
    paper = {"preset": "paper", "config": TINY_PAPER, "device": "cpu"}
    pd.testing.assert_frame_equal(equations(**paper, n_jobs=1), equations(**paper, n_jobs=2))


@pytest.mark.parametrize("preset", ["paper", "paper:memory=short", "paper:objective=rspg"])
def test_the_paper_learns_and_records_its_curves(preset):
    model = tiny(preset=preset, config=TINY_PAPER).fit(X, HARD)
    assert model.n_epochs_ == 2 and model.stopped_by_ == "max_epochs"
    gains = model.curves_.filter(like="gain_")
    assert gains.isna().all(axis=None)  # this preset has no such contributors
    assert np.isfinite(model.curves_.drop(columns=gains.columns)).all(axis=None)
    assert (model.curves_["seconds_update"] > 0).all()
    assert (model.curves_["distinct_share"] <= 1).all()
    assert model.curves_[["invalid_share", "repeated_share"]].map(lambda share: 0 <= share < 1).all(axis=None)
    assert model.curves_["best_reward"].max() <= model.get_best()["reward"]


def test_draws_that_repeat_others_are_counted():
    curves = tiny(preset="uniform").fit(X, HARD).curves_
    np.testing.assert_allclose(curves["repeated_share"], 1 - curves["distinct_share"])


def test_the_presets_epochs_are_the_default():
    assert tiny(max_epochs=None, config=TINY | {"n_epochs": 3}).fit(X, HARD).n_epochs_ == 3


def test_max_time_is_kept(clock):
    settings = {"max_epochs": None, "max_time": 3000, "config": TINY | {"n_epochs": 1}}
    model = tiny(**settings, callback=lambda state: clock.advance(1100)).fit(X, HARD)
    assert model.stopped_by_ == "max_time" and model.n_epochs_ == 3
    assert model.fit_seconds_ == pytest.approx(3300)


@pytest.mark.parametrize("preset", ["paper", "paper:generator=d3pm", "dsr"])
def test_max_time_is_kept_within_an_epoch(preset, monkeypatch):
    """Every reading of the clock takes time, and an epoch has more readings than there is time for."""
    Clock(tick=PATIENT).install(monkeypatch)
    model = DDSRRegressor(preset, max_time=12 * PATIENT, random_state=0, device="cpu").fit(X, HARD)
    assert model.stopped_by_ == "max_time" and model.n_epochs_ == 0
    assert np.isfinite(model.predict(X)).all()


def test_max_time_is_kept_within_a_batch():
    """The core reads the machine's clock. This batch would take minutes."""
    rows = np.random.default_rng(0).uniform(0.5, 3.0, size=(200_000, 3))
    model = DDSRRegressor("uniform", max_time=0.3, config={"batch_size": 20_000}, random_state=0)
    model.fit(rows, np.sin(3 * rows[:, 0]) * rows[:, 1])
    assert model.stopped_by_ == "max_time" and np.isfinite(model.predict(rows)).all()


def test_an_interrupt_leaves_the_best_so_far():
    def interrupt(state):
        if state.epoch == 2:
            raise KeyboardInterrupt

    model = tiny(max_epochs=50, callback=interrupt).fit(X, HARD)
    assert model.stopped_by_ == "interrupt" and model.n_epochs_ == 3
    pd.testing.assert_frame_equal(model.equations_, tiny(max_epochs=3).fit(X, HARD).equations_)


def test_an_alarm_passes_through_and_leaves_the_model():
    class AlarmError(Exception):
        pass

    def ring(signum, frame):
        raise AlarmError

    def set_alarm(state):
        """Set an alarm for soon after the first epoch, wherever the search is then."""
        if state.epoch == 0:
            signal.setitimer(signal.ITIMER_REAL, 0.05)

    model = tiny(max_epochs=None, max_time=3600, callback=set_alarm)
    previous = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(AlarmError):
            model.fit(X, HARD)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
    assert model.n_epochs_ == len(model.curves_) > 0
    assert np.isfinite(model.predict(X)).all()


def test_there_is_a_model_before_the_first_epoch(monkeypatch):
    def interrupted(method, problem):
        raise KeyboardInterrupt

    monkeypatch.setattr("ddsr.estimator.symbolic.start", interrupted)
    model = tiny().fit(X, HARD)
    assert model.n_epochs_ == 0 and len(model.curves_) == 0
    assert model.score(X, HARD) > 0
    assert tiny().fit(X, 3 * X[:, 1] - 1).stopped_by_ == "exact"


def test_the_callback_sees_every_epoch():
    states = []
    tiny(max_epochs=3, callback=states.append).fit(X, HARD)
    assert [state.epoch for state in states] == [0, 1, 2]


def test_undefined_predictions_are_as_in_numpy():
    model = DDSRRegressor("uniform", operators=["log"], max_epochs=20, random_state=0, config=TINY)
    model.fit(X[:, :1], np.log(X[:, 0]))
    assert model.get_best()["equation"] == "log(x0)"
    predicted = model.predict([[1.0], [0.0], [-1.0]])
    assert predicted[0] == 0.0 and predicted[1] == -np.inf and np.isnan(predicted[2])
