"""Operators that users define: values, derivatives, exports, files, and what is refused."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sympy
from scipy import special

from ddsr import CustomOperator, Expression, ExpressionError, RunError, Vocabulary, VocabularyError
from ddsr.engine import Engine, FitOptions, gradients, values
from ddsr.expression import OPERATORS, Node
from ddsr.expression.definitions import (
    read_operators,
    restored_operators,
    saved_operators,
    split_operators,
    written_out,
)
from ddsr.expression.template_parser import parse_template
from ddsr.report.mathml import to_mathml
from ddsr.selection.guards.poles import have_poles

BASIC = ("add", "sub", "mul", "div", "pow", "sin", "neg")
X = np.random.default_rng(0).uniform(0.2, 3.0, (50, 2))
x, y = X.T
FORMULAS = read_operators(
    [
        "lorentz(x) = 1 / (1 + x^2)",
        "mm(s, k) = s / (k + s)",
        "same(z) = z",
        "twice(t) = lorentz(t) + lorentz(2 * t)",
        "wave(a, b) = exp(-a) * sin(a * b) - a^2.5 + hypot(a, b)",
    ]
)
VALUES = {
    "lorentz(1.3 * x)": 1.0 / (1.0 + (1.3 * x) ** 2),
    "2.0 * mm(x, 0.7 * y)": 2.0 * x / (0.7 * y + x),
    "same(1.7 * x)": 1.7 * x,
    "twice(0.4 * x + y)": 1.0 / (1.0 + (0.4 * x + y) ** 2) + 1.0 / (1.0 + 4.0 * (0.4 * x + y) ** 2),
    "wave(0.9 * x, 1.1)": np.exp(-0.9 * x) * np.sin(0.99 * x) - (0.9 * x) ** 2.5 + np.hypot(0.9 * x, 1.1),
    "lorentz(mm(x, 1.5))": 1.0 / (1.0 + (x / (1.5 + x)) ** 2),
}
VOCABULARY = Vocabulary(("x", "y"), (*BASIC, *FORMULAS))
texts = pytest.mark.parametrize("text", VALUES)


def square_root(a):
    return np.sqrt(a)


J0 = CustomOperator("j0", special.j0, sympy=lambda a: sympy.besselj(0, a), python="scipy.special.j0")
BETA = CustomOperator("betaln", special.betaln)
ROOT = CustomOperator("root", square_root, derivative=lambda a: 0.5 / np.sqrt(a), torch="sqrt", sympy="sqrt")
PAIR = CustomOperator("pair", lambda a, b: a * b**2, derivative=lambda a, b: (b**2, 2 * a * b))
FUNCTIONS = Vocabulary(("x", "y"), (*BASIC, J0, BETA, ROOT, PAIR))


def run_source(source: str, *arguments: np.ndarray) -> np.ndarray:
    names: dict = {}
    exec(source, names)
    return names["equation"](*arguments)


def differences(expression: Expression, constant: int) -> np.ndarray:
    step = 1e-6
    shifted = []
    for sign in (1.0, -1.0):
        constants = list(expression.constants)
        constants[constant] += sign * step
        shifted.append(expression.with_constants(constants).to_callable()(X))
    return (shifted[0] - shifted[1]) / (2.0 * step)


@texts
def test_values_are_those_of_the_formula(text: str) -> None:
    expression = Expression.parse(text, VOCABULARY)
    found, is_finite = values([expression], X)
    assert is_finite[0]
    np.testing.assert_allclose(found[0], VALUES[text], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(expression.to_callable()(X), VALUES[text], rtol=1e-13, atol=1e-14)


@texts
def test_derivatives_are_those_of_the_formula(text: str) -> None:
    expression = Expression.parse(text, VOCABULARY)
    found, is_finite = gradients([expression], X)
    assert is_finite[0]
    for constant in range(expression.n_constants):
        np.testing.assert_allclose(
            found[0, :, constant], differences(expression, constant), rtol=1e-7, atol=1e-8
        )


@texts
def test_every_export_has_the_values(text: str) -> None:
    torch = pytest.importorskip("torch")
    expression = Expression.parse(text, VOCABULARY)
    assert Expression.parse(str(expression), VOCABULARY) == expression
    np.testing.assert_allclose(run_source(expression.to_python(), x, y), VALUES[text], rtol=1e-12)
    form = sympy.lambdify(sympy.symbols("x y"), expression.to_sympy())
    np.testing.assert_allclose(form(x, y), VALUES[text], rtol=1e-9)
    assert form.__doc__ is None or "lorentz" not in str(expression.to_sympy())
    found = expression.to_torch()(torch.tensor(X)).detach().numpy()
    np.testing.assert_allclose(found, VALUES[text], rtol=1e-12)
    np.testing.assert_allclose(written_out(expression).to_callable()(X), VALUES[text], rtol=1e-12)


def test_the_name_is_printed() -> None:
    expression = Expression.parse("lorentz(2*x)", VOCABULARY)
    assert str(expression) == "lorentz(2 * x)"
    assert r"\operatorname{lorentz}" in expression.to_latex()
    assert "<mi>lorentz</mi>" in to_mathml(expression, "y", 4)
    assert [own.text for own in expression.own_operators] == ["lorentz(x) = 1 / (1 + x^2)"]
    assert "def lorentz(x):" in expression.to_python()


def test_the_source_keeps_its_names_apart() -> None:
    vocabulary = Vocabulary(("equation", "f"), ("add", *read_operators(["np(x) = x^2"])))
    expression = Expression.parse("np(f) + equation", vocabulary)
    np.testing.assert_allclose(run_source(expression.to_python(), y, x), x**2 + y)


def test_an_undefined_value_inside_the_formula_is_seen() -> None:
    (own,) = read_operators(["hidden(x) = 1 / (1 / x)"])
    expression = Expression.parse("hidden(x)", Vocabulary(("x",), (own,)))
    assert not values([expression], [[0.0], [1.0]])[1][0]
    assert values([expression], [[0.5], [1.0]])[1][0]


@texts
def test_simplification_keeps_the_values(text: str) -> None:
    expression = Expression.parse(f"({text}) * 1.5 * y / y + 0.0", VOCABULARY)
    shorter = expression.simplified()
    assert len(shorter) < len(expression)
    np.testing.assert_allclose(shorter.to_callable()(X), 1.5 * VALUES[text], rtol=1e-12)


def test_constants_within_are_fitted() -> None:
    truth = Expression.parse("1.7 * mm(x, 0.6)", VOCABULARY)
    start = truth.with_constants([1.0, 1.0])
    target = values([truth], X)[0][0]
    scores = Engine(VOCABULARY, X, target, options=FitOptions(max_steps=50, tolerance=0.0)).score([start])
    assert scores.nrmse[0] < 1e-9
    assert sorted(scores.batch[0].constants) == pytest.approx([0.6, 1.7])


def test_the_poles_of_a_formula_are_seen() -> None:
    (own,) = read_operators(["shifted(x) = 1 / (x - 1)"])
    vocabulary = Vocabulary(("x",), ("mul", own))
    expressions = [Expression.parse("shifted(x)", vocabulary)]
    rows = np.linspace(0.0, 2.05, 40)[:, None]
    assert have_poles(expressions, rows)[0]
    assert not have_poles(expressions, rows + 2.0)[0]


def test_templates_use_them() -> None:
    template = parse_template("A * lorentz(f(x)) + y", ("x", "y"), FORMULAS)
    vocabulary = Vocabulary(("x", "y"), (*BASIC, *FORMULAS), template=template)
    parts = Node.constant(2.5), Node.operator("sin", Node.variable("x"))
    filled = Expression.from_tree(vocabulary, Node.operator("template", *parts))
    found, _ = values([filled], X)
    np.testing.assert_allclose(found[0], 2.5 / (1.0 + np.sin(x) ** 2) + y, rtol=1e-13)
    assert str(filled) == "2.5 * lorentz(sin(x)) + y"


# Python functions

FUNCTION_VALUES = {
    "j0(1.3 * x)": special.j0(1.3 * x),
    "1.2 * betaln(x, 0.8 * y)": 1.2 * special.betaln(x, 0.8 * y),
    "root(0.9 * x) + y": np.sqrt(0.9 * x) + y,
    "pair(1.1 * x, y * 0.7)": 1.1 * x * (0.7 * y) ** 2,
}


@pytest.mark.parametrize("text", FUNCTION_VALUES)
def test_a_function_has_its_values_and_derivatives(text: str) -> None:
    expression = Expression.parse(text, FUNCTIONS)
    found, is_finite = values([expression], X, n_threads=2)
    assert is_finite[0]
    np.testing.assert_allclose(found[0], FUNCTION_VALUES[text], rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(expression.to_callable()(X), FUNCTION_VALUES[text], rtol=1e-13, atol=1e-14)
    slopes, _ = gradients([expression], X)
    for constant in range(expression.n_constants):
        expected = differences(expression, constant)
        np.testing.assert_allclose(slopes[0, :, constant], expected, rtol=1e-6, atol=1e-8)


def test_a_function_is_exported_where_it_is_mapped() -> None:
    torch = pytest.importorskip("torch")
    j0, root = (Expression.parse(text, FUNCTIONS) for text in ("j0(1.3 * x)", "root(x)"))
    np.testing.assert_allclose(run_source(j0.to_python(), x, y), special.j0(1.3 * x))
    assert j0.to_sympy().has(sympy.besselj)
    assert root.to_sympy() == sympy.sqrt(sympy.Symbol("x"))
    np.testing.assert_allclose(root.to_torch()(torch.tensor(X)).detach().numpy(), np.sqrt(x))
    with pytest.raises(ExpressionError, match=r"'j0' has no torch function.*torch=…"):
        j0.to_torch()(torch.tensor(X))
    with pytest.raises(ExpressionError, match=r"'root' has no python function.*python='module.function'"):
        root.to_python()
    with pytest.raises(ExpressionError, match=r"'betaln' has no sympy function.*sympy=…"):
        Expression.parse("betaln(x, y)", FUNCTIONS).to_sympy()
    assert Expression.parse("betaln(x, y) + 1", FUNCTIONS).complexity() == 5


def test_a_function_that_fails_has_no_values_there() -> None:
    def fails(a):
        if (a > 2.0).any():
            raise ValueError("too large")
        return a

    expression = Expression.parse("fails(x)", Vocabulary(("x",), (CustomOperator("fails", fails),)))
    assert values([expression], [[0.5], [1.0]])[1][0]
    assert not values([expression], [[0.5], [3.0]])[1][0]


def test_a_formula_may_use_a_function() -> None:
    operators = read_operators([J0, "shrunk(x) = j0(x) / (1 + x)"])
    expression = Expression.parse("shrunk(2.0 * x)", Vocabulary(("x", "y"), ("mul", *operators)))
    expected = special.j0(2.0 * x) / (1.0 + 2.0 * x)
    np.testing.assert_allclose(values([expression], X)[0][0], expected, rtol=1e-13)
    np.testing.assert_allclose(gradients([expression], X)[0][0, :, 0], differences(expression, 0), rtol=1e-7)
    np.testing.assert_allclose(run_source(expression.to_python(), x, y), expected, rtol=1e-13)


# Pickles and files


@pytest.mark.parametrize("vocabulary", [VOCABULARY, Vocabulary(("x", "y"), ("add", ROOT))])
def test_a_vocabulary_is_pickled(vocabulary: Vocabulary) -> None:
    if vocabulary is not VOCABULARY:  # a lambda is not pickled
        vocabulary = Vocabulary(("x", "y"), ("add", CustomOperator("root", square_root)))
    twin = pickle.loads(pickle.dumps(vocabulary))
    assert twin == vocabulary and hash(twin) == hash(vocabulary)
    text = f"{vocabulary.own[0].name}(x)"
    found, expected = (values([Expression.parse(text, each)], X)[0] for each in (twin, vocabulary))
    np.testing.assert_array_equal(found, expected)


def test_operators_are_restored_as_files_hold_them() -> None:
    operators = (*BASIC, *FORMULAS, J0)
    saved = saved_operators(operators)
    assert saved[-1] == {"function": "j0"}
    assert read_operators(restored_operators(saved, [J0])) == operators
    with pytest.raises(RunError, match=r"'j0' is a Python function, which files do not keep"):
        restored_operators(saved)


def test_a_list_is_split_at_its_commas() -> None:
    assert split_operators("+, mm(s, k) = s / (k + s), sin") == ["+", "mm(s, k) = s / (k + s)", "sin"]


# Refused


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("f(x) = x + q", "unknown name 'q' at position 5; the arguments are: x"),
        ("f(x) = g(x)", "unknown function 'g'"),
        ("f(x) = 1 + f(x)", "the operator itself, which cannot be part of its formula"),
        ("f() = 2", "has no arguments"),
        ("f = 2", "has no arguments"),
        ("f(a, b, c) = a * b * c", "has 3 arguments; it may have one or two"),
        ("f(a, a) = a", "has the argument 'a' twice"),
        ("f(a, b) = a", "does not use its argument 'b'"),
        ("f(x) =", "it is empty"),
        ("f(x) = ? * x", "is not a number"),
        ("f(x) = (x", "never closed"),
        ("sin(x) = x^2", "there is already an operator 'sin'"),
        ("2f(x) = x^2", "must consist of letters"),
        ("f(2) = x", "'2' cannot be the name of an argument"),
        ("= x", "cannot read|must consist of letters|has no arguments"),
    ],
)
def test_a_wrong_definition_is_refused(text: str, reason: str) -> None:
    with pytest.raises(VocabularyError, match=reason):
        read_operators([text])


def test_names_must_differ() -> None:
    with pytest.raises(VocabularyError, match="'f' is defined more than once"):
        read_operators(["f(x) = x^2", "f(x) = x^3"])
    with pytest.raises(VocabularyError, match="'lorentz' has the name of a column"):
        Vocabulary(("lorentz",), FORMULAS)
    with pytest.raises(VocabularyError, match="there is already an operator 'exp'"):
        CustomOperator("exp", np.exp)
    many = read_operators([f"f{n}(x) = x + {n}" for n in range(9)])
    with pytest.raises(VocabularyError, match="at most 8 operators of 1 argument"):
        _ = Vocabulary(("x",), many).core


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: CustomOperator("f", 3), "is not callable"),
        (lambda: CustomOperator("f", lambda: 1.0), "takes 0 arguments"),
        (lambda: CustomOperator("f", lambda a, b, c: a), "takes 3 arguments"),
        (lambda: CustomOperator("f", lambda a: a[:2]), "must return one of this shape"),
        (lambda: CustomOperator("f", lambda a: float(a)), "must take 1 array"),
        (lambda: CustomOperator("f g", np.sin), "must consist of letters"),
    ],
)
def test_a_wrong_function_is_refused(make, reason: str) -> None:
    with pytest.raises(VocabularyError, match=reason):
        make()


def test_the_table_itself_does_not_change() -> None:
    assert "lorentz" not in OPERATORS
    assert not any(name.startswith("own") for name in OPERATORS)


@pytest.mark.parametrize(
    ("arity", "function", "derivative", "message"),
    [
        (
            1,
            np.sin,
            lambda a: 5.0 + a,
            "its derivative is 5.1 at 0.1, but differences of its function give 0.995",
        ),
        (1, np.sin, lambda a, b: a, r"its derivative must take 1 array\(s\)"),
        (2, lambda a, b: a * b**2, lambda a, b: (b**2, a * b), "its derivative is"),
    ],
)
def test_wrong_derivatives_are_refused(arity, function, derivative, message):
    with pytest.raises(VocabularyError, match=message):
        CustomOperator("wrong", function, derivative=derivative)
