"""Moves of a constant to where it is a simple number: 0.264477 * exp(x) is exp(x - 1.33).

Likewise 1.67332 * sqrt(x) is sqrt(2.8 * x), and log(x + 2.7027) - 0.99425 is log(1 + 0.37 * x). Only
constants that the data determine well are moved: a rough one is near a simple number in some place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations
from math import exp, inf, log, sqrt

from ddsr._core import SIMPLE_BASES
from ddsr.expression import Kind, Node
from ddsr.price.model import Known, Numbered, known, split_factor
from ddsr.price.simple_numbers import FREE, SimpleNumber, nats_of, near
from ddsr.selection.moves.shared_factors import MOST_TERMS, NatsLost, split_fitted, sum_of, terms_of

LARGEST_EXPONENT = 700.0  # exp of more overflows
USUAL_BASES = (2.0, 10.0)  # common in laws
NATS_OF_PLACE = 5.0  # nats that a simple number must save, because several places are searched for one
SMALL_STEP = 1e-3  # relative change of a constant that measures its precision
# Loss in nats above which a simple number is not tried: it cannot save that much.
MOST_NATS_LOST = 40.0
# Number of candidates with the fewest nats in total, and with the fewest nats of the number alone.
N_LIKELIEST, N_SIMPLEST = 3, 2


def likeliest(numbers: Iterable[SimpleNumber], lost: Callable[[float], float]) -> list[float]:
    """Return the likeliest numbers that the data allow, and the simplest, since `lost` is an estimate."""
    priced = [(number, lost(number.value)) for number in numbers]
    affordable = [(number, nats) for number, nats in priced if nats <= MOST_NATS_LOST]
    by_both = sorted(affordable, key=lambda pair: pair[0].nats + pair[1])[:N_LIKELIEST]
    simplest = sorted(affordable, key=lambda pair: pair[0].nats)[:N_SIMPLEST]
    return list(dict.fromkeys(number.value for number, _ in (*by_both, *simplest)))


def safe_exp(value: float) -> float:
    """Return exp(value), or infinity on overflow."""
    return exp(value) if value < LARGEST_EXPONENT else inf


def moved_into_factors(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Move a fitted factor of a product or ratio into an exponential, power or root beside it."""
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
    """Write exp(k * f) with a fitted k as b^f with a simple base b near exp(k)."""
    rate, rest = split_fitted(node.children[0])
    if rate is None:
        return
    number, most_nats = int(rate.name), _most_nats(rate, nats_lost)
    simple = [base for base in SIMPLE_BASES if base in USUAL_BASES or nats_of(base) <= most_nats]
    bases = [SimpleNumber(base, nats_of(base)) for base in simple]
    for base in likeliest(bases, lambda base: nats_lost(number, log(base))):
        yield Node.operator("pow", known(base), rest)


def moved_into_logarithm(node: Node, nats_lost: NatsLost) -> Iterator[Node]:
    """Write s * log(u) + b with a fitted b as s * log(k * u) with a simple k near exp(b / s)."""
    terms = list(terms_of(node))
    if len(terms) > MOST_TERMS:
        return
    for offset, term in permutations(terms, 2):
        scale, function = split_factor(term.node)
        if not isinstance(offset.node, Numbered) or function.operation != "log":
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
    """Return the term, a function or a multiple of one, with another function in its place."""
    if term is function:
        return other
    return Node.operator("mul", *(other if child is function else child for child in term.children))


@dataclass(frozen=True)
class _Factor:
    """A factor of a ratio of products, in the numerator or in the denominator."""

    node: Node
    is_above: bool


def _factors(node: Node, is_above: bool) -> Iterator[_Factor]:
    if node.operation in ("mul", "div"):
        left, right = node.children
        yield from _factors(left, is_above)
        yield from _factors(right, is_above == (node.operation == "mul"))
    else:
        yield _Factor(node, is_above)


def _squares(factors: Sequence[_Factor]) -> Iterator[tuple[_Factor, tuple[_Factor, ...]]]:
    """Yield u^2 for two factors u on the same side, together with these two."""
    for one, other in combinations(factors, 2):
        if one == other and one.node.kind is not Kind.CONSTANT:
            yield replace(one, node=Node.operator("pow", one.node, known(2.0))), (one, other)


def _product(factors: Sequence[_Factor]) -> Node:
    above = [factor.node for factor in factors if factor.is_above] or [known(1.0)]
    below = [factor.node for factor in factors if not factor.is_above]
    whole = Node.product(above)
    return Node.operator("div", whole, Node.product(below)) if below else whole


@dataclass(frozen=True)
class _Place:
    """A factor outside a function that is to be moved inside."""

    multiple: float
    lost: Callable[[float], float]
    """nats of the data lost if the factor has another value"""
    most_nats: float
    """maximum nats of a simple number"""

    def simple(self, value: float, multiple_of: Callable[[float], float]) -> list[float]:
        """Return simple numbers near a value that is computed from the factor; `multiple_of` inverts that."""
        numbers = [number for number in near(value) if number.nats <= self.most_nats]
        return likeliest(numbers, lambda number: self.lost(multiple_of(number)))


def _most_nats(constant: Node, nats_lost: NatsLost) -> float:
    """Return the nats of a fitted constant with its digits, less what a move must save."""
    n_errors = sqrt(2.0 * nats_lost(int(constant.name), (1.0 + SMALL_STEP) * constant.value))
    return log(n_errors / SMALL_STEP) + FREE - NATS_OF_PLACE if n_errors > 0.0 else -inf


def _with_factor_inside(constant: _Factor, function: _Factor, nats_lost: NatsLost) -> Iterator[_Factor]:
    """Yield the function with the constant factor moved inside, where it becomes a simple number."""
    number, size = int(constant.node.name), abs(constant.node.value)
    sign = 1.0 if constant.node.value > 0.0 else -1.0
    is_multiplied = constant.is_above == function.is_above  # otherwise divided

    def lost(value: float) -> float:
        if not 0.0 < value < inf:
            return inf
        return nats_lost(number, sign * (value if is_multiplied else 1.0 / value))

    place = _Place(_power(size, 1.0 if is_multiplied else -1.0), lost, _most_nats(constant.node, nats_lost))
    if not 0.0 < place.multiple < inf:
        return
    node = function.node
    if node.operation == "exp":
        for simple in place.simple(log(place.multiple), safe_exp):
            name = "add" if simple > 0.0 else "sub"
            inner = Node.operator(name, node.children[0], known(abs(simple)))
            yield replace(function, node=Node.operator("exp", inner))
        return
    exponent = 0.5 if node.operation == "sqrt" else _fixed_exponent(node)
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
    """Return the power or root of the scaled base, as (k / u)^p rather than 1 / (u / k)^p."""
    is_turned = not is_above and scaled.operation == "div"
    base = Node.operator("div", *reversed(scaled.children)) if is_turned else scaled
    return _Factor(Node.operator(node.name, base, *node.children[1:]), is_above or is_turned)


def _scaled(base: Node, exponent: float, place: _Place) -> Iterator[Node]:
    """Yield k * u and u / k with a simple k, whose power is the factor times that of u."""
    for name, power in (("mul", exponent), ("div", -exponent)):
        for simple in place.simple(_power(place.multiple, 1.0 / power), partial(_power, exponent=power)):
            factors = (known(simple), base) if name == "mul" else (base, known(simple))
            yield Node.operator(name, *factors)


def _inside(node: Node, place: _Place, nats_lost: NatsLost) -> Iterator[Node]:
    """Yield k * u and u / k with a simple k; for u = v + a with a fitted a also k * v + m with a simple m."""
    if not 0.0 < place.multiple < inf:
        return
    yield from _scaled(node, 1.0, place)
    if node.operation in ("add", "sub"):
        for order, summand in enumerate(node.children):
            if isinstance(summand, Numbered):
                rest = Node.operator("mul", Node.constant(place.multiple), node.children[1 - order])
                for simple in map(known, _summands(summand, place.multiple, nats_lost)):
                    yield Node.operator(node.name, *((simple, rest) if order == 0 else (rest, simple)))


def _summands(summand: Node, factor: float, nats_lost: NatsLost) -> list[float]:
    """Return simple numbers for the product of a fitted summand and a factor."""

    def lost(value: float) -> float:
        return nats_lost(int(summand.name), value / factor)

    most_nats = _most_nats(summand, nats_lost)
    ones = [one for one in (1.0, -1.0) if most_nats >= 0.0 and lost(one) <= MOST_NATS_LOST]
    numbers = [number for number in near(factor * summand.value) if number.nats <= most_nats]
    return [*ones, *likeliest(numbers, lost)]


def _fixed_exponent(node: Node) -> float | None:
    exponent = node.children[1] if node.operation == "pow" else None
    return exponent.value if isinstance(exponent, Known) and exponent.value != 0.0 else None


def _power(base: float, exponent: float) -> float:
    return safe_exp(exponent * log(base)) if 0.0 < base < inf else inf
