"""The engine against NumPy, SymPy, finite differences and SciPy."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pandas as pd
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares

import oracle
from ddsr import _core
from ddsr.engine import Engine, FitOptions, FitStatus, gradients, values
from ddsr.errors import DataError, ExpressionError
from ddsr.expression import OPERATORS, Batch, Expression, Vocabulary
from ddsr.expression.operators import numpy_function, sympy_function
from ddsr.grammar import Grammar
from strategies import FULL as EVERYTHING
from strategies import PLAIN as DEFAULT
from strategies import expressions, mild_floats

RNG = np.random.default_rng(0)
# both signs, several scales, and rows on the edges of domains
ROWS = np.vstack(
    [
        RNG.uniform(0.5, 3.0, size=(24, 3)),
        RNG.normal(scale=5.0, size=(24, 3)),
        np.exp(RNG.normal(scale=4.0, size=(16, 3))),
        [[0.0, 1.0, -1.0], [-0.0, 0.0, 0.0], [1.0, -2.0, 1e-300], [1e150, -1e150, 1e300]],
    ]
)


@settings(max_examples=1500, deadline=None)
@given(expressions(EVERYTHING, 25, mild_floats))
def test_values_agree_with_numpy(expression: Expression) -> None:
    expected = oracle.evaluate(expression, ROWS)
    # rows that rounding cannot carry over the edge of a domain, nor to where first-order bounds mislead
    is_sure = expected.worst <= 1e-6 * np.minimum(1.0, np.abs(expected.value))
    is_sure |= ~expected.is_finite & (expected.worst <= 1e-9)
    if not is_sure.any():
        return
    found, is_finite = values([expression], ROWS[is_sure])
    assert is_finite[0] == expected.is_finite[is_sure].all()
    is_good = expected.is_finite[is_sure]
    difference = np.abs(found[0][is_good] - expected.value[is_sure][is_good])
    assert (difference <= 2 * expected.bound[is_sure][is_good]).all()
    if is_good.any():  # and the finite rows on their own are finite
        assert values([expression], ROWS[is_sure][is_good])[1][0]


@settings(max_examples=1500, deadline=None)
@given(expressions(DEFAULT, 25, mild_floats))
def test_gradients_agree_with_complex_steps(expression: Expression) -> None:
    """f(c + ih)/h has no cancellation, so it is exact to rounding where f is analytic."""
    X = ROWS[:24]
    found, _ = gradients([expression], X)
    sound = oracle.evaluate(expression, X)
    for index in range(expression.n_constants):
        expected, slopes = complex_step(expression, index, X), found[0, :, index]
        usable = sound.is_finite & (sound.worst <= 1e-11) & has_real_path(expression, X)
        usable &= np.isfinite(expected) & np.isfinite(slopes)
        scale = np.abs(expected[usable]).max(initial=0.0)
        allowed = 1e-7 * np.abs(expected[usable]) + 1e-9 * max(scale, 1.0)
        assert (np.abs(slopes[usable] - expected[usable]) <= allowed).all(), (str(expression), index)


def complex_step(expression: Expression, index: int, X: np.ndarray, step: float = 1e-30) -> np.ndarray:
    numbers = iter(range(expression.n_constants))
    shifts = [1j * step if next(numbers) == index else 0.0 for _ in range(expression.n_constants)]
    order = iter(reversed(shifts))  # fold goes from the last token to the first
    with np.errstate(all="ignore"):
        found = expression.fold(
            variable=lambda column: X[:, column].astype(complex),
            constant=lambda value: np.full(len(X), value, dtype=complex) + next(order),
            one=np.ones(len(X), dtype=complex),
            apply=lambda row, operands: numpy_function(row)(*operands),
        )
        return np.asarray(found.imag / step)


def has_real_path(expression: Expression, X: np.ndarray) -> np.ndarray:
    """Rows where no power or root has a base of 0 or less, where complex and real powers part."""
    real = np.ones(len(X), dtype=bool)

    def apply(row: object, operands: list[np.ndarray]) -> np.ndarray:
        nonlocal real
        if getattr(row, "name", "") in ("pow", "sqrt", "log"):
            real = real & (operands[0] > 1e-9)
        return np.asarray(numpy_function(row)(*operands))

    with np.errstate(all="ignore"):
        expression.fold(
            variable=lambda column: X[:, column],
            constant=lambda value: np.full(len(X), value),
            one=np.ones(len(X)),
            apply=apply,
        )
    return real


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_against_sympy(name: str) -> None:
    """Value and derivative, at points inside the operator's domain."""
    row = OPERATORS[name]
    vocabulary = Vocabulary(("x",), operators={"mul": None, name: None})
    operand = "? * x"
    text = f"{name}({operand})" if row.arity == 1 else f"{name}({operand}, ?)"
    constants = (0.7, 1.3)[: row.arity]
    expression = Expression.parse(text, vocabulary)
    expression = expression.with_constants(
        constants if len(expression.tokens) < 5 else _by_token(expression, constants)
    )
    X = np.array([[0.3], [0.5], [0.9], [1.2]])
    found, is_finite = values([expression], X)
    slopes, slopes_finite = gradients([expression], X)
    assert is_finite[0] and slopes_finite[0]
    symbol = sympy.Symbol("x")
    formula = expression.to_sympy()
    for x, value in zip(X[:, 0], found[0], strict=True):
        assert value == pytest.approx(float(formula.subs(symbol, float(x)).evalf(30)), rel=1e-12)
    for index in range(expression.n_constants):
        for row_index, x in enumerate(X[:, 0]):
            expected = _sympy_slope(expression, index, float(x))
            assert slopes[0, row_index, index] == pytest.approx(expected, rel=1e-9)


def _by_token(expression: Expression, constants: tuple[float, ...]) -> tuple[float, ...]:
    """The second operand of a binary operator comes before the constant inside the first."""
    return tuple(reversed(constants))


def _sympy_slope(expression: Expression, index: int, x: float) -> float:
    """Symmetric difference of SymPy's own value at 60 digits."""
    step = sympy.Rational(1, 10**20)
    shifted = []
    for sign in (1, -1):
        numbers = iter(range(expression.n_constants - 1, -1, -1))

        def constant(value: float, sign: int = sign, numbers: object = numbers) -> sympy.Expr:
            exact = sympy.Rational(value)
            return exact + sign * step if next(numbers) == index else exact  # type: ignore[call-overload]

        shifted.append(
            expression.fold(
                variable=lambda column: sympy.Rational(x),
                constant=constant,
                one=sympy.Integer(1),
                apply=lambda row, operands: sympy_function(row)(*operands),
            )
        )
    return float(((shifted[0] - shifted[1]) / (2 * step)).evalf(40))


EDGES = [0.0, -0.0, 1.0, -1.0, 1.0 + 1e-12, -1.0 - 1e-12, 5e-324, -5e-324, 1e-160, 1e160, 709.0, 710.0]
EDGES += [-745.0, -746.0, 1e300, -1e300, 0.5, -0.5, 2.0, -2.0, np.pi / 2, 1e22]


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_at_the_edges_of_its_domain(name: str) -> None:
    """The same value as NumPy, or a status that says there is none; never a warning."""
    row = OPERATORS[name]
    vocabulary = Vocabulary(("x", "y"), operators=(name,))
    expression = Expression.parse(f"{name}(x)" if row.arity == 1 else f"{name}(x, y)", vocabulary)
    for x in EDGES:
        for y in EDGES if row.arity == 2 else [0.0]:
            point = np.array([[x, y]])
            found, is_finite = values([expression], point)
            expected = oracle.evaluate(expression, point)
            assert is_finite[0] == expected.is_finite[0], (x, y)
            if is_finite[0]:
                assert found[0, 0] == pytest.approx(expected.value[0], rel=1e-13, abs=1e-307), (x, y)


@pytest.mark.parametrize(
    "text", ["tanh(1/x)", "1/(1/x)", "exp(-1/x)", "atan(1/x)", "y^(1/x)", "inverse(log(x))", "1/log(x)"]
)
def test_infinity_inside_is_seen_though_the_result_is_finite(text: str) -> None:
    expression = Expression.parse(text, EVERYTHING)
    found, is_finite = values([expression], [[0.0, 0.5, 1.0]] * 3)
    assert not is_finite[0]
    X = np.column_stack([np.linspace(0, 1, 20), np.full(20, 0.5), np.ones(20)])
    scores = Engine(EVERYTHING, X, X[:, 0]).score([expression])
    assert scores.status[0] == FitStatus.NON_FINITE
    assert scores.reward[0] == 0.0


def planted(text: str, n: int = 300, noise: float = 0.0) -> tuple[Expression, np.ndarray, np.ndarray]:
    """The expression with its constants put to 1, and data made with those in the text."""
    truth = Expression.parse(text, DEFAULT)
    rng = np.random.default_rng(5)
    X = rng.uniform(0.5, 3.0, size=(n, 3))
    y = truth.to_callable()(X)
    return truth.with_constants([1.0] * truth.n_constants), X, y + noise * y.std() * rng.normal(size=n)


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


@settings(max_examples=300, deadline=None)
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
def test_exponents_of_negative_bases_hold_still_and_nothing_else_does(text: str, n: int) -> None:
    """x^2 has no neighbour x^2.01 where x < 0: the other constants must be fitted all the same."""
    truth = Expression.parse(text, DEFAULT)
    X = np.random.default_rng(0).normal(size=(n, 3))
    y = truth.to_callable()(X)
    # the exponents are known, the rest starts from 1
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
        options = FitOptions(max_steps=20, is_scale_free=True)  # a free scale does not need the detour
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


def random_batch(n: int = 400) -> Batch:
    return Batch.from_tokens(DEFAULT, Grammar(DEFAULT, max_length=20).sample(n, seed=1))


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


def test_a_result_depends_on_the_expression_alone() -> None:
    """Not on its place in the batch, its neighbours, or the order of its operands."""
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


GOOD_X, GOOD_Y = np.arange(12.0).reshape(4, 3), np.array([1.0, 2.0, 3.0, 5.0])


def spoil(array: np.ndarray, at: object, value: float) -> np.ndarray:
    copy = array.copy()
    copy[at] = value
    return copy


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.empty((0, 3)), []), "X is empty: 0 rows"),
        ((GOOD_X[:, :2], GOOD_Y), "X has 2 columns but the vocabulary has 3 variables"),
        ((np.ones((4, 5)), GOOD_Y), "X has 5 columns but the vocabulary has 3 variables"),
        ((GOOD_X[0], GOOD_Y), "1 dimension"),
        ((GOOD_X, GOOD_Y[:3]), "y has 3 rows but X has 4"),
        ((GOOD_X, GOOD_X), "y must be one column"),
        ((spoil(GOOD_X, (2, 1), np.nan), GOOD_Y), "X has NaN in row 2, column 'y'"),
        ((spoil(GOOD_X, (3, 2), np.inf), GOOD_Y), "X has an infinite value in row 3, column 'z'"),
        ((GOOD_X, spoil(GOOD_Y, 1, np.nan)), "y has NaN in row 1"),
        ((GOOD_X, spoil(GOOD_Y, 0, -np.inf)), "y has an infinite value in row 0"),
        ((GOOD_X, np.full(4, 2.5)), "y is constant \\(2.5"),
        ((GOOD_X, 1e-200 * GOOD_Y), "rescale"),
        ((GOOD_X, 1e200 * GOOD_Y), "rescale"),
        ((GOOD_X[:1], GOOD_Y[:1]), "only one row"),
        ((GOOD_X.astype(str), GOOD_Y), "X cannot be read as numbers: it is of type"),
        ((np.full((4, 3), "a", dtype=object), GOOD_Y), "X cannot be read as a table of numbers"),
        ((GOOD_X + 1j, GOOD_Y), "X cannot be read as numbers: it is of type complex"),
        (([[1.0, 2.0], [1.0]], GOOD_Y), "X cannot be read"),
        ((GOOD_X.astype("datetime64[D]"), GOOD_Y), "X cannot be read as numbers: it is of type datetime"),
        ((np.ma.masked_less(GOOD_X, 2), GOOD_Y), "X has masked values"),
        ((GOOD_X, [1, 2, 3, 10**400]), "y cannot be read as a table of numbers"),
        ((GOOD_X.astype(np.longdouble) * np.longdouble("1e4000"), GOOD_Y), "X has an infinite value"),
        ((pd.DataFrame(GOOD_X, columns=["x", "z", "y"]), GOOD_Y), "column 1 of X is called 'z' where .* 'y'"),
        ((GOOD_X, GOOD_Y, [1.0, -1.0, 1.0, 1.0]), "sample_weight is negative in row 1"),
        ((GOOD_X, GOOD_Y, np.zeros(4)), "sample_weight is zero in every row"),
        ((GOOD_X, GOOD_Y, [1.0]), "sample_weight has 1 rows"),
        ((GOOD_X, [1.0, 1.0, 1.0, 2.0], [1.0, 1.0, 1.0, 0.0]), "all the same"),
    ],
)
def test_bad_data_is_named(arguments: tuple, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Engine(DEFAULT, *arguments)


@pytest.mark.parametrize(
    "options",
    [
        *({"max_steps": bad} for bad in (-1, 2.5, 2**40, None, True)),
        *({"n_starts": bad} for bad in (0, 1.5)),
        *({"tolerance": bad} for bad in (-1.0, np.nan, "small")),
        {"is_scale_free": 1},
    ],
)
def test_bad_options_are_named(options: dict) -> None:
    with pytest.raises(DataError, match=next(iter(options))):
        FitOptions(**options)


@pytest.mark.parametrize(
    "setting",
    [
        *({"seed": bad} for bad in (-1, 0.5, 2**64)),
        *({"n_threads": bad} for bad in (0, 2.5, 2**31)),
        *({"fit_rows": bad} for bad in (0, 2.5, None)),
        {"options": {"max_steps": 3}},
    ],
)
def test_bad_settings_are_named(setting: dict) -> None:
    with pytest.raises(DataError, match=next(iter(setting))):
        Engine(DEFAULT, GOOD_X, GOOD_Y, **setting)


def test_tables_with_names_are_taken() -> None:
    table = pd.DataFrame(GOOD_X, columns=["x", "y", "z"])
    expression = Expression.parse("? * x + y", DEFAULT)
    expected = Engine(DEFAULT, GOOD_X, GOOD_Y).score([expression]).nrmse
    assert Engine(DEFAULT, table, pd.Series(GOOD_Y)).score([expression]).nrmse == expected


def test_bad_batches_are_named() -> None:
    engine = Engine(DEFAULT, GOOD_X, GOOD_Y)
    good = Expression.parse("x + ? * y", DEFAULT)
    with pytest.raises(ExpressionError, match="at least one"):
        engine.score([])
    for slip in (good, "x", 3):
        with pytest.raises(ExpressionError, match="give a list of expressions"):
            engine.score(slip)  # type: ignore[arg-type]
    with pytest.raises(ExpressionError, match="'x' is no Expression"):
        engine.score(["x"])  # type: ignore[list-item]
    assert len(engine.score(expression for expression in (good, good))) == 2
    with pytest.raises(ExpressionError, match="another vocabulary"):
        engine.score([Expression.parse("x", Vocabulary(("x", "y", "q")))])
    with pytest.raises(ExpressionError, match="share one vocabulary"):
        engine.score([good, Expression.parse("x", Vocabulary(("x",)))])
    incomplete = Batch.from_tokens(DEFAULT, np.array([[0, 13, 14], [0, 13, -1]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="expression 1.*missing"):
        engine.score(incomplete)
    unknown = Batch.from_tokens(DEFAULT, np.array([[99, -1]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="expression 0, position 0: token 99"):
        engine.score(unknown)
    trailing = Batch.from_tokens(DEFAULT, np.array([[13, 14]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="follow a complete expression"):
        engine.score(trailing)
    padded = Batch.from_tokens(DEFAULT, np.array([[13, -1, 13]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="position 2: a token stands behind the padding"):
        engine.score(padded)
    sin, x = DEFAULT.token("sin"), DEFAULT.token("x")
    with pytest.raises(ExpressionError, match="more than 4096 tokens"):
        engine.score(Batch.from_tokens(DEFAULT, np.array([[sin] * 4096 + [x]])))
    with pytest.raises(ExpressionError, match="1-D"):
        Batch.from_tokens(DEFAULT, np.array([13], dtype=np.int16))
    short = Batch(DEFAULT, Batch.of([good]).tokens, np.ones((1, 0)))
    with pytest.raises(ExpressionError, match="more constants"):
        engine.score(short)


def test_the_instruction_set_is_one_of_those_built() -> None:
    assert _core.instruction_set() in ("baseline", "avx2", "avx512")
