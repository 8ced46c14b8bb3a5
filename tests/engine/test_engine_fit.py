"""Constants compared with SciPy, and what a fit guarantees."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

import oracle
from ddsr._core import KnownScores
from ddsr.engine import Engine, FitOptions, FitStatus, gradients, values
from ddsr.errors import ExpressionError
from ddsr.expression import Batch, Expression
from engine_cases import GOOD_X, GOOD_Y, planted, random_batch
from strategies import FULL as EVERYTHING
from strategies import PLAIN as DEFAULT
from strategies import examples, expressions, mild_floats

PLANTED = [
    "2 * x - 0.5 * y",
    "1.7 * sin(1.2 * x) + z",
    "exp(-0.6 * x) / (2 + y)",
    "0.3 * x^1.8",
    "log(2 * x + 0.7 * y) * z",
    "sqrt(0.8 + x) * 1.5 - y / (2.2 + z)",
]


@pytest.mark.parametrize("noise", [0.0, 0.05])
@pytest.mark.parametrize("text", PLANTED)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_levenberg_marquardt_agrees_with_scipy(text: str, noise: float, is_weighted: bool) -> None:
    expression, X, y = planted(text, noise=noise)
    weights = np.random.default_rng(6).uniform(0.1, 3.0, size=len(y)) if is_weighted else np.ones(len(y))
    options = FitOptions(max_steps=60, tolerance=1e-14)
    scores = Engine(DEFAULT, X, y, weights if is_weighted else None, options=options).score([expression])

    def residual(c: np.ndarray) -> np.ndarray:
        return np.sqrt(weights) * (expression.with_constants(c).to_callable()(X) - y)

    theirs = least_squares(residual, np.ones(expression.n_constants), xtol=1e-15, ftol=1e-15, gtol=1e-15)
    ours = residual(np.array(scores.batch[0].constants))
    assert (ours**2).sum() <= 2 * theirs.cost * (1 + 1e-9) + 1e-20
    spread = np.sqrt(np.average((y - np.average(y, weights=weights)) ** 2, weights=weights))
    nrmse = np.sqrt((ours**2).sum() / weights.sum()) / spread
    assert scores.nrmse[0] == pytest.approx(nrmse, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("n", [7, 200, 1000, 1024, 1025, 3000])
def test_free_scale_and_offset_recover_an_affine_image(n: int) -> None:
    expression, X, y = planted("sin(1.3 * x) + z / (2 + y)", n=n)
    options = FitOptions(max_steps=40, is_scale_free=True, tolerance=1e-14)
    engine = Engine(DEFAULT, X, -3.0 * y + 1453.5, options=options, fit_rows=4000)
    scores = engine.score([expression])
    assert scores.nrmse[0] < 1e-10
    assert scores.scale[0] == pytest.approx(-3.0)
    assert scores.offset[0] == pytest.approx(1453.5)
    assert set(np.round(scores.batch[0].constants, 6)) == {1.3, 2.0}


def test_a_scale_is_not_fitted_to_rounding() -> None:
    _, X, y = planted("2 * x")
    options = FitOptions(is_scale_free=True)
    scores = Engine(DEFAULT, X, y, options=options).score([Expression.parse("y / (3.5 * y)", DEFAULT)])
    assert scores.scale[0] == 0.0
    assert scores.nrmse[0] == pytest.approx(1.0)


@examples(300)
@given(expressions(DEFAULT, 20, mild_floats), st.booleans())
def test_fitting_never_worsens(expression: Expression, is_scale_free: bool) -> None:
    rng = np.random.default_rng(8)
    X = rng.uniform(0.5, 3.0, size=(50, 3))
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
    before, after = (
        Engine(DEFAULT, X, y, options=FitOptions(max_steps=steps, is_scale_free=is_scale_free)).score(
            [expression]
        )
        for steps in (0, 10)
    )
    assert after.nrmse[0] <= before.nrmse[0]
    found = oracle.evaluate(after.batch[0], X)
    if after.status[0] == FitStatus.NON_FINITE:
        return
    if (found.bound <= 1e-9 * np.std(found.value)).all():
        fitted = found.value * after.scale[0] + after.offset[0]
        nrmse = np.sqrt(np.mean((fitted - y) ** 2)) / y.std()
        assert after.nrmse[0] == pytest.approx(nrmse, rel=1e-6, abs=1e-9)


def test_fits_on_a_subsample_and_scores_on_all_rows() -> None:
    expression, X, y = planted("2 * x + -0.5 * y", n=5000, noise=0.1)
    scores = Engine(DEFAULT, X, y, fit_rows=100, seed=3).score([expression])
    predicted = scores.batch[0].to_callable()(X)
    assert scores.nrmse[0] == pytest.approx(np.sqrt(np.mean((predicted - y) ** 2)) / y.std())
    whole = Engine(DEFAULT, X, y, fit_rows=5000).score([expression])
    assert whole.nrmse[0] < scores.nrmse[0] < 1.1 * whole.nrmse[0]
    assert scores.batch[0].constants != whole.batch[0].constants


@pytest.mark.parametrize(
    "text", ["(x + 0.7)^2", "3 * x^3", "3 * x^2 - 0.4", "2 * exp(-0.5 * x^2) + y", "1.5 / (x^2 + 0.3)"]
)
@pytest.mark.parametrize("n", [200, 1500])
def test_only_exponents_of_negative_bases_are_held(text: str, n: int) -> None:
    """For x < 0, x^2 has no neighbour such as x^2.01, but the other constants must still be fitted."""
    truth = Expression.parse(text, DEFAULT)
    X = np.random.default_rng(0).normal(size=(n, 3))
    y = truth.to_callable()(X)
    # the exponents are known, the others start from 1
    start = truth.with_constants([c if c in (2.0, 3.0) and "^" in text else 1.0 for c in truth.constants])
    options = FitOptions(max_steps=60, tolerance=1e-12)
    scores = Engine(DEFAULT, X, y, options=options, fit_rows=n).score([start])
    assert scores.nrmse[0] < 1e-6, scores.batch[0]


def test_exponents_of_positive_bases_are_free() -> None:
    expression, X, y = planted("0.3 * x^1.8")
    scores = Engine(DEFAULT, X, y, options=FitOptions(max_steps=40)).score([expression])
    assert scores.nrmse[0] < 1e-9


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e8, 1e10])
def test_large_and_small_targets_are_fitted_like_others(size: float) -> None:
    for text in ("2 * exp(0.7 * x)", "3 * x^1.7 + 2"):
        expression, X, y = planted(text)
        options = FitOptions(max_steps=200, tolerance=1e-12)
        assert Engine(DEFAULT, X, size * y, options=options).score([expression]).nrmse[0] < 1e-6
        options = FitOptions(max_steps=20, is_scale_free=True)  # not needed with a free scale
        assert Engine(DEFAULT, X, size * y, options=options).score([expression]).nrmse[0] < 1e-6


@pytest.mark.parametrize("constant", [np.inf, -np.inf, np.nan])
def test_constants_that_are_not_finite_are_seen(constant: float) -> None:
    for text in ("x / ?", "x^?", "x + ?", "tanh(x * ?)"):
        tokens = Batch.of([Expression.parse(text, EVERYTHING)]).tokens
        batch = Batch(EVERYTHING, tokens, np.array([[constant]]))
        assert not values(batch, GOOD_X + 1)[1][0]
        assert not gradients(batch, GOOD_X + 1)[1][0]
        assert Engine(EVERYTHING, GOOD_X + 1, GOOD_Y).score(batch).status[0] == FitStatus.NON_FINITE


def test_other_threads_may_write_to_the_batch_meanwhile() -> None:
    _, X, y = planted("2 * x")
    engine, batch = Engine(DEFAULT, X, y), random_batch(300)
    good = batch.tokens.copy()
    stop = threading.Event()

    def spoil_tokens() -> None:
        while not stop.is_set():
            batch.tokens[:] = 20_000
            batch.tokens[:] = good

    spoiler = threading.Thread(target=spoil_tokens)
    spoiler.start()
    try:
        for _ in range(60):
            with contextlib.suppress(ExpressionError):
                engine.score(batch)
    finally:
        stop.set()
        spoiler.join()


def test_zero_weights_take_rows_out() -> None:
    expression, X, y = planted("2 * x + -0.5 * y")
    spoiled = y.copy()
    spoiled[::3] += 100.0
    weights = np.ones(len(y))
    weights[::3] = 0.0
    scores = Engine(DEFAULT, X, spoiled, weights).score([expression])
    assert scores.batch[0].constants == pytest.approx((2.0, -0.5))
    assert scores.nrmse[0] < 1e-10


def test_several_starts_find_what_one_does_not() -> None:
    expression, X, y = planted("sin(6.5 * x)")
    one = Engine(DEFAULT, X, y).score([expression])
    many = Engine(DEFAULT, X, y, options=FitOptions(n_starts=60)).score([expression])
    assert one.nrmse[0] > 0.1
    assert many.nrmse[0] < 1e-6


def assert_same_bits(left: object, right: object) -> None:
    for name in ("nrmse", "scale", "offset", "status", "steps", "is_duplicate"):
        assert getattr(left, name).tobytes() == getattr(right, name).tobytes(), name
    assert left.batch.constants.tobytes() == right.batch.constants.tobytes()  # type: ignore[attr-defined]


@pytest.mark.parametrize("is_scale_free", [False, True])
def test_thread_count_does_not_change_a_bit(is_scale_free: bool) -> None:
    _, X, y = planted("1.7 * sin(1.2 * x) + z", n=3000, noise=0.01)
    options = FitOptions(n_starts=3, is_scale_free=is_scale_free)
    batch = random_batch()
    runs = [Engine(DEFAULT, X, y, options=options, seed=9, n_threads=n).score(batch) for n in (1, 2, 5)]
    assert_same_bits(runs[0], runs[1])
    assert_same_bits(runs[0], runs[2])


def test_a_result_depends_only_on_the_expression() -> None:
    """It does not depend on its place in the batch, its neighbours, or the order of its operands."""
    _, X, y = planted("1.7 * sin(1.2 * x) + z", noise=0.01)
    engine = Engine(DEFAULT, X, y, options=FitOptions(n_starts=3))
    batch = random_batch(100)
    together = engine.score(batch)
    for row in range(0, 100, 7):
        alone = engine.score([batch[row]])
        assert alone.nrmse[0] == together.nrmse[row]
        assert alone.batch[0].constants == together.batch[row].constants


def test_duplicates_are_fitted_once_and_get_their_own_constants() -> None:
    _, X, y = planted("1.7 * sin(1.2 * x) + z")
    texts = ["? * sin(? * x) + z", "z + sin(x * ?) * ?", "? * x", "(sin(x * ?) * ?) + z"]
    written = [Expression.parse(text, DEFAULT) for text in texts]
    scores = Engine(DEFAULT, X, y, options=FitOptions(max_steps=30)).score(written)
    assert scores.is_duplicate.tolist() == [False, True, False, True]
    assert len(set(scores.nrmse[[0, 1, 3]])) == 1
    for row in (0, 1, 3):
        assert scores.batch[row].to_callable()(X) == pytest.approx(y)


def test_known_expressions_are_not_fitted_again() -> None:
    engine = Engine(DEFAULT, GOOD_X, GOOD_Y)
    batch, known = random_batch(60), KnownScores()
    first = engine.score(batch.take(list(range(40))), known=known)
    n_known = len(known)
    assert n_known == (~first.is_duplicate).sum()
    expected, found = engine.score(batch), engine.score(batch, known=known)
    assert len(known) == (~found.is_duplicate).sum() > n_known
    for name in ("nrmse", "scale", "offset", "status", "steps", "is_duplicate"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))
    np.testing.assert_array_equal(found.batch.constants, expected.batch.constants)
    # constants of another order of operands are returned in the order of the expression
    one, other = (Expression.parse(text, DEFAULT) for text in ("sin(2 * x) + 3 * y", "y * 3 + sin(x * 2)"))
    engine.score([one], known=known)
    n_known = len(known)
    again = engine.score([other], known=known)
    assert len(known) == n_known
    np.testing.assert_array_equal(again.batch.constants, engine.score([other]).batch.constants)


def test_starts_that_differ_make_no_duplicates() -> None:
    _, X, y = planted("2 * x")
    first = Expression.parse("1.5 * x", DEFAULT)
    scores = Engine(DEFAULT, X, y).score([first, first.with_constants((2.5,)), first])
    assert scores.is_duplicate.tolist() == [False, False, True]


def test_the_callers_arrays_stay_as_they_are() -> None:
    expression, X, y = planted("2 * x + -0.5 * y")
    weights = np.ones(len(y))
    batch = Batch.of([expression])
    copies = [array.copy() for array in (X, y, weights, batch.tokens, batch.constants)]
    for array in (X, y, weights, batch.tokens, batch.constants):
        array.flags.writeable = False
    Engine(DEFAULT, X, y, weights).score(batch)
    values(batch, X)
    for array, copy in zip((X, y, weights, batch.tokens, batch.constants), copies, strict=True):
        assert (array == copy).all()


def test_layouts_and_types_of_the_callers_arrays_do_not_matter() -> None:
    expression, X, y = planted("2 * x + -0.5 * y", noise=0.1)
    expected = Engine(DEFAULT, X, y).score([expression]).nrmse[0]
    assert Engine(DEFAULT, np.asfortranarray(X), y).score([expression]).nrmse[0] == expected
    assert Engine(DEFAULT, X.tolist(), list(y)).score([expression]).nrmse[0] == expected
    wide = np.repeat(X, 2, axis=1)[:, ::2]
    assert Engine(DEFAULT, wide, y).score([expression]).nrmse[0] == expected
    single = Engine(DEFAULT, X.astype(np.float32), y).score([expression]).nrmse[0]
    assert single == pytest.approx(expected, rel=1e-3)
