"""Starting expressions of a search: the user's guesses as text, and equations of an earlier fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

import numpy as np

from ddsr.errors import ExpressionError, did_you_mean
from ddsr.expression import Expression, Kind, Node, Operator, Vocabulary, unscaled
from ddsr.expression.operators import TEMPLATE, numpy_function
from ddsr.expression.template import Hole, renamed
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
    try:
        tree = _tree(text, vocabulary) if vocabulary.template is None else _filling(text, vocabulary)
        expression = Expression.from_tree(vocabulary, tree)
    except ExpressionError as error:
        raise ExpressionError(f"cannot read the guess {text!r}: {error}", error.position) from None
    broken = grammar.check(expression.tokens, expression.constants)
    if broken is not None:
        reason = broken.partition(": ")[2]  # without the token position, which users do not know
        raise ExpressionError(f"the guess {text!r} breaks a rule of the search: {reason}")
    return expression


def _tree(text: str, vocabulary: Vocabulary) -> Node:
    return _folded(Expression.parse(_with_marks(text, vocabulary.variables), vocabulary))


def _filling(text: str, vocabulary: Vocabulary) -> Node:
    """Read what fills a template: `f(t) = C * t; A = 2.5`. Constants that are left out start at 1."""
    template = vocabulary.template
    assert template is not None
    parts: dict[str, Node] = {}
    end = -1
    for part in text.split(";"):
        end += 1 + len(part)
        head, sign, body = part.partition("=")
        head, body = head.strip(), " " * (end - len(body)) + body  # so that positions in messages are right
        if not sign:
            example = "; ".join(
                f"{hole} = {'C' if hole.is_constant else f'C * {hole.inputs[0]}'}" for hole in template.holes
            )
            raise ExpressionError(f"with a template, a guess says what fills it, such as {example!r}")
        name, _, inputs = head.removesuffix(")").partition("(")
        hole = next((hole for hole in template.holes if hole.name == name.strip()), None)
        if hole is None or hole.name in parts:
            hint = did_you_mean(name, [hole.name for hole in template.holes])
            why = "is given twice" if hole else f"is not a part of the template{hint}"
            listed = ", ".join(map(str, template.holes))
            raise ExpressionError(f"{head!r} {why}; its parts are: {listed}")
        parts[hole.name] = _part(hole, inputs, body, vocabulary.of_parts)
    missing = [str(hole) for hole in template.functions if hole.name not in parts]
    if missing:
        raise ExpressionError(f"it does not say what {' and '.join(missing)} should be")
    return Node.operator(TEMPLATE, *(parts.get(hole.name, Node.constant()) for hole in template.holes))


def _part(hole: Hole, inputs: str, body: str, vocabulary: Vocabulary) -> Node:
    """Read what fills one hole; `inputs` are the columns that stand for those of the hole."""
    tree = _tree(body, vocabulary)
    if hole.is_constant:
        if tree.kind not in (Kind.CONSTANT, Kind.ONE):
            raise ExpressionError(
                f"{hole} is a constant of the template, so {body.strip()!r} must be a number"
            )
        return Node.constant(tree.value)
    given = tuple(each.strip().strip("`") for each in inputs.split(",")) if inputs else hole.inputs
    if len(given) != len(hole.inputs):
        raise ExpressionError(f"{hole} has {len(hole.inputs)} inputs, not {len(given)}")
    return renamed(tree, dict(zip(given, map(Node.variable, hole.inputs), strict=True)))


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
