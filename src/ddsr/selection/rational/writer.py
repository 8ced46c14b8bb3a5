"""Products of powers written as trees of few nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ddsr.expression import Kind, Node, Vocabulary
from ddsr.expression.operators import NAMED_POWERS
from ddsr.price.model import known
from ddsr.selection.rational.products import Base, Factors, Polynomial, Product, Symbols

NODES_OF_A_NUMBER = 1.9  # one for its token, and about as much for its value


def cost_of(node: Node) -> float:
    """Return the number of nodes, with constants counting for more."""
    own = NODES_OF_A_NUMBER if node.kind is Kind.CONSTANT else 1.0
    return own + sum(map(cost_of, node.children))


@dataclass(frozen=True)
class Writer:
    """Writes products whose symbols stand for nodes."""

    vocabulary: Vocabulary
    nodes: Sequence[Node]
    symbols: Symbols

    def shortest_first(self, product: Product) -> list[Node]:
        """Return the product as it is and multiplied out, either also with sums divided, shortest first."""
        begun = [product.knowing(self.symbols)]
        merged = begun[0].multiplied_out()
        begun += [] if merged is None else [merged]
        written: dict[Node, float] = {}
        for one in begun:
            best = one
            for _ in range(2):
                around = [best, *best.divisions()]
                nodes = [self.product(each) for each in around]
                written |= {node: cost_of(node) for node in nodes}
                best = around[min(range(len(nodes)), key=lambda place: written[nodes[place]])]
        return sorted(written, key=lambda node: written[node])

    def product(self, product: Product) -> Node:
        """Return a product as a ratio with at most one root."""
        above, below = self._ratio(product.outer.powers)
        under_above, under_below = self._ratio(product.inner.powers)
        number = product.inner.coefficient
        if number != 1:
            under_above.insert(0, self._number(number))
        if under_above:
            above.append(self._root(self._divided(under_above, under_below)))
        elif under_below:
            below.append(self._root(Node.product(under_below)))
        coefficient = product.outer.coefficient
        if coefficient != 1 or not above:
            above.insert(0, self._number(coefficient))
        return self._divided(above, below)

    def sum(self, polynomial: Polynomial) -> Node:
        """Return a polynomial as a sum, with negative terms last."""
        terms = [Factors.of_term(*term) for term in polynomial]
        terms.sort(key=lambda term: term.coefficient < 0)
        total = self._term(terms[0])
        for term in terms[1:]:
            if term.coefficient < 0 and "sub" in self.vocabulary.operators:
                total = Node.operator("sub", total, self._term(Factors(-term.coefficient, term.powers)))
            else:
                total = Node.operator("add", total, self._term(term))
        return total

    def _term(self, term: Factors) -> Node:
        return self.product(Product.of(term, self.symbols))

    def _base(self, base: Base) -> Node:
        return self.nodes[base] if isinstance(base, int) else self.sum(base)

    def _ratio(self, powers: Mapping[Base, int]) -> tuple[list[Node], list[Node]]:
        """Return factors above and below the bar; equal exponents share one power: (v / c)^2."""
        above: list[Node] = []
        below: list[Node] = []
        for size in sorted({abs(power) for power in powers.values()}):
            upper = [self._base(base) for base, power in powers.items() if power == size]
            lower = [self._base(base) for base, power in powers.items() if power == -size]
            if size == 1:
                above, below = above + upper, below + lower
            elif upper:
                above.append(self._power(self._divided(upper, lower), size))
            else:
                below.append(self._power(Node.product(lower), size))
        return above, below

    def _power(self, base: Node, exponent: int) -> Node:
        for name, power in NAMED_POWERS.items():
            if power == exponent and name in self.vocabulary.operators:
                return Node.operator(name, base)
        repeated = Node.product([base] * exponent)
        if "pow" not in self.vocabulary.operators or not self.vocabulary.has_constant:
            return repeated
        return min(repeated, Node.operator("pow", base, known(float(exponent))), key=cost_of)

    def _root(self, node: Node) -> Node:
        if "sqrt" in self.vocabulary.operators:
            return Node.operator("sqrt", node)
        return Node.operator("pow", node, known(0.5))

    def _divided(self, above: list[Node], below: list[Node]) -> Node:
        if not below:
            return Node.product(above)
        if "div" in self.vocabulary.operators:
            upper = Node.product(above) if above else self._number(Fraction(1))
            return Node.operator("div", upper, Node.product(below))
        return Node.product([*above, Node.operator("inverse", Node.product(below))])

    def _number(self, value: Fraction) -> Node:
        if value == 1 and self.vocabulary.has_one:
            return Node.one()
        return known(float(value))
