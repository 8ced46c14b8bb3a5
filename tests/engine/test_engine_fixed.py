"""Constants that are held while the others are fitted, and the refit on all rows."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import least_squares

from ddsr.deadline import Deadline
from ddsr.engine import Engine, FitOptions, FitStatus, gradients
from ddsr.errors import DataError, ExpressionError
from ddsr.expression import Batch, Expression, Vocabulary
from engine_cases import planted, random_batch
from strategies import PLAIN, examples, expressions, mild_floats

POLISH = FitOptions(max_steps=100, tolerance=1e-14)


@pytest.mark.parametrize("n", [200, 1500])
@pytest.mark.parametrize(
    ("text", "fixed"),
    [
        ("2 * x - 0.5 * y", 0),
        ("1.7 * sin(1.2 * x) + z", 1),
        ("exp(-0.6 * x) / (2 + y)", 0),
        ("0.3 * x^1.8", 0),
        ("sqrt(0.8 + x) * 1.5 - y / (2.2 + z)", 2),
    ],
)
def test_the_others_reach_the_optimum_of_the_restricted_problem(text: str, fixed: int, n: int) -> None:
    expression, X, y = planted(text, n=n, noise=0.05)
    start = np.ones(expression.n_constants)
    start[fixed] = 1.1
    is_fixed = np.arange(len(start)) == fixed
    engine = Engine(PLAIN, X, y, fit_rows=n, options=POLISH)
    scores = engine.score([expression.with_constants(start)], is_fixed[None])
    assert scores.batch.constants[0, fixed] == 1.1

    def residual(free: np.ndarray) -> np.ndarray:
        constants = start.copy()
        constants[~is_fixed] = free
        return expression.with_constants(constants).to_callable()(X) - y

    theirs = least_squares(residual, start[~is_fixed], xtol=1e-15, ftol=1e-15, gtol=1e-15)
    ours = residual(scores.batch.constants[0, ~is_fixed])
    assert (ours**2).sum() <= 2 * theirs.cost * (1 + 1e-9)
    assert scores.nrmse[0] == pytest.approx(np.sqrt((ours**2).mean()) / y.std(), rel=1e-9)


@examples(150)
@given(expressions(PLAIN, 20, mild_floats), st.data(), st.integers(1, 3), st.booleans())
def test_a_fixed_constant_never_changes(
    expression: Expression, data: st.DataObject, n_starts: int, is_scale_free: bool
) -> None:
    X = np.random.default_rng(8).uniform(0.5, 3.0, size=(50, 3))
    y = X[:, 0] * X[:, 1] + np.sin(X[:, 2])
    n = expression.n_constants
    mask = np.array([data.draw(st.lists(st.booleans(), min_size=n, max_size=n))], dtype=bool).reshape(1, n)
    options = FitOptions(n_starts=n_starts, is_scale_free=is_scale_free)
    scores = Engine(PLAIN, X, y, options=options).score([expression], mask)
    assert (scores.batch.constants[mask] == np.array([expression.constants])[mask]).all()
    if mask.all() and scores.status[0] != FitStatus.NON_FINITE:
        assert scores.status[0] == FitStatus.NOTHING_TO_FIT
    none_fixed = Engine(PLAIN, X, y, options=options).score([expression], np.zeros_like(mask))
    free = Engine(PLAIN, X, y, options=options).score([expression])
    assert none_fixed.batch.constants.tobytes() == free.batch.constants.tobytes()


def test_masks_that_differ_make_no_duplicates_and_follow_the_order_of_operands() -> None:
    _, X, y = planted("1.7 * sin(1.2 * x) + z", noise=0.1)
    texts = ["1.5 * sin(1.1 * x) + z", "z + sin(x * 1.1) * 1.5"]
    first, second = (Expression.parse(text, PLAIN) for text in texts)
    is_outer = [[value == 1.5 for value in e.constants] for e in (first, second)]
    is_inner = [[value == 1.1 for value in first.constants]]
    scores = Engine(PLAIN, X, y, options=POLISH).score(
        [first, second, first, first], np.array([*is_outer, *is_inner, [False, False]])
    )
    assert scores.is_duplicate.tolist() == [False, True, False, False]
    for row in (0, 1):
        assert 1.5 in scores.batch[row].constants and 1.1 not in scores.batch[row].constants
    assert 1.1 in scores.batch[2].constants
    assert scores.nrmse[0] == scores.nrmse[1]
    assert scores.nrmse[3] < min(scores.nrmse[0], scores.nrmse[2])


def test_threads_and_neighbours_do_not_change_a_bit() -> None:
    _, X, y = planted("1.7 * sin(1.2 * x) + z", n=3000, noise=0.01)
    batch = random_batch(200)
    mask = np.random.default_rng(0).random(batch.constants.shape) < 0.5
    runs = [Engine(PLAIN, X, y, seed=9, n_threads=n).refit(batch, mask, max_steps=8) for n in (1, 3)]
    for name in ("nrmse", "steps", "information"):
        assert getattr(runs[0], name).tobytes() == getattr(runs[1], name).tobytes()
    for row in range(0, 200, 17):
        n = batch[row].n_constants
        alone = Engine(PLAIN, X, y, seed=9).refit([batch[row]], mask[[row], :n], max_steps=8)
        assert alone.nrmse[0] == runs[0].nrmse[row]
        assert alone.batch[0] == runs[0].batch[row]


def test_after_the_deadline_a_refit_takes_no_more_steps() -> None:
    expression, X, y = planted("1.7 * sin(1.2 * x) + z", n=5000, noise=0.01)
    start = expression.with_constants([1.0, 1.0])
    late = Engine(PLAIN, X, y).refit([start], deadline=Deadline(time.monotonic()))
    assert late.steps[0] == 0 and late.status[0] == FitStatus.OUT_OF_STEPS
    assert late.batch[0].constants == start.constants and np.isfinite(late.nrmse[0])
    in_time = Engine(PLAIN, X, y).refit([start], deadline=Deadline(time.monotonic() + 60.0))
    assert in_time.status[0] == FitStatus.CONVERGED and in_time.nrmse[0] < late.nrmse[0]


def test_a_refit_uses_all_rows_and_no_free_scale() -> None:
    expression, X, y = planted("2 * x + -0.5 * y", n=5000, noise=0.1)
    engine = Engine(PLAIN, X, y, fit_rows=50, options=FitOptions(is_scale_free=True))
    refitted = engine.refit([expression])
    design = X[:, :2]
    best = np.linalg.lstsq(design, y, rcond=None)[0]
    assert refitted.batch[0].constants == pytest.approx(tuple(best), rel=1e-6)
    assert refitted.scale[0] == 1.0 and refitted.offset[0] == 0.0
    few = Engine(PLAIN, X, y, refit_rows=50).refit([expression])
    assert few.nrmse[0] > refitted.nrmse[0]


def test_information_is_that_of_the_fitted_constants() -> None:
    expression, X, y = planted("1.7 * sin(1.2 * x) + 0.3 * z", n=700, noise=0.1)
    weights = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    is_fixed = np.array([[False, True, False]])
    scores = Engine(PLAIN, X, y, weights).refit([expression], is_fixed)
    slopes = gradients(scores.batch, X)[0][0]
    expected = slopes.T @ (slopes * weights[:, None]) / weights.sum()
    expected[1] = expected[:, 1] = 0.0
    assert scores.information is not None
    np.testing.assert_allclose(scores.information[0], expected, rtol=1e-9)


def test_a_refit_takes_other_operators_but_no_other_variables() -> None:
    expression, X, y = planted("2 * x")
    bare = Engine(Vocabulary(("x", "y", "z"), ("sin",)), X, y)
    assert bare.refit([expression]).nrmse[0] < 1e-12
    with pytest.raises(ExpressionError, match="different vocabulary"):
        bare.score([expression])
    with pytest.raises(ExpressionError, match="different variables"):
        bare.refit([Expression.parse("x", Vocabulary(("x",)))])


@pytest.mark.parametrize("is_fixed", [[[1]], [[True, False]], [True], [[True], [True]]])
def test_a_bad_mask_is_refused(is_fixed: list[object]) -> None:
    expression, X, y = planted("2 * x")
    with pytest.raises(DataError, match="is_fixed must be a table of bools with the shape"):
        Engine(PLAIN, X, y).score(Batch.of([expression]), is_fixed)


def test_options_of_one_call() -> None:
    expression, X, y = planted("0.3 * x^1.8")
    engine = Engine(PLAIN, X, y)
    assert engine.score([expression], options=FitOptions(max_steps=0)).batch[0] == expression
    assert engine.score([expression], options=POLISH).nrmse[0] < 1e-12
    with pytest.raises(DataError, match="options must be"):
        engine.score([expression], options=3)  # type: ignore[arg-type]
