"""Rewards: the measures that a generator learns to raise, from 0 to 1."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ddsr.engine import Engine, Floats, Scores
from ddsr.expression import Expression, scaled
from ddsr.price.code_in_use import code_in_use
from ddsr.price.costs import cost_of
from ddsr.price.enumeration import least_nats_of_constants
from ddsr.price.rounding import rounding_of

Reward = Callable[[Scores], Floats]

PRICED_AT_ONCE = 50


def reward_of_error(scores: Scores) -> Floats:
    """Return R = 1 / (1 + NRMSE), the paper's reward."""
    return scores.reward


@dataclass(frozen=True, eq=False)
class RewardOfLength:
    """R = 1 / (1 + NRMSE exp(P / N)), with the price P of structure and constants in nats, for N rows.

    N log(NRMSE) + P is the description length of an expression. With more rows, R comes closer to the paper's
    reward. The paper's never falls when a constant is added, even if the constant fits only noise.
    """

    engine: Engine
    n_best: int
    """number of the best expressions to compare; expressions that cannot be among them are not priced"""

    def __call__(self, scores: Scores) -> Floats:
        """Return the reward of each expression, or an upper bound if it is not among the best.

        It is 0 if any value is not finite.
        """
        length = np.log(np.maximum(scores.nrmse, rounding_of(self.engine)))  # per row
        order = np.argsort(length, kind="stable")
        order = order[np.isfinite(length[order])]
        is_priced = np.zeros(len(scores), dtype=bool)
        for begin in range(0, len(order), PRICED_AT_ONCE):
            best = np.sort(length[is_priced & ~scores.is_duplicate])[: self.n_best]
            if len(best) == self.n_best and best[-1] <= length[order[begin]]:
                break
            rows = order[begin : begin + PRICED_AT_ONCE]
            length[rows] += self._price([_equation(scores, row) for row in rows]) / self.engine.n_counted
            is_priced[rows] = True
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(length)))

    def _price(self, expressions: list[Expression]) -> Floats:
        are_free = [[True] * each.n_constants for each in expressions]
        constants = [least_nats_of_constants(len(each), self.engine.n_counted) for each in are_free]
        costs = [cost_of(each, self.engine.costs) for each in expressions]
        return np.asarray(code_in_use().prices(expressions, are_free) + np.array(constants) + np.array(costs))


def _equation(scores: Scores, row: int) -> Expression:
    """Return the expression with scale and offset written out, if the vocabulary can express them."""
    f, scale, offset = scores.batch[row], float(scores.scale[row]), float(scores.offset[row])
    return f if (scale, offset) == (1.0, 0.0) else scaled(f, scale, offset) or f
