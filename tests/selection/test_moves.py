"""Fixing constants and leaving parts out, in every arrangement of operators."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import oracle
from ddsr.engine import values
from ddsr.expression import Expression, Kind, Node, Vocabulary
from ddsr.price.model import Known, Model, known
from ddsr.selection.moves.alternatives import alternatives, fixed_together
from ddsr.selection.moves.fixed_constants import with_fixed_constants
from strategies import FULL, PLAIN, data, expressions, mild_floats


def fixed(text: str, vocabulary: Vocabulary = PLAIN) -> str | None:
    """The text after simplification; numbers with a decimal point are fixed."""
    model = with_fixed_constants(vocabulary, all_known(Expression.parse(text, vocabulary).tree))
    return None if model is None else model.expression.text()


def all_known(node: Node) -> Node:
    if node.kind is Kind.CONSTANT:
        return known(node.value)
    if node.kind is not Kind.OPERATOR:
        return node
    return Node.operator(node.name, *map(all_known, node.children))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x + 0", "x"),
        ("0 + x", "x"),
        ("x - 0", "x"),
        ("0 - x", "-x"),
        ("0 * x", "0"),
        ("x * 0 + y", "y"),
        ("y - sin(x) * 0", "y"),
        ("0 / x", "0"),
        ("x / 0", None),
        ("y + x / 0", None),
        ("x^0 * y", "y"),
        ("x * 1", "x"),
        ("1.0 * x", "x"),
        ("x / 1", "x"),
        ("x^1.0", "x"),
        ("1.0^x", "1"),
        ("0^x", "0^x"),
        ("x^0.5", "sqrt(x)"),
        ("y * x^-1", "y / x"),
        ("exp(0) * x", "x"),
        ("x + sin(0 * y)", "x"),
        ("log(2) * x", "log(2) * x"),
        ("2 * 3 * x", "6 * x"),
        ("(4 - 4) * x + 2 / 8", "0.25"),
        ("log(0) + x", None),
        ("x + -1 * y", "x - y"),
        ("x - -1 * y", "x + y"),
        ("-1 * x + y", "y - x"),
        ("x / -1", "-x"),
        ("-1 * (-1 * x)", "x"),
        ("-1 * log(x / y)", "log(y / x)"),
        ("0 - z * log(x / y)", "z * log(y / x)"),
        ("-1 * (x - y)^3", "(y - x)^3"),
        ("-1 * (x - y)^2", "-(x - y)^2"),
        ("-1 * sin(x - y)", "sin(y - x)"),
        ("-1 * cos(x - y)", "-cos(x - y)"),
        ("-1 * (0.5 * cos(x - y))", "-0.5 * cos(x - y)"),
        ("-1 * (0.5 * (x - y))", "0.5 * (y - x)"),
        ("sqrt(x + 0 * (y / (1.0 + z)))", "sqrt(x)"),
    ],
)
def test_superfluous_parts_are_removed(text: str, expected: str | None) -> None:
    assert fixed(text) == expected


def test_the_vocabulary_says_how_to_negate() -> None:
    assert fixed("0 - x", FULL) == "-x"
    without_one = Vocabulary(("x", "y"), has_one=False)
    assert fixed("x^0 + y", without_one) == "1.0 + y"


def test_operations_on_free_constants_become_one_constant() -> None:
    model = with_fixed_constants(PLAIN, Expression.parse("sin(2 * 0.4) * x", PLAIN).tree)
    assert model is not None and model.is_fixed == (False,)
    assert model.expression.constants == pytest.approx((np.sin(0.8),))


def test_a_minus_is_written_in_the_vocabularys_way() -> None:
    """The tree may have operators that the vocabulary lacks, if they all disappear."""
    tree = Node.operator("sub", known(0.0), Node.operator("sin", Node.variable("x")))
    for operators, text in (
        (("mul", "sin"), "-sin(x)"),
        (("neg", "sin"), "-sin(x)"),
        (("add", "sin"), None),
        (("mul", "cos"), None),
    ):
        model = with_fixed_constants(Vocabulary(("x",), operators), tree)
        assert (None if model is None else model.expression.text()) == text


@st.composite
def partly_fixed(draw: st.DrawFn) -> Model:
    """A model with fixed constants, many of them 0 and ±1."""
    numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5]) | mild_floats
    expression = draw(expressions(draw(st.sampled_from([PLAIN, FULL])), 15, numbers))
    n = expression.n_constants
    return Model(expression, tuple(draw(st.lists(st.booleans(), min_size=n, max_size=n))))


ZERO_TO_AN_UNKNOWN_POWER = Model(Expression.parse("(sqrt(1) - 1)^(sin(1) + 1) + x", PLAIN), ())


@settings(max_examples=200, deadline=None)
@given(partly_fixed())
@example(ZERO_TO_AN_UNKNOWN_POWER)
def test_simplifying_fixed_constants_keeps_values(model: Model) -> None:
    vocabulary = model.expression.vocabulary
    X = data(20)
    _, (is_finite,) = values([model.expression], X)
    other = with_fixed_constants(vocabulary, model.tree)
    if other is None:
        assert not is_finite
        return
    assert len(other.expression) <= len(model.expression) + 2  # 0 - f may become -1 * f, twice
    oracle.assert_same_values(model.expression, other.expression, X)


@settings(max_examples=100, deadline=None)
@given(partly_fixed())
def test_alternatives_are_distinct_and_already_simplified(model: Model) -> None:
    found = list(alternatives(model))
    assert len({other.key for other in found}) == len(found)
    assert model.key not in {other.key for other in found}
    for other in found:
        n_free = len(other.is_fixed) - sum(other.is_fixed)
        assert n_free <= len(model.free_constants)
        assert other.expression.vocabulary == model.expression.vocabulary


@settings(max_examples=200, deadline=None)
@given(partly_fixed())
def test_a_models_tree_is_the_model(model: Model) -> None:
    assert Model.of_tree(model.expression.vocabulary, model.tree) == model


def test_a_known_constant_is_not_free() -> None:
    assert known(2.0) != Node.constant(2.0) and isinstance(known(2.0), Known)
    x = Expression.parse("2 * x + 3", PLAIN)
    assert Model(x, (True, False)).key != Model(x, (False, True)).key
    assert Model(x, (False, False)).key == Model(x.with_constants((7.0, 8.0)), (False, False)).key


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("1.3 * x + 0.2", {"1.3 * x", "0.2", "x + 0.2", "1.3 + 0.2"}),
        ("1.3 * x - y", {"1.3 * x", "x - y"}),
        ("x / (y + 0.1)", {"x", "x / y", "1 / (y + 0.1)"}),
        ("0.1 - y", {"-1 * y"}),
        ("y - (x * 0.01 - z)", {"y + z", "y", "y - (x - z)", "y - x * 0.01"}),
        ("sin(x + 0.01) / z", {"sin(x) / z", "sin(x + 0.01)"}),
        ("x^2.1 * y", {"y", "x^2 * y", "x * y", "x^2.1"}),
        ("exp(0.01 * x) * y", {"y", "exp(x) * y"}),
    ],
)
def test_parts_are_left_out(text: str, shorter: set[str]) -> None:
    found = {other.expression.text() for other in alternatives(Model.free(Expression.parse(text, PLAIN)))}
    written = {Expression.parse(one, PLAIN).text() for one in shorter} - {"1.3 + 0.2"}
    assert written <= found


def alternative_texts(text: str, vocabulary: Vocabulary = PLAIN) -> set[str]:
    model = Model.free(Expression.parse(text, vocabulary))
    return {other.expression.text(precision=6) for other in alternatives(model)}


@pytest.mark.parametrize(
    ("text", "exponential"),
    [
        ("0.606531^(x^2)", "exp(-0.5 * x^2)"),
        ("2.7^x + y", "exp(x) + y"),
        ("0.37^x", "exp(-x)"),
        ("0.6^(2.5 * x)", "exp(-1.27706 * x)"),
        ("0.6^(x * 2.5)", "exp(-1.27706 * x)"),
    ],
)
def test_a_base_is_an_exponential(text: str, exponential: str) -> None:
    assert exponential in alternative_texts(text)


def test_only_positive_bases_become_exponentials() -> None:
    assert not any("exp" in text for text in alternative_texts("(-0.6)^x + x^2.3"))
    without = Vocabulary(PLAIN.variables, [name for name in PLAIN.operators if name != "exp"])
    assert not any("exp" in text for text in alternative_texts("0.6^x", without))


def test_an_exponential_far_beyond_double_precision_is_no_error() -> None:
    assert list(alternatives(Model.free(Expression.parse("1e300^(0.0001 * x)", PLAIN))))


def test_constants_are_fixed_together() -> None:
    model = Model.free(Expression.parse("1.02 * y * sqrt(0.99 - (x / z)^1.98) + 0.001", PLAIN))
    near = {1.02: 1.0, 0.99: 1.0, 1.98: 2.0, 0.001: 0.0}
    found = fixed_together(model, lambda number, value: near[value])
    assert found is not None and all(found.is_fixed)
    assert found.expression.text() == "y * sqrt(1 - (x / z)^2)"
    some = fixed_together(model, lambda number, value: 2.0 if value == 1.98 else None)
    assert some is not None and sum(some.is_fixed) == 1
    assert fixed_together(model, lambda number, value: None) is None


def test_the_most_probable_and_the_simplest_numbers_are_tried():
    model = Model.free(Expression.parse("x + 3.9", PLAIN))

    def nats_lost(constant: int, value: float) -> float:
        assert constant == 0
        return 0.5 * ((value - 3.9) / 0.02) ** 2

    tried = {other.fixed_constants for other in alternatives(model, nats_lost) if other.fixed_constants}
    assert (3.9,) in tried and (4.0,) in tried  # 4 is five standard errors away, and the simplest
    assert len(tried) <= 5 and (3.0,) not in tried
    everything = {other.fixed_constants for other in alternatives(model) if other.fixed_constants}
    assert (1.0,) not in tried and len(everything) >= len(tried)
