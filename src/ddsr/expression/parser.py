"""Parser of infix text to a tree, by operator precedence; nothing in the text is ever executed.

The parser keeps unfinished parts (an operator that waits for its right operand, an open parenthesis, a
function call) on a list instead of calling itself, so that no nesting is too deep.
"""

from dataclasses import dataclass
from math import isfinite

from ddsr.errors import ExpressionError, did_you_mean
from ddsr.expression.operators import Operator, find_operator, suggestion
from ddsr.expression.tree import Node
from ddsr.expression.vocabulary import Vocabulary
from ddsr.expression.words import Word, read_name, split_words

UNARY_MINUS = 3  # binds tighter than *, less tightly than ^
POWERS = ("^", "**")


def parse(text: str, vocabulary: Vocabulary) -> Node:
    """Return the tree of a text; errors name what is wrong, where, and what is known instead."""
    if not isinstance(text, str):
        raise ExpressionError(f"text must be a string, not {text!r}")
    words = split_words(text)
    if len(words) == 1:
        raise ExpressionError("the text is empty; an expression was expected", 0)
    return Parser(words, vocabulary).run()


@dataclass(slots=True)
class Open:
    """An unfinished infix operator, unary minus, parenthesis or call."""

    word: Word
    precedence: int = 0  # of operators; 0 for what ends only at a closing parenthesis
    operator: Operator | None = None  # of infix operators and calls
    is_call: bool = False
    n_arguments: int = 0  # of a call, before the one being read


class Parser:
    """Turns words into a tree; a subclass may give unknown names a meaning."""

    def __init__(self, words: list[Word], vocabulary: Vocabulary) -> None:
        self.words = words
        self.vocabulary = vocabulary
        self.at = 0
        self.operands: list[Node] = []
        self.open: list[Open] = []

    def run(self) -> Node:
        """Return the tree."""
        while True:
            while not self.read_operand(self.take()):
                pass
            while self.read_after_operand(word := self.take()):
                if word.kind == "end":
                    return self.operands.pop()

    def take(self) -> Word:
        """Return the next word and advance."""
        self.at += 1
        return self.words[self.at - 1]

    def read_operand(self, word: Word) -> bool:
        """Read what may start an operand; return True when an operand is complete."""
        if word.text == "+":
            return False
        if word.text == "-":
            return self.read_minus(word)
        if word.text == "(":
            self.open.append(Open(word))
            return False
        if word.kind == "name" and self.words[self.at].text == "(":
            self.begin_call(word)
            return False
        if word.kind == "number":
            self.operands.append(self.number(word, float(word.text)))
        elif word.text == "?":
            self.operands.append(self.constant(word))
        elif word.kind in ("name", "quoted"):
            self.operands.append(self.variable(word))
        else:
            wanted = "a number, a variable, a function or '(' was expected"
            raise error_at(word, f"unexpected {word.quote}", f"; {wanted}")
        return True

    def begin_call(self, word: Word) -> None:
        """Read a function's name and the parenthesis after it."""
        row = self.function(word)
        if row is None:
            return self.unknown_function(word)
        self.take()  # the parenthesis
        if self.words[self.at].text == ")":
            raise _wrong_arity(word, row, 0)
        self.open.append(Open(word, operator=row, is_call=True))

    def read_minus(self, word: Word) -> bool:
        """Read a minus: part of the number that follows, except in -2^x, which is -(2^x)."""
        following = self.words[self.at]
        is_part = following.kind == "number" and self.words[self.at + 1].text not in POWERS
        if is_part and self.vocabulary.has_constant:
            self.operands.append(self.number(following, -float(self.take().text)))
            return True
        self.open.append(Open(word, UNARY_MINUS))
        return False

    def read_after_operand(self, word: Word) -> bool:
        """Read what may follow an operand; return False when another operand must come."""
        if word.text == ")":
            self.close(word)
            return True
        if word.text == ",":
            self.reduce(1)
            if not self.open or not self.open[-1].is_call:
                raise error_at(word, "unexpected ','", " outside the arguments of a function")
            self.open[-1].n_arguments += 1
            return False
        if word.kind == "end":
            self.reduce(1)
            if self.open:
                word = self.open[-1].word
                raise error_at(word, f"the parenthesis of {word.quote}", " is never closed")
            return True
        if word.kind != "symbol" or word.text in "(?":
            raise error_at(word, f"unexpected {word.quote}", "; an operator such as * was expected")
        row = self.in_vocabulary(word, find_operator(word.text))
        # + - * / group to the left, ^ to the right
        self.reduce(row.precedence + (row.name == "pow"))
        self.open.append(Open(word, row.precedence, row))
        return False

    def reduce(self, least: int) -> None:
        """Complete the waiting operators that bind at least this tightly."""
        while self.open and self.open[-1].precedence >= least:
            begun = self.open.pop()
            if begun.operator is None:
                self.operands.append(self.negated(begun.word, self.operands.pop()))
            else:
                right, left = self.operands.pop(), self.operands.pop()
                self.operands.append(Node.operator(begun.operator.name, left, right))

    def close(self, word: Word) -> None:
        """Complete what an open parenthesis began."""
        self.reduce(1)
        if not self.open:
            raise error_at(word, "')'", " closes no parenthesis")
        begun = self.open.pop()
        if begun.is_call:
            n_arguments = begun.n_arguments + 1
            arguments = self.operands[-n_arguments:]
            del self.operands[-n_arguments:]
            self.operands.append(self.called(begun, arguments))

    def called(self, begun: Open, arguments: list[Node]) -> Node:
        """Return the node of a complete call."""
        assert begun.operator is not None  # other functions are unknown
        if len(arguments) != begun.operator.arity:
            raise _wrong_arity(begun.word, begun.operator, len(arguments))
        return Node.operator(begun.operator.name, *arguments)

    def constant(self, word: Word) -> Node:
        """Return the node of `?`."""
        self.require_constant(word)
        return Node.constant()

    def number(self, word: Word, value: float) -> Node:
        """Return the node of a number."""
        if word.text == "1" and value == 1.0 and self.vocabulary.has_one:
            return Node.one()
        self.require_constant(word)
        if not isfinite(value):
            raise error_at(word, f"number {word.quote}", " is too large for a double")
        return Node.constant(value)

    def require_constant(self, word: Word) -> None:
        """Raise an error if the vocabulary has no constant."""
        if not self.vocabulary.has_constant:
            raise error_at(word, word.quote, " needs a constant, but this vocabulary has none")

    def variable(self, word: Word) -> Node:
        """Return the node of a name without arguments."""
        name = read_name(word)
        if name in self.vocabulary.variables:
            return Node.variable(name)
        return self.unknown_variable(word, name)

    def unknown_variable(self, word: Word, name: str) -> Node:
        """Return the node of a name that is not a variable, or raise an error."""
        first = self.vocabulary.first_variable
        if self.vocabulary.find_row(name) is not None and word.kind == "name":
            raise error_at(word, f"function {word.quote}", " lacks its arguments in parentheses")
        known = ", ".join(self.vocabulary.names[first:])
        hint = did_you_mean(name, self.vocabulary.variables)
        raise error_at(word, f"unknown variable {name!r}", f"{hint}; the variables are: {known}")

    def function(self, word: Word) -> Operator | None:
        """Return the operator of a call, or None if its name is unknown."""
        row = self.vocabulary.find_row(word.text)
        if row is not None:
            return self.in_vocabulary(word, row)
        if word.text in self.vocabulary.variables:
            raise error_at(word, word.quote, " is a variable, not a function; multiply with *")
        return None

    def unknown_function(self, word: Word) -> None:
        """Begin a call of a function that is not an operator, or raise an error."""
        known = ", ".join(self.vocabulary.operators)
        raise error_at(
            word, f"unknown function {word.quote}", f"{suggestion(word.text)}; choose from: {known}"
        )

    def in_vocabulary(self, word: Word, row: Operator) -> Operator:
        """Return the operator, or raise an error if the vocabulary lacks it."""
        if row.name not in self.vocabulary.operators:
            known = ", ".join(self.vocabulary.operators) or "none"
            raise error_at(
                word,
                f"operator {word.quote}",
                f" is not in this vocabulary, whose operators are: {known}",
            )
        return row

    def negated(self, word: Word, operand: Node) -> Node:
        """Return the operand after a minus."""
        if "neg" in self.vocabulary.operators:
            return Node.operator("neg", operand)
        if "mul" in self.vocabulary.operators and self.vocabulary.has_constant:
            return Node.operator("mul", Node.constant(-1.0), operand)
        raise error_at(word, "'-'", " needs neg, or mul and a constant, which this vocabulary does not have")


def _wrong_arity(word: Word, row: Operator, n_arguments: int) -> ExpressionError:
    return error_at(word, repr(row.name), f" takes {row.arity} operand(s), not {n_arguments}")


def error_at(word: Word, what: str, why: str) -> ExpressionError:
    """Return an error with the position of a word."""
    return ExpressionError(f"{what} at position {word.position}{why}", word.position)
