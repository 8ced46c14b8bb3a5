"""Fits the constants of the prior's proposals.

Inputs of extreme size are divided by a power of ten for the prior, and for a first fit. The power is then
written into the expression as a constant, which is fitted once more on the original data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, FitOptions, Scores
from ddsr.errors import ExpressionError
from ddsr.expression import Batch, Expression
from ddsr.expression.tree import Kind, Node
from ddsr.grammar import Grammar

if TYPE_CHECKING:
    from ddsr.generators.prior.screen import ShownData

MOST_REWRITTEN = 200
"""maximum number of proposals for scaled inputs to rewrite, the best first, since each takes time"""


def fit_proposals(
    proposed: Batch,
    engine: Engine,
    rows: tuple[Floats, Floats],
    view: ShownData,
    grammar: Grammar,
    options: FitOptions,
    deadline: Deadline = NEVER,
) -> Scores:
    """Fit proposals to the engine's data; `rows` are its X and y.

    If inputs were scaled, proposals that the grammar refuses once the scales are written out are dropped.
    """
    if not view.powers.any():
        return engine.score(proposed, options=options, deadline=deadline)
    X, y = rows
    scales = np.ones(X.shape[1])
    scales[view.columns] = view.scales
    scaled = Engine(
        engine.vocabulary, X / scales, y, options=options, seed=engine.seed, n_threads=engine.n_threads
    ).score(proposed, deadline=deadline)
    best = np.argsort(scaled.nrmse, kind="stable")[:MOST_REWRITTEN]
    factors = {
        name: 1.0 / scale
        for name, scale in zip(engine.vocabulary.variables, scales, strict=True)
        if scale != 1
    }
    rewritten = write_scales(scaled.batch.take(best), factors, grammar)
    return engine.score(rewritten or proposed, options=options, deadline=deadline)


def write_scales(batch: Batch, factors: Mapping[str, float], grammar: Grammar) -> Batch | None:
    """Replace each x by `factor * x` and simplify; return what the grammar allows, or None."""
    allowed: list[Expression] = []
    for expression in batch:
        try:
            written = Expression.from_tree(batch.vocabulary, _scaled(expression.tree, factors)).simplified()
        except ExpressionError:  # the vocabulary has no product or no constants for a factor
            continue
        if len(written) <= grammar.max_length and grammar.check(written.tokens, written.constants) is None:
            allowed.append(written)
    return Batch.of(allowed) if allowed else None


def _scaled(node: Node, factors: Mapping[str, float]) -> Node:
    if node.kind is Kind.VARIABLE and node.name in factors:
        return Node.operator("mul", Node.constant(factors[node.name]), node)
    return replace(node, children=tuple(_scaled(child, factors) for child in node.children))
