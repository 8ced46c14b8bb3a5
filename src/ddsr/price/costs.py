"""Costs that a user charges for operators and variables, in nats for each use."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from ddsr.expression import Expression, Vocabulary


def cost_of(expression: Expression, costs: Mapping[str, float]) -> float:
    """Return the nats that users charge for the tokens of an expression."""
    if not costs:
        return 0.0
    by_token = _by_token(expression.vocabulary, tuple(costs.items()))
    return sum(by_token[token] for token in expression.tokens)


@lru_cache(maxsize=16)
def _by_token(vocabulary: Vocabulary, costs: tuple[tuple[str, float], ...]) -> tuple[float, ...]:
    known = dict(costs)
    return tuple(known.get(name, 0.0) for name in vocabulary.names)
