"""Reads templates such as `A * exp(-f(t)) + g(x, z)`.

A name that is neither a column nor an operator is a constant, or an unknown function if arguments follow it.
`f(...)` is a function of all columns, and `?` a constant without a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ddsr.errors import ExpressionError, TemplateError, did_you_mean
from ddsr.expression.operators import NAMES_OF_QUANTITIES, OPERATORS
from ddsr.expression.own_operators import OwnOperator
from ddsr.expression.parser import Open, Parser, error_at
from ddsr.expression.printing import node_text
from ddsr.expression.template import Hole, Template
from ddsr.expression.tree import Kind, Node
from ddsr.expression.vocabulary import Vocabulary
from ddsr.expression.words import Word, read_name, split_words, write_name

_ALL_COLUMNS = re.compile(r"\(\s*(\.\.\.|…)\s*\)")


def parse_template(text: str, columns: Sequence[str], own: Sequence[OwnOperator] = ()) -> Template:
    """Return the template that a text describes; raise `TemplateError`, which names the wrong part.

    `own` are user-defined operators.
    """
    if not isinstance(text, str):
        raise TemplateError(f"a template must be a text such as 'A * f(x) + g(y)', not {text!r}")
    vocabulary = Vocabulary(columns, (*OPERATORS, *own))
    arguments = f"({', '.join(map(write_name, columns))})"
    try:
        words = split_words(_ALL_COLUMNS.sub(lambda match: arguments, text))
        if len(words) == 1:
            raise TemplateError("the template is empty")
        parser = _TemplateParser(words, vocabulary)
        tree = parser.run()
    except ExpressionError as error:
        raise TemplateError(f"template {text!r}: {error}") from None
    if not parser.holes:
        raise TemplateError(
            f"template {text!r} has nothing to fit: write a constant, such as A * x, "
            "or an unknown function, such as f(x)"
        )
    holes = sorted(parser.holes.values(), key=lambda hole: not hole.is_constant)  # constants first
    template = Template(text, tree, tuple(holes))
    used = tuple(each for each in own if each.name in template.operators)
    return replace(template, own=used)


class _TemplateParser(Parser):
    def __init__(self, words: list[Word], vocabulary: Vocabulary) -> None:
        super().__init__(words, vocabulary)
        self.holes: dict[str, Hole] = {}
        self.names = {word.text for word in words if word.kind == "name"}

    def constant(self, word: Word) -> Node:
        """Read `?`: a constant that gets the next free name c1, c2, …"""
        number = 1
        while f"c{number}" in {*self.names, *self.holes, *self.vocabulary.variables}:
            number += 1
        return self.hole(word, Hole(f"c{number}"))

    def unknown_variable(self, word: Word, name: str) -> Node:
        if name in OPERATORS and name not in NAMES_OF_QUANTITIES and word.kind == "name":
            return super().unknown_variable(word, name)
        if word.kind == "quoted":
            hint = did_you_mean(name, self.vocabulary.variables)
            columns = ", ".join(self.vocabulary.variables)
            raise error_at(word, word.quote, f" is not a column{hint}; the columns are: {columns}")
        return self.hole(word, Hole(name))

    def unknown_function(self, word: Word) -> None:
        if self.words[self.at + 1].text == ")":
            raise error_at(word, f"function {word.quote}", f" needs inputs, as in {word.text}(x)")
        self.take()  # the parenthesis
        self.open.append(Open(word, is_call=True))

    def called(self, begun: Open, arguments: list[Node]) -> Node:
        if begun.operator is not None:
            return super().called(begun, arguments)
        for argument in arguments:
            if argument.kind is not Kind.VARIABLE:
                raise _wrong_argument(begun.word, argument, self.vocabulary.variables)
        inputs = tuple(argument.name for argument in arguments)
        repeated = [name for name, count in Counter(inputs).items() if count > 1]
        if repeated:
            raise error_at(begun.word, f"{begun.word.quote}", f" has the input {repeated[0]!r} twice")
        self.hole(begun.word, Hole(begun.word.text, inputs))
        return Node.hole(begun.word.text, *arguments)

    def hole(self, word: Word, hole: Hole) -> Node:
        known = self.holes.setdefault(hole.name, hole)
        if known.is_constant != hole.is_constant:
            raise error_at(word, word.quote, " is both a constant and a function; rename one of them")
        if len(known.inputs) != len(hole.inputs):
            raise error_at(
                word, word.quote, f" has {len(hole.inputs)} inputs here, but {len(known.inputs)} before"
            )
        return Node.hole(read_name(word) if word.text != "?" else hole.name)


def _wrong_argument(function: Word, argument: Node, columns: Sequence[str]) -> ExpressionError:
    if argument.kind is not Kind.HOLE:
        what = f"the argument {node_text(argument)} of {function.quote}"
        return error_at(
            function, what, " is not a column: add a column with its values to the table, and name that"
        )
    hint = did_you_mean(argument.name, columns)
    what = f"the argument {argument.name!r} of {function.quote}"
    return error_at(function, what, f" is not a column{hint}; the columns are: {', '.join(columns)}")
