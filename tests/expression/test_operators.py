import numpy as np
import pytest
import sympy
from scipy import special

from ddsr import VocabularyError
from ddsr.expression import DEFAULT_OPERATORS, OPERATORS, Expression, find_operator
from strategies import FULL

EXPECTED = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": np.power,
    "sin": np.sin,
    "cos": np.cos,
    "log": np.log,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "tan": np.tan,
    "tanh": np.tanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "abs": np.abs,
    "neg": np.negative,
    "inverse": np.reciprocal,
    "square": np.square,
    "cube": lambda a: a**3,
    "min": np.minimum,
    "max": np.maximum,
    "sign": np.sign,
    "floor": np.floor,
    "step": lambda a: np.where(a >= 0.0, 1.0, 0.0),
    "erf": special.erf,
    "gamma": special.gamma,
    "logistic": special.expit,
    "relu": lambda a: np.where(a > 0.0, a, 0.0),
    "atan2": np.arctan2,
    "hypot": np.hypot,
}


def test_the_table_holds_the_papers_set_and_the_choices():
    assert set(OPERATORS) == set(EXPECTED)
    assert tuple(OPERATORS)[:10] == DEFAULT_OPERATORS


@pytest.mark.parametrize("name", OPERATORS)
def test_every_row_evaluates_prints_exports_and_parses(name):
    row = OPERATORS[name]
    arguments = ["x", "y"][: row.arity]
    expression = Expression.parse(f"{name}({', '.join(arguments)})", FULL)
    assert [FULL.names[token] for token in expression.tokens] == [name, *arguments]
    assert Expression.parse(str(expression), FULL) == expression

    X = np.random.default_rng(1).uniform(0.1, 0.9, (20, 3))
    columns = X.T[: row.arity]
    np.testing.assert_allclose(expression.to_callable()(X), EXPECTED[name](*columns), rtol=1e-14)

    form = sympy.lambdify(sympy.symbols(arguments), expression.to_sympy(), ["scipy", "numpy"])
    np.testing.assert_allclose(form(*columns), EXPECTED[name](*columns), rtol=1e-14)
    for argument in arguments:
        assert argument in expression.to_latex()


@pytest.mark.parametrize("row", OPERATORS.values(), ids=lambda row: row.name)
def test_an_operator_that_undoes_another_does(row):
    if row.undoes:
        inner = OPERATORS[row.undoes]
        expression = Expression.parse(f"{row.name}({inner.name}(x))", FULL)
        X = np.random.default_rng(1).uniform(0.1, 0.9, (20, 3))
        np.testing.assert_allclose(expression.to_callable()(X), X[:, 0], rtol=1e-12)
    else:
        without = {"add", "sub", "mul", "div", "pow", "tanh", "sinh", "cosh", "cube", "min", "max", "sign"}
        assert row.name in without | {"floor", "step", "erf", "gamma", "logistic", "atan2", "hypot"}


@pytest.mark.parametrize(
    ("text", "name"), [("add", "add"), ("+", "add"), ("^", "pow"), ("**", "pow"), ("/", "div")]
)
def test_operators_are_found_by_name_and_symbol(text, name):
    assert find_operator(text).name == name


def test_an_unknown_operator_is_named_with_the_nearest_known():
    with pytest.raises(VocabularyError, match=r"unknown operator 'sinn' \(did you mean 'sin'\?\)"):
        find_operator("sinn")
    for name, known in [("arctan", "atan"), ("exponential", "exp"), ("ln", "log"), ("times", "mul")]:
        with pytest.raises(VocabularyError, match=f"did you mean '{known}'"):
            find_operator(name)
    with pytest.raises(VocabularyError, match=r"'%'; choose from: add \(\+\), sub \(-\), .*, sin, "):
        find_operator("%")
    with pytest.raises(VocabularyError, match="not 3"):
        find_operator(3)
    with pytest.raises(TypeError):
        OPERATORS["mod"] = OPERATORS["add"]
