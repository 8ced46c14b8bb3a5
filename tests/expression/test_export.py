"""NumPy, Python source, SymPy and LaTeX agree with the expression."""

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
import sympy
from hypothesis import given, reject

from ddsr import DataError, Expression, ExpressionError, Vocabulary
from ddsr.expression.latex import write_name
from strategies import FULL, data, examples, expressions, mild_floats

XY = Vocabulary(("x", "y"))


def run_source(expression: Expression, X: np.ndarray, name: str = "equation") -> np.ndarray:
    namespace: dict[str, object] = {}
    exec(compile(expression.to_python(name), "<equation>", "exec"), namespace)
    return namespace[name](*X.T)


def steady_rows(expression: Expression, X: np.ndarray) -> np.ndarray:
    """Rows where every part of the expression is finite, moderate and not close to a jump.

    Elsewhere two correct computations may differ: rounding decides tan(pi/2).
    """
    is_steady = np.ones(len(X), dtype=bool)
    pending = [expression.tree]
    while pending:
        node = pending.pop()
        pending.extend(node.children)
        part = Expression.from_tree(expression.vocabulary, node).to_callable()
        value, near = part(X), part(X * (1 + 1e-11) + 1e-11)
        with np.errstate(all="ignore"):
            is_steady &= (np.abs(value) < 1e8) & (np.abs(near - value) < 1e-6 * (1 + np.abs(value)))
            if node.children:  # where SymPy's 0 is 1e-17 in doubles
                is_steady &= np.abs(value) > 1e-8
    return is_steady


FUNCTIONS_OF_REALS = sympy.Min, sympy.Max, sympy.sign, sympy.floor, sympy.Heaviside, sympy.atan2


@examples(100)
@given(expressions(FULL, 12, mild_floats))
def test_sympy_agrees_with_numpy(expression):
    X = data()
    values, rows = expression.to_callable()(X), steady_rows(expression, X)
    form = expression.to_sympy()
    if form.has(sympy.zoo, sympy.oo, sympy.nan, sympy.AccumBounds):
        assert not rows.any()
        return
    function = sympy.lambdify(sympy.symbols("x y z"), form, ["scipy", "numpy"])
    is_of_reals = form.has(*FUNCTIONS_OF_REALS)
    with np.errstate(all="ignore"):
        found = np.broadcast_to(function(*X.astype(float if is_of_reals else complex).T), len(X))
    if is_of_reals:  # where SymPy's form is real only in the end
        rows = rows & np.isfinite(found)
    np.testing.assert_allclose(found[rows].real, values[rows], rtol=1e-5, atol=1e-5)


@pytest.mark.slow
@examples(100)
@given(expressions(FULL, 10, mild_floats))
def test_sympy_at_high_precision_agrees_with_numpy(expression):
    X = data(n_rows=2)
    try:
        form, values = expression.to_sympy(), expression.to_callable()(X)
    except OverflowError:  # SymPy asks for the sign of cosh(exp(exp(...))), too many digits for mpmath
        reject()
    for k in np.flatnonzero(steady_rows(expression, X)):
        exact = complex(form.evalf(30, subs=dict(zip(sympy.symbols("x y z"), X[k], strict=True))))
        assert exact.real == pytest.approx(values[k], rel=1e-6, abs=1e-6)


@examples(250)
@given(expressions(max_size=15) | expressions(FULL, 15, mild_floats))
def test_source_agrees_with_the_callable(expression):
    X = data(n_features=len(expression.vocabulary.variables))
    values, found = expression.to_callable()(X), run_source(expression, X)
    assert found.shape == values.shape
    rows = steady_rows(expression, X)  # elsewhere the last digit of a power decides
    np.testing.assert_allclose(found[rows], values[rows], rtol=1e-6)


@examples(200)
@given(expressions(FULL, 15))
def test_the_callable_is_silent_and_leaves_its_input_alone(expression):
    X = np.array([[0.0, -1.0, 1e300], [np.inf, np.nan, -1e300]])
    kept = X.copy()
    values = pickle.loads(pickle.dumps(expression.to_callable()))(X)
    assert values.shape == (2,) and values.dtype == np.float64
    values[:] = 7.0
    np.testing.assert_array_equal(X, kept)


def test_values_of_known_expressions():
    X = np.array([[2.0, 3.0], [4.0, -1.0]])
    for text, expected in (
        ("x - y / 2", [0.5, 4.5]),
        ("x ^ y ^ 2", [512.0, 4.0]),
        ("sqrt(y)", [np.sqrt(3.0), np.nan]),
        ("1 / (x - 2)", [np.inf, 0.5]),
        ("1.5", [1.5, 1.5]),
        ("(-8) ^ 0.5 + x", [np.nan, np.nan]),
        ("1 / 0", [np.inf, np.inf]),
    ):
        np.testing.assert_array_equal(Expression.parse(text, XY).to_callable()(X), expected)
    assert Expression.parse("x", XY).to_callable()([[1, 2], [3, 4]]).tolist() == [1.0, 3.0]
    assert Expression.parse("1", XY).to_callable()(np.empty((0, 2))).shape == (0,)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1.0, 2.0], r"shape \(n_rows, 2\), one column per variable, not \(2,\)"),
        (np.ones((3, 3)), r"not \(3, 3\)"),
        ([["a", "b"]], "only numbers"),
    ],
)
def test_the_callable_refuses_other_data(X, message):
    with pytest.raises(DataError, match=message):
        Expression.parse("x", XY).to_callable()(X)


@pytest.mark.parametrize(
    "text",
    [
        "1 / 0",
        "(-8) ^ 0.5 + x",
        "10.5 ^ 400",
        "inverse(0)",
        "square(1e200)",
        "cube(1e200) * y",
        "1",
    ],
)
def test_source_of_numbers_overflows_like_the_callable(text):
    expression, X = Expression.parse(text, FULL), data()
    np.testing.assert_array_equal(run_source(expression, X), expression.to_callable()(X))


def test_source_text():
    expression = Expression.parse("-x^2 / (1 - `my var`) + 2^0.5", Vocabulary(("x", "my var")))
    assert expression.to_python("area") == (
        "import numpy as np\n"
        "\n"
        "\n"
        "def area(x, my_var):\n"
        "    '-x^2 / (1 - `my var`) + 2^0.5'\n"
        "    # my_var is 'my var'\n"
        "    x = np.asarray(x, dtype=np.float64)\n"
        "    my_var = np.asarray(my_var, dtype=np.float64)\n"
        '    with np.errstate(all="ignore"):\n'
        "        return -1.0 * x ** 2.0 / (1.0 - my_var) + np.power(2.0, 0.5)\n"
    )


def test_source_arguments_are_identifiers_of_their_own():
    names = ("np", "lambda", "a b", "a_b", "a-b", "1", "β", "f", "ﬁ", "fi", "__debug__", "²")
    expression = Expression.parse("`a b` + 2 * a_b + 3 * `a-b` + 4 * ﬁ + 5 * fi + f", Vocabulary(names))
    line = expression.to_python("f").splitlines()[3]
    assert line == ("def f(np_2, lambda_2, a_b_2, a_b, a_b_3, _1, β, f, fi_2, fi, __debug___2, _2):")
    X = data(n_features=len(names))
    np.testing.assert_allclose(run_source(expression, X, "f"), expression.to_callable()(X))


def test_source_takes_plain_numbers_and_is_self_contained(tmp_path):
    module = tmp_path / "area.py"
    module.write_text(Expression.parse("1 / x + y", XY).to_python() + "print(equation(0, 1))\n")
    ran = subprocess.run([sys.executable, "-W", "error", module], capture_output=True, text=True, check=True)
    assert ran.stdout == "inf\n"
    for name in ("1x", "lambda", "np", "a b", ""):
        with pytest.raises(ExpressionError, match="cannot be the name of a Python function"):
            Expression.parse("x", XY).to_python(name)


def test_sympy_numbers_and_symbols():
    form = Expression.parse("I * beta + 2 + 0.1", Vocabulary(("I", "beta", "sin"))).to_sympy()
    assert form.free_symbols == {sympy.Symbol("I"), sympy.Symbol("beta")}
    assert Expression.parse("x ^ 2", XY).to_sympy() == sympy.Symbol("x") ** 2
    assert Expression.parse("2", XY).to_sympy() is sympy.Integer(2)
    assert Expression.parse("1", XY).to_sympy() is sympy.Integer(1)
    assert Expression.parse("1e16", XY).to_sympy().is_Float  # every double of this size is an integer
    assert Expression.parse("0.333", XY).to_sympy().is_Float


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (repr(1 / 3), sympy.Rational(1, 3)),
        ("-2.5", sympy.Rational(-5, 2)),
        ("1.3 * x", sympy.Float(1.3) * sympy.Symbol("x")),
        ("-0.2 * x", sympy.Float(-0.2) * sympy.Symbol("x")),
        (repr(2 * math.pi), 2 * sympy.pi),
        (repr(-0.75 * math.pi), sympy.Rational(-3, 4) * sympy.pi),
        ("exp(x)^y", sympy.exp(sympy.Symbol("x") * sympy.Symbol("y"))),
        ("sqrt(exp(x))", sympy.exp(sympy.Symbol("x") / 2)),
        ("log(exp(x))", sympy.Symbol("x")),
    ],
)
def test_sympy_symbols_are_real(text, form):
    assert Expression.parse(text, XY).to_sympy() == form


def test_a_power_of_a_fitted_base_is_an_exponential():
    form = Expression.parse("0.6065306597126334 ^ x", XY).to_sympy()
    assert isinstance(form, sympy.exp)
    assert float(form.args[0].coeff(sympy.Symbol("x"))) == pytest.approx(-0.5)


@pytest.mark.parametrize(
    "text",
    [
        *("7 ^ 1e10", "(2 * x) ^ 1e10", "9 ^ 9 ^ 9 ^ 9", "1e300 ^ 1e300", "3 ^ (1e17 / 3)"),
        *("exp(exp(exp(exp(exp(9.5)))))", "log(sin(sinh(-2e16)))", "sin(sqrt(exp(cos(1)^-188)))"),
    ],
)
def test_sympy_does_not_write_out_numbers_beyond_doubles(text):
    assert len(str(Expression.parse(text, FULL).to_sympy())) < 1000


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("2.5 * sin(x)^2 - 1 / y", r"2.5 \, {\sin\left(x\right)}^{2} - \frac{1}{y}"),
        ("(x + y) * (x - (y - 1))", r"\left(x + y\right) \, \left(x - \left(y - 1\right)\right)"),
        ("x + y + 1", "x + y + 1"),
        ("sqrt(x + y) / exp(-2 * x)", r"\frac{\sqrt{x + y}}{e^{-2 \, x}}"),
        ("exp(x)^2", r"{\left(e^{x}\right)}^{2}"),
        ("(x / y)^(x + 1)", r"{\left(\frac{x}{y}\right)}^{x + 1}"),
        ("x - -2 * y", r"x - \left(-2 \, y\right)"),
        ("x * -2", r"x \, \left(-2\right)"),
        ("(-2)^x", r"{\left(-2\right)}^{x}"),
        ("square(x + 1)", r"{\left(x + 1\right)}^{2}"),
        ("2 * 3", r"2 \cdot 3"),
        ("2 * 3^x", r"2 \cdot {3}^{x}"),
        ("-(x * y)", r"-x \, y"),
        ("-(x + y)", r"-\left(x + y\right)"),
        ("x - -y", r"x - \left(-y\right)"),
        ("abs(x - y)", r"\left|x - y\right|"),
        ("0.000012 * x", r"1.2 \times 10^{-5} \, x"),
        ("1e-7^x", r"{\left(1 \times 10^{-7}\right)}^{x}"),
        ("inverse(x) * log(z)", r"\frac{1}{x} \, \log\left(z\right)"),
    ],
)
def test_latex(text, latex):
    assert Expression.parse(text, FULL).to_latex() == latex


@examples(200)
@given(expressions(max_size=12))
def test_latex_of_anything_balances_its_parentheses(expression):
    latex = expression.to_latex(4)
    assert latex.count(r"\left") == latex.count(r"\right")
    for name in expression.variables_used:
        assert write_name(name) in latex


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("beta", r"\beta"),
        ("I", "I"),
        ("pi", r"\pi"),
        ("T_max", "T_{max}"),
        ("größe", "größe"),
        ("speed of light", r"\mathrm{speed\ of\ light}"),
        ("a-b", r"\mathrm{a{-}b}"),
        ("2x", r"\mathrm{2x}"),
        ("x^2", r"\mathrm{x\wedge 2}"),
        ("x__2", r"\mathrm{x\_\_2}"),
        (r"\input{x}", r"\mathrm{\backslash input\{x\}}"),
        ("cost [$]", r"\mathrm{cost\ {[}\${]}}"),
    ],
)
def test_latex_of_names(name, latex):
    assert write_name(name) == latex


def test_latex_names_and_precision():
    vocabulary = Vocabulary(("x_1", "beta", "#1"))
    expression = Expression.parse("3.14159 * x_1 + beta ^ `#1`", vocabulary)
    assert expression.to_latex(3) == r"3.14 \, x_{1} + {\beta}^{\mathrm{\#1}}"
    with pytest.raises(ExpressionError, match="precision"):
        expression.to_latex(0)


def test_sympy_takes_functions_within_functions():
    # SymPy itself takes minutes for this one.
    text = "cosh(tanh(tan(cube(cosh(sqrt(cube(tanh(x^-2.008)))) + 0.8376))))"
    expression = Expression.parse(text, FULL)
    form = expression.to_sympy()
    symbol = next(iter(form.free_symbols))
    rows = np.full((1, len(FULL.variables)), 1.3)
    assert float(form.subs(symbol, 1.3)) == pytest.approx(float(expression.to_callable()(rows)[0]))
