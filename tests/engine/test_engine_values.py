"""Values and derivatives compared with NumPy, SymPy and complex steps."""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from hypothesis import given

import oracle
from ddsr.engine import Engine, FitStatus, gradients, values
from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.expression.operators import numpy_function, sympy_function
from strategies import FULL as EVERYTHING
from strategies import PLAIN as DEFAULT
from strategies import examples, expressions, mild_floats

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


@examples(1500)
@given(expressions(EVERYTHING, 25, mild_floats))
def test_values_agree_with_numpy(expression: Expression) -> None:
    expected = oracle.evaluate(expression, ROWS)
    # rows that rounding cannot carry over the edge of a domain, or to where first-order bounds are wrong
    is_sure = expected.worst <= 1e-6 * np.minimum(1.0, np.abs(expected.value))
    is_sure |= ~expected.is_finite & (expected.worst <= 1e-9)
    if not is_sure.any():
        return
    found, is_finite = values([expression], ROWS[is_sure])
    assert is_finite[0] == expected.is_finite[is_sure].all()
    is_good = expected.is_finite[is_sure]
    difference = np.abs(found[0][is_good] - expected.value[is_sure][is_good])
    assert (difference <= 2 * expected.bound[is_sure][is_good]).all()
    if is_good.any():  # the finite rows alone are finite
        assert values([expression], ROWS[is_sure][is_good])[1][0]


@examples(1500)
@given(expressions(DEFAULT, 25, mild_floats))
def test_gradients_agree_with_complex_steps(expression: Expression) -> None:
    """f(c + ih)/h has no cancellation, so it is exact up to rounding where f is analytic."""
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
    """Rows where no power or root has a base of at most 0, for which complex and real powers differ."""
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
    """In tokens, the second operand of a binary operator comes before a constant inside the first."""
    return tuple(reversed(constants))


def _sympy_slope(expression: Expression, index: int, x: float) -> float:
    """Symmetric difference of SymPy's value at 60 digits."""
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
    """The value is that of NumPy, or the status says that there is none; there is never a warning."""
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
