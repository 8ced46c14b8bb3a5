"""A constant in the place where it is a simple number: 0.264477 * exp(x) is exp(x - 1.33).

So are 1.67332 * sqrt(x) and sqrt(2.8 * x), log(x + 2.7027) - 0.99425 and log(1 + 0.37 * x). Only
constants that the data know well are moved: a rough one is near a simple number somewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import combinations, permutations
from math import exp, inf, log, sqrt

from ddsr._core import SIMPLE_BASES
from ddsr.expression import Kind, Node
from ddsr.price.model import Known, Numbered, known, split_factor
from ddsr.price.simple_numbers import FREE, SimpleNumber, nats_of, near
from ddsr.selection.moves.shared_factors import MOST_TERMS, NatsLost, split_fitted, sum_of, terms_of

LARGEST_EXPONENT = 700.0  # beyond it exp leaves double precision
USUAL_BASES = (2.0, 10.0)  # people write laws with these
NATS_OF_PLACE = 5.0  # that a simple number has to save, since there are several places to look for one
SMALL_STEP = 1e-3  # relative, by which it is asked how well a constant is known
# A simple number is tried for a constant unless it would cost more of the data than any code can win back.
MOST_NATS_LOST = 40.0
# How many are tried: those that take the fewest nats, together with what they cost of the data or alone.
N_LIKELIEST, N_SIMPLEST = 3, 2


def likeliest(numbers: Iterable[SimpleNumber], lost: Callable[[float], float]) -> list[float]:
    """Of those that the data may afford, the simplest, since what they lose is a guess, and the likeliest."""
    priced = [(number, lost(number.value)) for number in numbers]
    affordable = [(number, nats) for number, nats in priced if nats <= MOST_NATS_LOST]
    by_both = sorted(affordable, key=lambda pair: pair[0].nats + pair[1])[:N_LIKELIEST]
    simplest = sorted(affordable, key=lambda pair: pair[0].nats)[:N_SIMPLEST]
    return list(dict.fromkeys(number.value for number, _ in (*by_both, *simplest)))


def safe_exp(value: float) -> float:
    """exp, and infinity where that leaves double precision."""
    return exp(value) if value < LARGEST_EXPONENT else inf


def moved_into_factors(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Of a product or ratio, with a fitted factor taken into an exponential, a power or a root beside it."""
    factors = list(_factors(node, is_above=True))
    for constant in factors:
        if not isinstance(constant.node, Numbered):
            continue
        for function, parts in (*((each, (each,)) for each in factors), *_squares(factors)):
            taken = (constant, *parts)
            others = [each for each in factors if all(each is not one for one in taken)]
            for other in _with_factor_inside(constant, function, nats_lost):
                moved = _product([*others, other])
                yield moved if constant.node.value > 0.0 else Node.operator("mul", known(-1.0), moved)


def moved_into_base(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Of exp(k * f), b^f with a simple base b near exp(k); k is fitted."""
    rate, rest = split_fitted(node.children[0])
    if rate is None:
        return
    number, most_nats = int(rate.name), _most_nats(rate, nats_lost)
    simple = [base for base in SIMPLE_BASES if base in USUAL_BASES or nats_of(base) <= most_nats]
    bases = [SimpleNumber(base, nats_of(base)) for base in simple]
    for base in likeliest(bases, lambda base: nats_lost(number, log(base))):
        yield Node.operator("pow", known(base), rest)


def moved_into_logarithm(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Of a sum, s * log(u) + b as s * log(k * u) with a simple k near exp(b / s); b is fitted."""
    terms = list(terms_of(node))
    if len(terms) > MOST_TERMS:
        return
    for offset, term in permutations(terms, 2):
        scale, function = split_factor(term.node)
        if not isinstance(offset.node, Numbered) or function.name != "log":
            continue
        rate = offset.sign * term.sign / scale

        def lost(factor: float, number: int = int(offset.node.name), rate: float = rate) -> float:
            return nats_lost(number, log(factor) / rate) if 0.0 < factor < inf else inf

        place = _Place(safe_exp(offset.node.value * rate), lost, _most_nats(offset.node, nats_lost))
        others = [other for other in terms if other is not offset and other is not term]
        for inner in _inside(function.children[0], place, nats_lost):
            moved = _with_function(term.node, function, Node.operator("log", inner))
            yield sum_of([*others, replace(term, node=moved)])


def _with_function(term: Node, function: Node, other: Node) -> Node:
    """The function, or its multiple, with another in its place."""
    if term is function:
        return other
    return Node.operator("mul", *(other if child is function else child for child in term.children))


@dataclass(frozen=True)
class _Factor:
    """Of a ratio of products: above the bar, or below it."""

    node: Node
    is_above: bool


def _factors(node: Node, is_above: bool) -> Iterator[_Factor]:
    if node.name in ("mul", "div"):
        left, right = node.children
        yield from _factors(left, is_above)
        yield from _factors(right, is_above == (node.name == "mul"))
    else:
        yield _Factor(node, is_above)


def _squares(factors: Sequence[_Factor]) -> Iterator[tuple[_Factor, tuple[_Factor, ...]]]:
    """u^2 of two factors u that stand on the same side, and these two."""
    for one, other in combinations(factors, 2):
        if one == other and one.node.kind is not Kind.CONSTANT:
            yield replace(one, node=Node.operator("pow", one.node, known(2.0))), (one, other)


def _product(factors: Sequence[_Factor]) -> Node:
    above = [factor.node for factor in factors if factor.is_above] or [known(1.0)]
    below = [factor.node for factor in factors if not factor.is_above]
    whole = reduce(lambda left, right: Node.operator("mul", left, right), above)
    if not below:
        return whole
    return Node.operator("div", whole, reduce(lambda left, right: Node.operator("mul", left, right), below))


@dataclass(frozen=True)
class _Place:
    """What multiplies a function now, and shall do so from inside."""

    multiple: float
    lost: Callable[[float], float]
    """what the data lose where the multiple has another value"""
    most_nats: float
    """that a simple number may take"""

    def simple(self, value: float, multiple_of: Callable[[float], float]) -> list[float]:
        """Simple numbers near the value, which has been made of the multiple."""
        numbers = [number for number in near(value) if number.nats <= self.most_nats]
        return likeliest(numbers, lambda number: self.lost(multiple_of(number)))


def _most_nats(constant: Node, nats_lost: NatsLost) -> float:
    """What a fitted constant with its digits takes, less what a place has to save."""
    n_errors = sqrt(2.0 * nats_lost(int(constant.name), (1.0 + SMALL_STEP) * constant.value))
    return log(n_errors / SMALL_STEP) + FREE - NATS_OF_PLACE if n_errors > 0.0 else -inf


def _with_factor_inside(constant: _Factor, function: _Factor, nats_lost: NatsLost) -> Iterator[_Factor]:
    """The function with what multiplies it inside, as far as that is simple there."""
    number, size = int(constant.node.name), abs(constant.node.value)
    sign = 1.0 if constant.node.value > 0.0 else -1.0
    is_multiplied = constant.is_above == function.is_above  # else it is divided

    def lost(value: float) -> float:
        if not 0.0 < value < inf:
            return inf
        return nats_lost(number, sign * (value if is_multiplied else 1.0 / value))

    place = _Place(_power(size, 1.0 if is_multiplied else -1.0), lost, _most_nats(constant.node, nats_lost))
    if not 0.0 < place.multiple < inf:
        return
    node = function.node
    if node.name == "exp":
        for simple in place.simple(log(place.multiple), safe_exp):
            name = "add" if simple > 0.0 else "sub"
            inner = Node.operator(name, node.children[0], known(abs(simple)))
            yield replace(function, node=Node.operator("exp", inner))
        return
    exponent = 0.5 if node.name == "sqrt" else _settled_exponent(node)
    if exponent is None:
        return
    for scaled in _scaled(node.children[0], exponent, place):
        yield _power_of(scaled, node, function.is_above)
    if exponent == 2.0 and function.is_above:  # as in every normal distribution
        twice = _Place(2.0 * place.multiple, lambda value: lost(0.5 * value), place.most_nats)
        for scaled in _scaled(node.children[0], exponent, twice):
            half = Node.operator("mul", known(0.5), Node.operator("pow", scaled, known(2.0)))
            yield replace(function, node=half)


def _power_of(scaled: Node, node: Node, is_above: bool) -> _Factor:
    """The power or root of what is scaled; (k / u)^p rather than 1 / (u / k)^p."""
    is_turned = not is_above and scaled.name == "div"
    base = Node.operator("div", *reversed(scaled.children)) if is_turned else scaled
    return _Factor(Node.operator(node.name, base, *node.children[1:]), is_above or is_turned)


def _scaled(base: Node, exponent: float, place: _Place) -> Iterator[Node]:
    """k * u and u / k whose power is the multiple of that of u."""
    for name, power in (("mul", exponent), ("div", -exponent)):
        for simple in place.simple(_power(place.multiple, 1.0 / power), partial(_power, exponent=power)):
            factors = (known(simple), base) if name == "mul" else (base, known(simple))
            yield Node.operator(name, *factors)


def _inside(node: Node, place: _Place, nats_lost: NatsLost) -> Iterator[Node]:
    """k * u or u / k; and of u = v + a with a fitted a, k * v + m with a simple m."""
    if not 0.0 < place.multiple < inf:
        return
    yield from _scaled(node, 1.0, place)
    if node.name in ("add", "sub"):
        for order, summand in enumerate(node.children):
            if isinstance(summand, Numbered):
                rest = Node.operator("mul", Node.constant(place.multiple), node.children[1 - order])
                for simple in map(known, _summands(summand, place.multiple, nats_lost)):
                    yield Node.operator(node.name, *((simple, rest) if order == 0 else (rest, simple)))


def _summands(summand: Node, factor: float, nats_lost: NatsLost) -> list[float]:
    """Simple numbers for a fitted summand times the factor."""

    def lost(value: float) -> float:
        return nats_lost(int(summand.name), value / factor)

    most_nats = _most_nats(summand, nats_lost)
    ones = [one for one in (1.0, -1.0) if most_nats >= 0.0 and lost(one) <= MOST_NATS_LOST]
    numbers = [number for number in near(factor * summand.value) if number.nats <= most_nats]
    return [*ones, *likeliest(numbers, lost)]


def _settled_exponent(node: Node) -> float | None:
    is_power = node.name == "pow" and isinstance(node.children[1], Known) and node.children[1].value != 0.0
    return node.children[1].value if is_power else None


def _power(base: float, exponent: float) -> float:
    return safe_exp(exponent * log(base)) if 0.0 < base < inf else inf
