"""Starting expressions of a search: the user's guesses as text, and equations of an earlier fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

import numpy as np

from ddsr.errors import ExpressionError
from ddsr.expression import Expression, Kind, Node, Operator, Vocabulary, unscaled
from ddsr.expression.operators import TEMPLATE, numpy_function
from ddsr.expression.words import split_words
from ddsr.grammar import Grammar

CONSTANT = "C"
"""constant of unknown value in a guess, unless a variable has this name; `?` is always a constant"""


def read_guesses(guesses: Sequence[str], grammar: Grammar) -> list[Expression]:
    """Parse guesses; their numbers are the starting values of constants."""
    if isinstance(guesses, (str, Set, Iterator)) or not isinstance(guesses, Iterable):
        raise ExpressionError(f"guesses must be a list of strings such as ['C * x + 1'], not {guesses!r}")
    return [_read(text, grammar) for text in guesses]


def only_filling(vocabulary: Vocabulary) -> Expression:
    """Return the filling of a template without unknown functions: a 1 for each constant."""
    assert vocabulary.template is not None
    parts = (Node.constant() for _ in vocabulary.template.holes)
    return Expression.from_tree(vocabulary, Node.operator(TEMPLATE, *parts))


def _read(text: object, grammar: Grammar) -> Expression:
    if not isinstance(text, str):
        raise ExpressionError(f"a guess must be a string such as 'C * x + 1', not {text!r}")
    vocabulary = grammar.vocabulary
    if vocabulary.template is not None:
        raise ExpressionError(f"the guess {text!r} cannot start a search with a template: leave out guesses")
    try:
        parsed = Expression.parse(_with_marks(text, vocabulary.variables), vocabulary)
        expression = Expression.from_tree(vocabulary, _folded(parsed))
    except ExpressionError as error:
        raise ExpressionError(f"cannot read the guess {text!r}: {error}", error.position) from None
    broken = grammar.check(expression.tokens, expression.constants)
    if broken is not None:
        reason = broken.partition(": ")[2]  # without the token position, which users do not know
        raise ExpressionError(f"the guess {text!r} breaks a rule of the search: {reason}")
    return expression


def known_equations(equations: Iterable[Expression], grammar: Grammar) -> list[Expression]:
    """Return earlier equations that the grammar allows, with or without their scale and offset."""
    found = []
    for equation in equations:
        for form in (equation, unscaled(equation)):
            try:
                seed = Expression.from_tree(grammar.vocabulary, _folded(form))
            except ExpressionError:  # operators that this search does not use
                continue
            if grammar.check(seed.tokens, seed.constants) is None:
                found.append(seed)
                break
    return found


def _with_marks(text: str, variables: Sequence[str]) -> str:
    """Replace each `C` by `?`, which has the same length, so that positions in messages stay correct."""
    if CONSTANT not in text or CONSTANT in variables:
        return text
    at = {word.position for word in split_words(text) if word.kind == "name" and word.text == CONSTANT}
    return "".join("?" if position in at else c for position, c in enumerate(text))


def _folded(expression: Expression) -> Node:
    """Fold parts without variables into numbers: grammars do not allow operators on constants alone."""
    names = expression.vocabulary.variables
    return expression.fold(
        variable=lambda column: Node.variable(names[column]),
        constant=Node.constant,
        one=Node.one(),
        apply=_applied,
    )


def _applied(row: Operator, operands: list[Node]) -> Node:
    if any(operand.kind not in (Kind.CONSTANT, Kind.ONE) for operand in operands):
        return Node.operator(row.name, *operands)
    with np.errstate(all="ignore"):
        value = numpy_function(row)(*(np.asarray(operand.value) for operand in operands))
    if not np.isfinite(value):
        raise ExpressionError(f"{row.name} of {', '.join(str(each.value) for each in operands)} is {value}")
    return Node.constant(float(value))
