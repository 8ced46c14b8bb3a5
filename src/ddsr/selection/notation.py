"""Usual notation of a finished equation: x^2 for x * x, a division by 3 for a third, -tanh(x).

The rewriting is native (core/simplify/notation.hpp describes each step). Values do not change, and an
equation reads the same however the search found it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ddsr import _core
from ddsr.expression import Expression
from ddsr.expression.signs import signs_of
from ddsr.price.model import Model
from ddsr.price.simple_numbers import is_exact

USUAL_RULES = (
    "simple bases",
    "exponentials",
    "powers",
    "simple bases",  # again: exp(x)^0.6931 is an exponential by now
    "complements",
    "unit factors",
    "upright roots",
    "one bar",
    "cleared denominators",
    "squares",
    "outer signs",
    "phases in half a turn",
    "differences",
    "turned differences",
    "powers",  # again: exp(-log(y / x) / t) is exp(log(x / y) / t) by now
    "order",
    "fractions",
)


def rewritten(
    model: Model,
    is_allowed: Callable[[Expression], bool] | None = None,
    rules: Sequence[str] = USUAL_RULES,
) -> Model:
    """Return the model in usual notation: f / 3 for 0.333… * f and x^2 for x * x, if the vocabulary allows.

    Steps whose result `is_allowed` refuses are skipped: c^x stays if a rule forbids exp(k * x).
    """
    if model.expression.is_filled:
        other = model.with_parts(rewritten(part, rules=rules) for part in model.parts)
        return other if is_allowed is None or is_allowed(other.expression) else model
    expression = model.expression
    vocabulary = expression.vocabulary

    def may_be(tokens: list[int], constants: list[float]) -> bool:
        return is_allowed is None or is_allowed(Expression(vocabulary, tokens, constants))

    found = _core.rewrite_notation(
        vocabulary.core,
        expression.tokens,
        expression.constants,
        model.is_fixed,
        rules,
        None if is_allowed is None else may_be,
        is_exact,
    )
    if found is None:
        return model
    tokens, constants, is_fixed = found
    return Model(Expression(vocabulary, tokens, constants), tuple(is_fixed))


def with_exponentials(model: Model) -> Model:
    """Return the model with exp(log(c) * f) for c^f with a fitted c, if it has exp.

    A fixed c stays, and so does a fitted one that is a simple number, as in 2^n.
    """
    return rewritten(model, rules=("simple bases", "exponentials"))


def with_phases_in_a_turn(expression: Expression) -> Expression:
    """Return the expression with phases larger than a period reduced to at most half a period."""
    return rewritten(Model.free(expression), rules=("phases in a turn",)).expression


def as_roots(
    expression: Expression, positive: Iterable[str] = (), nonnegative: Iterable[str] = ()
) -> Expression:
    """Return the expression with roots for sin and cos of inverse functions, if that reads better."""
    if expression.is_filled:
        return expression.with_parts(as_roots(part, positive, nonnegative) for part in expression.parts)
    vocabulary = expression.vocabulary
    signs = signs_of(vocabulary, positive, nonnegative)
    found = _core.with_roots(vocabulary.core, expression.tokens, expression.constants, signs)
    other = Expression(vocabulary, *found)
    return expression if other == expression else other
