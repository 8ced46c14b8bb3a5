"""Templates: reading them, and the formulas that filled ones stand for."""

import pickle

import numpy as np
import pytest

from ddsr.errors import ExpressionError, TemplateError
from ddsr.expression import Expression, Node, Vocabulary
from ddsr.expression.operators import TEMPLATE
from ddsr.expression.template_parser import parse_template

COLUMNS = ("t", "x", "z")


def filled(text: str, *parts: str) -> Expression:
    vocabulary = Vocabulary(COLUMNS, template=parse_template(text, COLUMNS))
    trees = [Expression.parse(part, vocabulary.of_parts).tree for part in parts]
    return Expression.from_tree(vocabulary, Node.operator(TEMPLATE, *trees))


def test_names_are_constants_or_functions() -> None:
    template = parse_template("A * exp(-f(t)) + g(x, z) + 2 * ?", COLUMNS)
    assert [str(hole) for hole in template.constants] == ["A", "c1"]
    assert [str(hole) for hole in template.functions] == ["f(t)", "g(x, z)"]


def test_a_function_of_all_columns() -> None:
    columns = ("t", "x y", "exp")
    (hole,) = parse_template("f(...) + 1", columns).holes
    assert hole.inputs == columns


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "is empty"),
        ("A *", "unexpected end of text"),
        ("2 * x", "nothing to fit"),
        ("f()", "'f' at position 0 needs inputs"),
        ("f(x) + f(x, z)", "2 inputs here, but 1 before"),
        ("A * A(x)", "both a constant and a function"),
        ("x(t)", "'x' at position 0 is a variable"),
        ("f(x, x)", "the input 'x' twice"),
        ("f(2 * x)", "the argument 2 \\* x of .f. at position 0 is not a column: add a column"),
        ("f(X)", "the argument 'X' of 'f' at position 0 is not a column .did you mean 'x'"),
        ("sin + A", "lacks its arguments"),
        ("A * sin(x, z)", "takes 1 operand"),
        ("A $ x", "unexpected character"),
    ],
)
def test_bad_templates_are_refused_with_the_part(text: str, what: str) -> None:
    with pytest.raises(TemplateError, match=what.replace("(", r"\(")):
        parse_template(text, COLUMNS)


def test_a_template_must_be_a_text() -> None:
    with pytest.raises(TemplateError, match="must be a text"):
        parse_template(3, COLUMNS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "parts", "whole"),
    [
        ("A * exp(-f(t)) + g(x, z)", ("3", "0.5 * t", "x / z"), "3 * exp(-(0.5 * t)) + x / z"),
        ("f(x) - f(z)", ("sin(2 * x)",), "sin(2 * x) - sin(2 * z)"),
        ("f(x, z) / f(z, x)", ("x + 3 * z",), "(x + 3 * z) / (z + 3 * x)"),
        ("2 * f(x)^2", ("1.0",), "2 * 1.0^2"),
    ],
)
def test_the_formula_of_a_filled_template(text: str, parts: tuple[str, ...], whole: str) -> None:
    expression = filled(text, *parts)
    assert str(expression) == whole
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (20, 3))
    expected = Expression.parse(whole, expression.expanded.vocabulary).to_callable()(rows)
    np.testing.assert_allclose(expression.to_callable()(rows), expected)
    assert expression.to_sympy() == Expression.parse(whole, expression.expanded.vocabulary).to_sympy()


def test_exports() -> None:
    expression = filled("A * f(x) - f(z)", "2.5", "0.5 * exp(x)")
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (9, 3))
    expected = 2.5 * 0.5 * np.exp(rows[:, 1]) - 0.5 * np.exp(rows[:, 2])
    namespace: dict[str, object] = {}
    exec(expression.to_python(), namespace)
    source = namespace["equation"]
    assert callable(source)
    np.testing.assert_allclose(source(*rows.T), expected)
    torch = pytest.importorskip("torch")
    np.testing.assert_allclose(expression.to_torch()(torch.tensor(rows)).detach().numpy(), expected)
    assert expression.to_latex().startswith("2.5")
    assert pickle.loads(pickle.dumps(expression)) == expression
    assert expression.variables_used == ("x", "z")


def test_names_of_constants() -> None:
    expression = filled("A * f(x) - f(z) + 2", "2.5", "0.5 * exp(x)")
    assert expression.constants == (2.5, 0.5)
    assert expression.constant_names == ("A", None)
    assert expression.skeleton() == "? * (? * exp(x)) - ? * exp(z) + 2"
    assert expression.skeleton(["A", "k"]) == "A * (k * exp(x)) - k * exp(z) + 2"


def test_parts() -> None:
    expression = filled("A * f(x) + g(z)", "2.5", "2 * x + x", "z * z * z")
    assert [str(part) for part in expression.parts] == ["2.5", "2 * x + x", "z * z * z"]
    assert [str(part) for part in expression.simplified().parts] == ["2.5", "3 * x", "z^3"]
    assert expression.with_parts(expression.parts) == expression
    plain = Expression.parse("x + z", Vocabulary(COLUMNS))
    assert plain.parts == (plain,) and plain.with_parts([plain]) == plain and plain.expanded is plain


def test_a_template_stands_only_at_the_root() -> None:
    vocabulary = Vocabulary(COLUMNS, template=parse_template("A * f(x)", COLUMNS))
    inner = Node.operator(TEMPLATE, Node.constant(), Node.variable("x"))
    token = vocabulary.token(TEMPLATE)
    with pytest.raises(ExpressionError, match="only stand at the root"):
        Expression(vocabulary, [vocabulary.token("sin"), token, vocabulary.constant, vocabulary.token("x")])
    assert Expression.from_tree(vocabulary, inner).is_filled


def test_operators_of_a_template_need_not_be_searched() -> None:
    vocabulary = Vocabulary(("x",), ("add",), template=parse_template("tanh(f(x))", ("x",)))
    expression = Expression.from_tree(vocabulary, Node.operator(TEMPLATE, Node.variable("x")))
    assert str(expression) == "tanh(x)"
