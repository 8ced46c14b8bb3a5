"""Nats of the values of fitted exponents: most laws have small ones.

Any magnitude of another constant is equally likely, since it depends on the units. An exponent has no unit,
and few laws have one above 6 or near 0: x^18 approximates an exponential, and x^0.02 a logarithm.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import hypot, log, pi

from ddsr.expression import Kind, Node
from ddsr.price.model import Known, Model

# Exponents have the density 2 / (pi SCALE) / (1 + (p / SCALE)^2)^2: one in 25 exceeds 6, one in 160 12.
SCALE = 3.0
# Other constants have the density 1 / (2 E_FOLDS |c|), for both signs.
E_FOLDS = 7.0
SMALLEST = 1e-300


def nats_of_exponents(model: Model) -> float:
    """Return the nats of the fitted exponents beyond those of other constants; 0 for usual ones."""
    if "pow" not in model.expression.vocabulary.operators:
        return 0.0
    return sum(map(_nats, _fitted_exponents(model.tree)))


def _fitted_exponents(root: Node) -> Iterator[float]:
    nodes = [root]
    for node in nodes:  # grows while it is walked
        nodes.extend(node.children)
        if node.operation == "pow":
            exponent = node.children[1]
            if exponent.kind is Kind.CONSTANT and not isinstance(exponent, Known):
                yield exponent.value


def _nats(exponent: float) -> float:
    size = max(abs(exponent), SMALLEST)
    of_exponent = log(pi * SCALE / 2.0) + 4.0 * log(hypot(1.0, size / SCALE))
    return max(0.0, of_exponent - log(2.0 * E_FOLDS * size))
