"""Expressions as ratios of polynomials, cancelled, factored and rewritten.

Everything that is not rational, such as a sine or a power with a fitted exponent, becomes a symbol, and so
does a constant that is not simple. Square roots are symbols that know their radicands, so that roots of
products can be merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Any

from ddsr.errors import ExpressionError
from ddsr.expression import Expression, Kind, Node, Vocabulary
from ddsr.expression.operators import NAMED_POWERS, RATIONAL
from ddsr.price.simple_numbers import LARGEST_DENOMINATOR
from ddsr.selection.moves.fixed_constants import with_fixed_constants
from ddsr.selection.rational.products import MOST_TERMS, Factors, Product, Symbols
from ddsr.selection.rational.writer import Writer, cost_of

MOST_TOKENS = 40
MOST_SYMBOLS = 8
MOST_TERMS_READ = 100  # terms of a numerator or denominator before cancelling
# With fewer seconds left, at most this many terms per second are allowed. Factoring takes more than linear
# time: tens of milliseconds for ten terms and seconds for a hundred.
SECONDS_OF_LARGE, MOST_TERMS_A_SECOND = 3.0, 20
FEWEST_NODES = 5  # the simplifier already finds the shortest form of smaller trees
LARGEST_POWER = 12
LARGEST_WHOLE = 1000

PRODUCTS = ("mul", "div", "neg", "inverse")


def load_algebra() -> None:
    """Import SymPy, which takes half a second the first time."""
    import sympy.polys.fields  # noqa: F401


def rational_forms(
    expression: Expression, positive: Iterable[str] = (), seconds_left: Callable[[], float] = lambda: inf
) -> Iterator[Expression]:
    """Yield other forms of the same value, shortest first, given the positive variables.

    Simple constants count as numbers, others as symbols. Large expressions get no forms. If time is short,
    only small expressions get some, because nothing interrupts SymPy while it factors a polynomial.
    """
    if len(expression) > MOST_TOKENS:
        return
    names = tuple(positive)
    seen = {expression}
    simpler = expression.simplified(positive=names)  # or a symbol could stand for x - x, which is 0
    for tree in _Rewriter(expression.vocabulary, frozenset(names), seconds_left).forms(simpler.tree):
        try:
            form = Expression.from_tree(expression.vocabulary, tree).simplified(positive=names)
        except ExpressionError:  # the vocabulary cannot write it
            continue
        if form not in seen:
            seen.add(form)
            yield form


class _Rewriter:
    """Rewrites trees from the leaves up, so that operands of roots and sines are as short as possible."""

    def __init__(
        self, vocabulary: Vocabulary, positive: frozenset[str], seconds_left: Callable[[], float]
    ) -> None:
        self.vocabulary, self.positive, self.seconds_left = vocabulary, positive, seconds_left

    def forms(self, node: Node, parent: str = "") -> list[Node]:
        """Return the tree and others of the same value, shortest first."""
        if node.kind is not Kind.OPERATOR:
            return [node]
        children = [self.forms(child, node.operation)[0] for child in node.children]
        forms = [Node.operator(node.name, *children)]
        is_part_of_a_product = node.operation in PRODUCTS and parent in PRODUCTS
        is_rational = node.operation in RATIONAL or half_power(node) or whole_power(node)
        if is_rational and not is_part_of_a_product and cost_of(node) >= FEWEST_NODES:
            forms += self._written(forms[0])
        return sorted(dict.fromkeys(forms), key=cost_of)

    def _written(self, node: Node) -> Iterator[Node]:
        yield from self._read_and_written(node, frozenset())
        repeated = _repeated_sums(node)
        if repeated:  # otherwise (x + y)^2 - z would be multiplied out
            yield from self._read_and_written(node, repeated)

    def _read_and_written(self, node: Node, whole: frozenset[Node]) -> Iterator[Node]:
        seconds = self.seconds_left()
        n_terms = MOST_TERMS_READ if seconds > SECONDS_OF_LARGE else int(MOST_TERMS_A_SECOND * seconds)
        reading = _Reading.of(node, self.positive, whole, n_terms) if seconds > 0.0 else None
        if reading is None:
            return
        product = Product.of(reading.factors, reading.symbols)
        try:
            forms = Writer(self.vocabulary, reading.nodes, reading.symbols).shortest_first(product)
        except OverflowError:  # a coefficient is larger than any double
            return
        for form in forms:
            model = with_fixed_constants(self.vocabulary, form)
            if model is not None:
                yield model.tree


@dataclass(frozen=True)
class _Reading:
    """A tree as a cancelled and factored ratio."""

    factors: Factors
    nodes: list[Node]
    """node that each symbol stands for"""
    symbols: Symbols

    @classmethod
    def of(
        cls,
        node: Node,
        positive: frozenset[str],
        whole: frozenset[Node] = frozenset(),
        most_terms: int = MOST_TERMS_READ,
    ) -> _Reading | None:
        """Read a tree in which the nodes in `whole` become symbols.

        None if it has too many terms or symbols, no symbol, or no value anywhere.
        """
        from sympy import QQ
        from sympy.polys.fields import field

        numbers: dict[Node, int] = {}
        if max(_count_terms(node, numbers, whole)) > most_terms or not 0 < len(numbers) <= MOST_SYMBOLS:
            return None
        symbols = field([f"s{number}" for number in numbers.values()], QQ)[1:]
        atoms = {atom: symbols[number] for atom, number in numbers.items()}
        radicands = {}
        try:
            factors = _factored(_ratio(node, atoms))
            for atom, number in numbers.items():
                if atom.operation == "sqrt":
                    radicands[number] = _factored(_ratio(atom.children[0], atoms))
        except ZeroDivisionError:
            return None
        known = {
            number: radicand for number, radicand in radicands.items() if radicand and radicand.coefficient
        }
        if factors is None or len(known) < len(radicands):
            return None
        certain = frozenset(number for atom, number in numbers.items() if _is_positive(atom, positive))
        return cls(factors, list(numbers), Symbols(certain, known))


def whole_power(node: Node) -> int:
    """Return the whole exponent of a power, which may be negative; 0 for any other node."""
    if node.operation != "pow" or node.children[1].kind is not Kind.CONSTANT:
        return 0
    exponent = node.children[1].value
    return int(exponent) if exponent.is_integer() and abs(exponent) <= LARGEST_POWER else 0


def half_power(node: Node) -> int:
    """Return n for a node that is the n-th power of the square root of its operand; 0 for any other."""
    if node.operation == "sqrt":
        return 1
    if node.operation != "pow" or node.children[1].kind is not Kind.CONSTANT or whole_power(node):
        return 0
    twice = 2.0 * node.children[1].value
    return int(twice) if twice.is_integer() and abs(twice) <= LARGEST_POWER else 0


def _root_of(node: Node) -> Node:
    """Return the square root whose whole power a half power is."""
    return Node.operator("sqrt", node.children[0])


def _simple(node: Node) -> Fraction | None:
    """Return the simple fraction that a constant equals, or None."""
    if node.kind is Kind.ONE:
        return Fraction(1)
    if node.kind is not Kind.CONSTANT or abs(node.value) > LARGEST_WHOLE:
        return None
    fraction = Fraction(node.value).limit_denominator(LARGEST_DENOMINATOR)
    return fraction if fraction.numerator / fraction.denominator == node.value else None


def _repeated_sums(node: Node) -> frozenset[Node]:
    """Return sums and differences that occur several times, or are raised to a power."""
    times: Counter[Node] = Counter()
    nodes = [(node, 1)]
    for one, n_times in nodes:  # grows while it is walked
        power = NAMED_POWERS.get(one.operation) or abs(whole_power(one)) or 1
        nodes.extend((child, n_times * power) for child in one.children)
        if one.operation in ("add", "sub"):
            times[one] += n_times
    return frozenset(one for one, count in times.items() if count > 1)


def _is_positive(atom: Node, positive: frozenset[str]) -> bool:
    """Return whether an atom is known to be positive; roots and absolute values count, although 0 occurs."""
    if atom.kind is Kind.VARIABLE:
        return atom.name in positive
    if atom.kind is Kind.CONSTANT:
        return atom.value > 0.0
    if atom.operation == "pow":
        return _is_positive(atom.children[0], positive)
    if atom.operation in ("add", "mul", "div"):  # within a sum that is a symbol
        return all(_is_positive(child, positive) for child in atom.children)
    return atom.kind is Kind.ONE or (atom.row is not None and atom.row.range in ("nonnegative", "positive"))


def _count_terms(node: Node, atoms: dict[Node, int], whole: frozenset[Node]) -> tuple[int, int]:
    """Return bounds on the terms of numerator and denominator; collect symbols in `atoms`."""
    if node in whole:
        atoms.setdefault(node, len(atoms))
        return 1, 1
    if node.operation in RATIONAL or whole_power(node):
        operands = node.children[: 1 if node.operation == "pow" else 2]
        counts = [_count_terms(child, atoms, whole) for child in operands]
        (above, below), (other_above, other_below) = counts[0], counts[-1]
        if node.operation in ("add", "sub"):
            return above * other_below + other_above * below, below * other_below
        if node.operation == "mul":
            return above * other_above, below * other_below
        if node.operation == "div":
            return above * other_below, below * other_above
        power = {"neg": 1, "inverse": -1, **NAMED_POWERS}.get(node.operation) or whole_power(node)
        return (above**power, below**power) if power > 0 else (below**-power, above**-power)
    if half_power(node):
        counted = _count_terms(node.children[0], atoms, whole)
        atoms.setdefault(_root_of(node), len(atoms))
        return counted
    if _simple(node) is None:
        atoms.setdefault(node, len(atoms))
    return 1, 1


def _ratio(node: Node, atoms: Mapping[Node, Any]) -> Any:
    """Return an element of the field of rational functions, which SymPy keeps cancelled."""
    if node in atoms:
        return atoms[node]
    number = _simple(node)
    if number is not None:
        from sympy import QQ

        one = next(iter(atoms.values())).field.one
        return one * QQ(number.numerator, number.denominator)
    if node.operation in RATIONAL:
        return RATIONAL[node.name](*(_ratio(child, atoms) for child in node.children))
    if whole_power(node):
        return _ratio(node.children[0], atoms) ** whole_power(node)
    if half_power(node):
        return atoms[_root_of(node)] ** half_power(node)
    raise KeyError(node)


def _factored(ratio: Any) -> Factors | None:
    """Return the factors of a ratio; None if one of them has too many terms to be worth writing."""
    if not ratio:
        return Factors(Fraction(0))
    factors = Factors()
    for polynomial, sign in ((ratio.numer, 1), (ratio.denom, -1)):
        coefficient, powers = polynomial.factor_list()
        factors = factors.times(Factors(_fraction(coefficient)), sign)
        for base, power in powers:
            terms = tuple((monomial, _fraction(number)) for monomial, number in base.terms())
            if len(terms) > MOST_TERMS:
                return None
            part = Factors.of_term(*terms[0]) if len(terms) == 1 else Factors(powers={terms: 1})
            factors = factors.times(part, sign * power)
    return factors


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.numerator), int(number.denominator))
