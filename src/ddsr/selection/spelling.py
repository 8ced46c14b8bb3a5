"""How it is written once all is settled: a third as a division by 3, a fitted base as exp, x * x as x^2.

Factors, and variables in a sum, stand in a fixed order, so that one equation reads the same whatever way
the search came to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial, reduce
from math import isfinite, log

from ddsr.expression import Expression, Kind, Node
from ddsr.price.simple_numbers import LARGEST_DENOMINATOR
from ddsr.selection.bases import with_simple_bases
from ddsr.selection.complements import complements
from ddsr.selection.model import Known, Model, known, split_factor
from ddsr.selection.phases import with_phases_in_a_turn
from ddsr.selection.signs import with_outer_signs

ENDLESS = tuple(q for q in range(2, LARGEST_DENOMINATOR + 1) if 10**6 % q)
"""Denominators whose fractions no decimal ends on."""
LARGEST_NUMERATOR = 100
LARGEST_LOG = 200.0  # of a power that is taken out of another: both parts stay in double precision


def spelled(model: Model, is_allowed: Callable[[Expression], bool] | None = None) -> Model:
    """The same model as people write it: 0.333… * f is f / 3, 0.666… is 2 / 3 and x * x is x^2, if it can.

    A writing that `is_allowed` refuses is none: c^x is not exp(k * x) where there is a rule against that.
    """
    vocabulary = model.expression.vocabulary
    in_order = partial(_in_order, vocabulary.variables)
    spellings = (
        with_simple_bases,
        _with_exponentials,
        _with_powers,
        with_simple_bases,  # again: exp(x)^0.6931 is an exponential by now
        _with_complements,
        _with_upright_roots,
        _with_one_bar,
        _with_squares,
        with_outer_signs,
        with_phases_in_a_turn,
        _with_signs,
    )
    for spell in (*spellings, in_order, _spelled):
        tree = spell(model.tree)
        if tree == model.tree:
            continue
        other = Model.of_tree(vocabulary, tree)
        if other is not None and (is_allowed is None or is_allowed(other.expression)):
            model = other
    return model


def with_exponentials(model: Model) -> Model:
    """The same model with exp(log(c) * f) for c^f with a fitted c, if it has exp; a settled c stays.

    So does a fitted one that is a simple number, as in 2^n.
    """
    tree = _with_exponentials(with_simple_bases(model.tree))
    return Model.of_tree(model.expression.vocabulary, tree) or model


def _with_exponentials(node: Node) -> Node:
    if node.kind is not Kind.OPERATOR:
        return node
    children = [_with_exponentials(child) for child in node.children]
    if node.name == "pow" and _is_free(children[0]) and children[0].value > 0.0:
        factor, rest = split_factor(children[1])
        rate = Node.constant(log(children[0].value) * factor)
        return Node.operator("exp", Node.operator("mul", rate, rest))
    return Node.operator(node.name, *children)


def _with_powers(node: Node) -> Node:
    """u^f for exp(log(u) * f), u^(1 / f) for exp(log(u) / f), u being positive; exp(c * u) for exp(u)^c."""
    if node.kind is not Kind.OPERATOR:
        return node
    children = [_with_powers(child) for child in node.children]
    inner = children[0]
    if node.name == "sqrt":
        return _power_of_exponential(inner, known(0.5)) or Node.operator("sqrt", inner)
    if node.name == "pow" and children[1].kind is Kind.CONSTANT:
        return _power_of_exponential(inner, children[1]) or Node.operator("pow", *children)
    if node.name == "exp" and inner.name in ("mul", "div"):
        left, right = inner.children
        if inner.name == "mul" and right.name == "log":
            left, right = right, left
        if left.name == "log":
            exponent = right if inner.name == "mul" else Node.operator("div", Node.one(), right)
            return Node.operator("pow", left.children[0], exponent)
    return Node.operator(node.name, *children)


def _power_of_exponential(base: Node, power: Node) -> Node | None:
    """exp(p * u) of exp(u)^p, and c^p * exp(p * u) of (c * exp(u))^p with a settled p; None of any other."""
    if base.name == "exp":
        return Node.operator("exp", _multiple(power, base.children[0]))
    if base.name not in ("mul", "div") or not isinstance(power, Known):
        return None
    left, right = base.children
    scale, function = (left, right) if right.name == "exp" else (right, left)
    number = _power(scale, power.value)
    if function.name != "exp" or number is None:
        return None
    exponential = Node.operator("exp", _multiple(power, function.children[0]))
    return Node.operator(base.name, *((number, exponential) if function is right else (exponential, number)))


def _power(base: Node, power: float) -> Node | None:
    """Of a positive constant, settled as that is, or of one; None of any other, and out of all range."""
    if base.kind is Kind.ONE:
        return base
    if base.kind is not Kind.CONSTANT or base.value <= 0.0 or abs(power * log(base.value)) > LARGEST_LOG:
        return None
    raised = base.value**power
    return known(raised) if isinstance(base, Known) else Node.constant(raised)


def _multiple(factor: Node, node: Node) -> Node:
    """The node times a number, which is taken into one that it has already."""
    return _with_number_times(factor, node) or Node.operator("mul", factor, node)


def _with_number_times(factor: Node, node: Node) -> Node | None:
    """None where the node has no number, or none that double precision can multiply."""
    if node.kind is Kind.CONSTANT:
        return _number(factor, node, factor.value * node.value)
    if node.name == "sub" and node.children[0] == known(0.0):
        return _multiple(known(-1.0), _multiple(factor, node.children[1]))
    if node.name not in ("mul", "div"):
        return None
    left, right = node.children
    if node.name == "div" and right.kind is Kind.CONSTANT and right.value != 0.0:
        ratio = _number(factor, right, factor.value / right.value)
        return None if ratio is None else _without_one(_multiple(ratio, left))
    changed = _with_number_times(factor, left)
    if changed is not None and node.name == "mul" and changed.kind is Kind.CONSTANT:
        return _without_one(_multiple(changed, right))  # which may have a number as well
    if changed is not None:
        return _without_one(Node.operator(node.name, changed, right))
    changed = _with_number_times(factor, right) if node.name == "mul" else None
    return None if changed is None else _without_one(Node.operator("mul", left, changed))


def _number(one: Node, other: Node, value: float) -> Node | None:
    """What two constants make: settled if both are."""
    if not isfinite(value) or (value == 0.0 and one.value != 0.0):
        return None
    return known(value) if isinstance(one, Known) and isinstance(other, Known) else Node.constant(value)


def _without_one(node: Node) -> Node:
    """f for 1 * f and f * 1."""
    if node.name == "mul":
        for factor, rest in (node.children, node.children[::-1]):
            if factor == known(1.0):
                return rest
    return node


def _with_complements(node: Node) -> Node:
    """asin(u) for pi / 2 - acos(u), and acos(u) for pi / 2 - asin(u)."""
    if node.kind is not Kind.OPERATOR:
        return node
    children = [_with_complements(child) for child in node.children]
    node = Node.operator(node.name, *children)
    turned = next(complements(node), node) if node.name in ("add", "sub") else node
    if turned.name == "mul" and turned.children[0] == known(1.0):
        return turned.children[1]
    return node


def _with_upright_roots(node: Node) -> Node:
    """f * sqrt(h / g) for f / sqrt(g / h)."""
    if node.kind is not Kind.OPERATOR:
        return node
    left, *others = [_with_upright_roots(child) for child in node.children]
    if node.name == "div" and others[0].name == "sqrt" and others[0].children[0].name == "div":
        above, below = others[0].children[0].children
        root = Node.operator("sqrt", Node.operator("div", below, above))
        return root if left.kind is Kind.ONE or left == known(1.0) else Node.operator("mul", left, root)
    return Node.operator(node.name, left, *others)


def _with_one_bar(node: Node) -> Node:
    """f * g / h for f * (g / h), and for f / h * g."""
    if node.kind is not Kind.OPERATOR:
        return node
    left, *others = [_with_one_bar(child) for child in node.children]
    if node.name == "mul":
        for factor, bar in ((left, others[0]), (others[0], left)):
            if bar.name == "div":
                above, below = bar.children
                return Node.operator("div", _with_one_bar(_product(factor, above)), below)
    return Node.operator(node.name, left, *others)


def _product(left: Node, right: Node) -> Node:
    return left if right.kind is Kind.ONE else Node.operator("mul", left, right)


def _with_squares(node: Node) -> Node:
    """2 * f for f + f; x^2 for x * x and f * x^2 for f * x * x, which take as many tokens, of variables x."""
    if node.kind is not Kind.OPERATOR:
        return node
    children = [_with_squares(child) for child in node.children]
    left, right = children[0], children[-1]
    if node.name == "add" and left == right:
        return Node.operator("mul", known(2.0), left)
    if node.name == "mul" and right.kind is Kind.VARIABLE:
        square = Node.operator("pow", right, known(2.0))
        if left == right:
            return square
        if left.name == "mul" and left.children[1] == right:
            return Node.operator("mul", left.children[0], square)
    return Node.operator(node.name, *children)


def _with_signs(node: Node) -> Node:
    """f - 0.9 for f + -0.9, f + 0.9 for f - -0.9, and f - 0.9 * g for -0.9 * g + f."""
    if node.kind is not Kind.OPERATOR:
        return node
    children = [_with_signs(child) for child in node.children]
    if node.name in ("add", "sub"):
        left, right = children
        is_sum, opposite = node.name == "add", _opposite(right)
        if opposite is not None:
            return Node.operator("sub" if is_sum else "add", left, opposite)
        opposite = _opposite(left) if is_sum else None
        if opposite is not None:
            return Node.operator("sub", right, opposite)
    return Node.operator(node.name, *children)


def _opposite(node: Node) -> Node | None:
    """f of a node that reads -f, being a negative number or a multiple by one; None of any other."""
    if node.kind is Kind.CONSTANT and node.value < 0.0:
        return known(-node.value) if isinstance(node, Known) else Node.constant(-node.value)
    if node.name in ("mul", "div"):
        first, second = node.children
        opposite = _opposite(first)
        if opposite is not None:
            is_one = node.name == "mul" and opposite == known(1.0)
            return second if is_one else Node.operator(node.name, opposite, second)
    return None


def _in_order(columns: Sequence[str], node: Node) -> Node:
    """Factors and summands as one writes them, whatever way the search came to them."""
    if node.kind is not Kind.OPERATOR:
        return node
    if node.name not in ("mul", "add"):
        return Node.operator(node.name, *(_in_order(columns, child) for child in node.children))
    parts = [_in_order(columns, part) for part in _parts(node.name, node)]
    in_order = _factors_in_order if node.name == "mul" else _summands_in_order
    return reduce(partial(Node.operator, node.name), in_order(columns, parts))


def _factors_in_order(columns: Sequence[str], factors: list[Node]) -> list[Node]:
    """A number, variables by column, their powers, and then all else as it is."""

    def place(factor: Node) -> tuple[int, int]:
        if factor.kind in (Kind.CONSTANT, Kind.ONE):
            return 0, 0
        if factor.kind is Kind.VARIABLE:
            return 1, columns.index(factor.name)
        base = factor.children[0]
        is_power = factor.name == "pow" and base.kind is Kind.VARIABLE
        return (2, columns.index(base.name)) if is_power else (3, 0)

    return sorted(factors, key=place)


def _summands_in_order(columns: Sequence[str], summands: list[Node]) -> list[Node]:
    """Where variables stand, they stand by column; all else stays in its place."""
    variables = (summand for summand in summands if summand.kind is Kind.VARIABLE)
    by_column = iter(sorted(variables, key=lambda variable: columns.index(variable.name)))
    return [next(by_column) if summand.kind is Kind.VARIABLE else summand for summand in summands]


def _parts(operator: str, node: Node) -> list[Node]:
    """What a chain of one operator joins."""
    if node.name != operator:
        return [node]
    return [part for child in node.children for part in _parts(operator, child)]


def _is_free(node: Node) -> bool:
    return node.kind is Kind.CONSTANT and not isinstance(node, Known)


def _spelled(node: Node) -> Node:
    if node.kind is not Kind.OPERATOR:
        return _as_division(node)
    children = [child if _ratio(child) else _spelled(child) for child in node.children]
    if node.name == "mul":
        for fraction, other in (children, children[::-1]):
            ratio = _ratio(fraction)
            if ratio is not None and ratio.numerator == 1:
                return Node.operator("div", other, known(float(ratio.denominator)))
            if ratio is not None:
                scaled = Node.operator("mul", known(float(ratio.numerator)), other)
                return Node.operator("div", scaled, known(float(ratio.denominator)))
    return Node.operator(node.name, *map(_as_division, children))


def _as_division(node: Node) -> Node:
    ratio = _ratio(node)
    if ratio is None:
        return node
    return Node.operator("div", known(float(ratio.numerator)), known(float(ratio.denominator)))


def _ratio(node: Node) -> Fraction | None:
    """The fraction that a settled constant is to the last bit, if no decimal is."""
    if not isinstance(node, Known):
        return None
    return next(_fractions_of(node.value), None)


def _fractions_of(value: float) -> Iterator[Fraction]:
    for denominator in ENDLESS:
        ratio = Fraction(round(value * denominator), denominator) if abs(value) < LARGEST_NUMERATOR else None
        if ratio and ratio.denominator == denominator and ratio.numerator / denominator == value:
            yield ratio
