import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr import Expression, ExpressionError, Vocabulary
from ddsr.expression import Node
from strategies import FULL, PLAIN, examples, expressions, finite_floats, from_prefix, numbered

XY = Vocabulary(("x", "y"))


@examples(400)
@given(expressions(max_size=30))
def test_breadth_first_prefix_and_tree_are_one(drawn):
    expression = numbered(drawn)
    vocabulary = expression.vocabulary
    assert from_prefix(vocabulary, expression.prefix).tokens == expression.tokens
    assert Expression.from_tree(vocabulary, expression.tree) == expression
    assert Expression(vocabulary, expression.tokens, expression.constants) == expression


@examples(200)
@given(expressions(FULL, max_size=30))
def test_forms_agree_with_plain_walks_of_the_tree(drawn):
    expression = numbered(drawn)
    level_order, prefix = [expression.tree], []
    for node in level_order:
        level_order.extend(node.children)
    pending = [expression.tree]
    while pending:
        prefix.append(pending.pop())
        pending.extend(reversed(prefix[-1].children))
    for nodes, tokens in ((level_order, expression.tokens), (prefix, expression.prefix)):
        assert [node.name for node in nodes] == [
            "" if token in (FULL.one, FULL.constant) else FULL.names[token] for token in tokens
        ]
    constants = [node.value for node in level_order if node.kind.name == "CONSTANT"]
    assert constants == list(expression.constants)


def test_the_two_orders_of_a_known_expression():
    expression = Expression.parse("2 * sin(x) + y / 3", XY)
    assert " ".join(XY.names[t] for t in expression.tokens) == "add mul div ? sin y ? x"
    assert " ".join(XY.names[t] for t in expression.prefix) == "add mul ? sin x div y ?"
    assert expression.tree == Node.operator(
        "add",
        Node.operator("mul", Node.constant(2.0), Node.operator("sin", Node.variable("x"))),
        Node.operator("div", Node.variable("y"), Node.constant(3.0)),
    )
    swapped = Expression.parse("(y - 2) + 3", XY)  # breadth-first, 3 is the first constant
    assert swapped.constants == (3.0, 2.0)


def test_measures():
    expression = Expression.parse("2 * sin(x) + x / 3", XY)
    assert (len(expression), expression.depth, expression.n_constants) == (8, 4, 2)
    assert expression.variables_used == ("x",)
    assert Expression.parse("y", XY).depth == 1
    assert Expression.parse("y - x", XY).variables_used == ("x", "y")
    assert Expression.parse("1", XY).variables_used == ()


def test_complexity_counts_the_nodes_of_the_sympy_form():
    # Add(Mul(2.5, sin(x)), y): +, *, 2.5, sin, x, y
    assert Expression.parse("2.5 * sin(x) + y", XY).complexity() == 6
    # x - y is Add(x, Mul(-1, y)), x / y is Mul(x, Pow(y, -1)), and x + x is 2*x
    assert Expression.parse("x - y", XY).complexity() == 5
    assert Expression.parse("x / y", XY).complexity() == 5
    assert Expression.parse("x + x", XY).complexity() == 3
    assert Expression.parse("y", XY).complexity() == 1


@examples(100)
@given(expressions())
def test_immutable_hashable_picklable(expression):
    expression.key, expression.tree, expression.prefix  # noqa: B018  what is kept must not matter
    for other in (pickle.loads(pickle.dumps(expression)), copy.deepcopy(expression)):
        assert other == expression
        assert hash(other) == hash(expression)
        assert repr(other.constants) == repr(expression.constants)
    with pytest.raises(FrozenInstanceError):
        expression.tokens = ()
    with pytest.raises(FrozenInstanceError):
        del expression.constants
    assert len(expression) == len(expression.tokens)


def test_equality_sees_vocabulary_tokens_and_constants():
    expression = Expression.parse("x + 2", XY)
    assert expression != Expression.parse("x + 3", XY)
    assert expression != Expression.parse("2 + x", XY)
    assert expression != Expression.parse("x + 2", Vocabulary(("x", "z")))
    assert expression.with_constants([3]) == Expression.parse("x + 3", XY)
    assert expression.constants == (2.0,)
    assert repr(expression) == "Expression('x + 2')"


def test_arrays_and_padded_rows_are_taken():
    tokens = [XY.token(name) for name in ("add", "x", "?")]
    row = np.array([*tokens, -1, -1], dtype=np.int16)
    expression = Expression(XY, row, np.array([2.5], dtype=np.float32))
    assert expression == Expression.parse("x + 2.5", XY)
    assert type(expression.tokens[0]) is int and type(expression.constants[0]) is float
    assert Expression(XY, tokens).constants == (1.0,)


@pytest.mark.parametrize(
    ("tokens", "constants", "message", "position"),
    [
        ([], None, "there is no token", 0),
        ([-1], None, "there is no token", 0),
        ([0, 12], None, "1 operand", 2),
        ([12, 13], None, "tokens follow a complete expression", 1),
        ([0, 12, 14], None, "token 14 at position 2 is not in the vocabulary, .* 0 to 13", 2),
        ([0, -2, 12], None, "token -2 at position 1", 1),
        ([0, 10**9, 12], None, "token 1000000000 at position 1", 1),
        ([12.0], None, "sequence of integers", None),
        (5, None, "sequence of integers", None),
        ([5] * 4096 + [12], None, "more than 4096 tokens", None),
        ([0, 11, 11], [1.0], "has 2 constants, but 1 values were given", None),
        ([12], [1.0], "has 0 constants, but 1 values were given", None),
        ([0, 11, 11], [1.0, float("nan")], "constant 1 is nan", 1),
        ([0, 11, 11], [float("-inf"), 1.0], "constant 0 is -inf", 0),
        ([11], ["one"], "sequence of numbers", None),
        ([11], 1.0, "sequence of numbers", None),
    ],
)
def test_errors_say_what_and_where(tokens, constants, message, position):
    with pytest.raises(ExpressionError, match=message) as caught:
        Expression(XY, tokens, constants)
    assert caught.value.position == position


@pytest.mark.parametrize(
    ("node", "message"),
    [
        (Node.variable("z"), "no variable 'z'; it has: add, sub"),
        (Node.operator("tan", Node.variable("x")), "no operator 'tan'"),
        (Node.operator("sin"), "operator 'sin' takes 1 operands, not 0"),
        (Node.operator("add", Node.variable("x")), "operator 'add' takes 2 operands, not 1"),
        (Node.constant(float("inf")), "constant 0 is inf"),
    ],
)
def test_trees_are_checked(node, message):
    with pytest.raises(ExpressionError, match=message):
        Expression.from_tree(XY, node)
    bare = Vocabulary(("x",), (), has_one=False, has_constant=False)
    for leaf in (Node.one(), Node.constant()):
        with pytest.raises(ExpressionError, match=f"the vocabulary has no {leaf.kind.value}"):
            Expression.from_tree(bare, leaf)


def test_the_longest_expression_works_in_every_form():
    text = "sin(" * 4095 + "x" + ")" * 4095
    expression = Expression.parse(text, XY)
    assert str(expression) == text
    assert expression.depth == len(expression) == 4096
    assert expression.canonical() == expression
    assert np.isfinite(expression.to_callable()(np.ones((2, 2)))).all()
    with pytest.raises(ExpressionError, match="more than 4096 tokens"):
        Expression.parse(f"cos({text})", XY)


# The canonical form


def shuffled(node: Node, random) -> Node:
    """The same function with the operands of + and * reordered and their chains regrouped."""
    children = [shuffled(child, random) for child in node.children]
    if node.name not in ("add", "mul") or not children:
        return Node(node.kind, node.name, node.value, tuple(children))
    operands = []
    for child in children:
        operands.extend(chain(child, node.name))
    random.shuffle(operands)
    while len(operands) > 1:
        k = random.randrange(len(operands) - 1)
        operands[k : k + 2] = [Node.operator(node.name, operands[k], operands[k + 1])]
    return operands[0]


def chain(node: Node, name: str) -> list[Node]:
    if node.name != name or not node.children:
        return [node]
    return [operand for child in node.children for operand in chain(child, name)]


SUMS = Vocabulary(("x", "y"), ("add", "mul", "sub", "sin"))  # most expressions have chains


@examples(400)
@given(expressions(SUMS, 25, st.floats(-5, 5)) | expressions(PLAIN, 25), st.randoms())
def test_key_is_blind_to_operand_order_and_constants(expression, random):
    other = Expression.from_tree(expression.vocabulary, shuffled(expression.tree, random))
    assert other.key == expression.key
    assert other.canonical().tokens == expression.canonical().tokens
    assert sorted(other.constants) == sorted(expression.constants)
    assert expression.with_constants([2.5] * expression.n_constants).key == expression.key


@examples(250)
@given(expressions(SUMS, 25, st.floats(-5, 5)))
def test_canonical_keeps_the_value_and_is_idempotent(expression):
    X = np.random.default_rng(0).uniform(-2, 2, (5, 2))
    canonical = expression.canonical()
    np.testing.assert_allclose(canonical.to_callable()(X), expression.to_callable()(X), rtol=1e-9, atol=1e-6)
    assert canonical.canonical() == canonical
    assert canonical.key == expression.key == np.array(canonical.tokens, np.int16).tobytes()


@examples(250)
@given(expressions(SUMS, 9), expressions(SUMS, 9))
def test_keys_are_equal_only_for_the_same_up_to_order(one, other):
    def anonymous(node):
        parts = [anonymous(child) for child in node.children]
        if node.name in ("add", "mul") and node.children:
            parts = sorted(anonymous(operand) for operand in chain(node, node.name))
        return repr((node.kind.value, node.name, parts))

    assert (one.key == other.key) == (anonymous(one.tree) == anonymous(other.tree))


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("x + y", "y + x", True),
        ("x + (y + 1)", "1 + x + y", True),
        ("x * (2 * y)", "y * x * 7", True),
        ("sin(x * y) + 1", "1 + sin(y * x)", True),
        ("x - y", "y - x", False),
        ("x / y", "y / x", False),
        ("x ^ y", "y ^ x", False),
        ("x - (y - x)", "x - y - x", False),
        ("x + 1", "x + 1.0", False),
        ("x * y + x", "x * (y + x)", False),
        ("sin(x) + cos(y)", "sin(y) + cos(x)", False),
    ],
)
def test_keys_of_known_pairs(one, other, is_same):
    assert (Expression.parse(one, XY).key == Expression.parse(other, XY).key) is is_same


def test_constants_follow_their_tokens_into_the_canonical_form():
    expression = Expression.parse("sin(2 * x) + 3 * y", XY)
    assert str(expression.canonical()) == "3 * y + sin(2 * x)"


@examples(100)
@given(st.lists(finite_floats, min_size=2, max_size=2))
def test_with_constants_sets_exactly_those(values):
    assert Expression.parse("? * x + ?", XY).with_constants(values).constants == tuple(values)
