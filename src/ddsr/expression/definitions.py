"""Reads lists of operators, which may define new ones: `lorentz(x) = 1 / (1 + x^2)`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ddsr.errors import ExpressionError, RunError, VocabularyError
from ddsr.expression.expression import Expression
from ddsr.expression.operators import OPERATORS, listed
from ddsr.expression.own_operators import (
    MOST_OPERANDS,
    CustomOperator,
    FormulaOperator,
    OwnOperator,
    check_name,
    expanded_node,
    with_uses,
)
from ddsr.expression.parser import Parser, error_at
from ddsr.expression.tree import Kind, Node
from ddsr.expression.vocabulary import Vocabulary
from ddsr.expression.words import Word, split_words

_DEFINITION = re.compile(
    r"\s*(?P<name>[^(=]*?)\s*(?:\((?P<arguments>[^)]*)\)\s*)?=(?P<formula>.*)", re.DOTALL
)
FUNCTION = "function"
_EXAMPLE = "write it as in 'lorentz(x) = 1 / (1 + x^2)'"


def read_operators(given: Iterable[str | OwnOperator]) -> tuple[str | OwnOperator, ...]:
    """Return operators, with each text definition read as a `FormulaOperator`.

    A formula may use the operators defined before it. Names are not checked: `Vocabulary` does that.
    """
    found: list[str | OwnOperator] = []
    for each in listed(given, "operators"):
        is_text = isinstance(each, str) and "=" in each
        found.append(read_definition(each, own_among(found)) if is_text else each)
    return tuple(found)


def own_among(operators: Iterable[str | OwnOperator]) -> tuple[OwnOperator, ...]:
    """Return the user-defined operators."""
    return tuple(each for each in operators if not isinstance(each, str))


def read_definition(text: str, known: Sequence[OwnOperator] = ()) -> FormulaOperator:
    """Return the operator that a text defines; it may use the operators in `known`."""
    match = _DEFINITION.fullmatch(text)
    if match is None:
        raise VocabularyError(f"cannot read the operator {text!r}: {_EXAMPLE}")
    name, between = match["name"], match["arguments"]
    if between is None or not between.strip():
        raise VocabularyError(f"the operator {text!r} has no arguments: {_EXAMPLE}")
    try:
        check_name(name)
    except VocabularyError as error:
        raise VocabularyError(f"the operator {text!r}: {error}") from None
    if name in {each.name for each in known}:
        raise VocabularyError(f"the operator {name!r} is defined more than once")
    arguments = tuple(each.strip() for each in between.split(","))
    _check_arguments(text, name, arguments)
    vocabulary = Vocabulary(arguments, (*OPERATORS, *known))
    try:
        tree = _Parser(split_words(match["formula"]), vocabulary, name).run()
    except ExpressionError as error:
        raise VocabularyError(f"the formula of the operator {text.strip()!r}: {error}") from None
    nodes = list(_nodes(tree))
    unused = [each for each in arguments if Node.variable(each) not in nodes]
    if unused:
        raise VocabularyError(f"the operator {text!r} does not use its argument {unused[0]!r}")
    named = {node.operation for node in nodes}
    uses = tuple(each for each in known if each.name in named)
    written = f"{name}({', '.join(arguments)}) = {match['formula'].strip()}"
    return FormulaOperator(name, arguments, tree, written, uses)


def split_operators(text: str) -> list[str]:
    """Split a list at its commas, except those between the arguments of a definition."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def saved_operators(operators: Iterable[str | OwnOperator]) -> list[Any]:
    """Return operators as files store them: a Python function is a dict with its name."""
    saved: list[Any] = []
    for each in operators:
        if isinstance(each, CustomOperator):
            saved.append({FUNCTION: each.name})
        else:
            saved.append(each if isinstance(each, str) else each.text)
    return saved


def restored_operators(saved: Iterable[Any], given: Sequence[object] = ()) -> tuple[Any, ...]:
    """Return the operators of a file, with Python functions taken from `given`."""
    known = {each.name: each for each in given if isinstance(each, CustomOperator)}
    return tuple(_function(each[FUNCTION], known) if isinstance(each, dict) else each for each in saved)


def _function(name: str, known: Mapping[str, CustomOperator]) -> CustomOperator:
    if name not in known:
        raise RunError(
            f"the operator {name!r} is a Python function, which files do not keep: pass it again, as in "
            f"operators=[CustomOperator({name!r}, …)]"
        )
    return known[name]


def written_out(expression: Expression) -> Expression:
    """Return the expression with user-defined operators replaced by their formulas."""
    plain = expression.expanded
    if not any(isinstance(own, FormulaOperator) for own in plain.own_operators):
        return plain
    names = plain.vocabulary.variables
    tree = plain.fold(
        variable=lambda column: Node.variable(names[column]),
        constant=Node.constant,
        one=Node.one(),
        apply=expanded_node,
    )
    functions = [own for own in with_uses(plain.vocabulary.own) if isinstance(own, CustomOperator)]
    return Expression.from_tree(Vocabulary(names, (*OPERATORS, *functions)), tree)


def _check_arguments(text: str, name: str, arguments: tuple[str, ...]) -> None:
    if len(arguments) > MOST_OPERANDS:
        raise VocabularyError(f"the operator {text!r} has {len(arguments)} arguments; it may have one or two")
    for argument in arguments:
        if not argument.isidentifier() or argument == name:
            raise VocabularyError(f"the operator {text!r}: {argument!r} cannot be the name of an argument")
    if len(set(arguments)) < len(arguments):
        raise VocabularyError(f"the operator {text!r} has the argument {arguments[0]!r} twice")


class _Parser(Parser):
    def __init__(self, words: list[Word], vocabulary: Vocabulary, name: str) -> None:
        if len(words) == 1:
            raise ExpressionError("it is empty", 0)
        super().__init__(words, vocabulary)
        self.name = name

    def constant(self, word: Word) -> Node:
        raise error_at(word, "'?'", " is not a number, and no fit changes the numbers of an operator")

    def unknown_function(self, word: Word) -> None:
        if word.text == self.name:
            raise error_at(word, word.quote, " is the operator itself, which cannot be part of its formula")
        super().unknown_function(word)

    def unknown_variable(self, word: Word, name: str) -> Node:
        try:
            return super().unknown_variable(word, name)
        except ExpressionError:
            known = ", ".join(self.vocabulary.variables)
            raise error_at(word, f"unknown name {name!r}", f"; the arguments are: {known}") from None


def _nodes(tree: Node) -> Iterator[Node]:
    yield tree
    if tree.kind is Kind.OPERATOR:
        for child in tree.children:
            yield from _nodes(child)
