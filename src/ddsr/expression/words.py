"""Words of infix text, and the notation of names.

A name that could be misread is written in backticks, with backticks inside it doubled: one that has a space,
starts with a digit, or is also a function such as `sin`. Functions that share their name with common
quantities, such as gamma, count only if they are operators of the vocabulary.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from ddsr.errors import ExpressionError
from ddsr.expression.operators import NAMES_OF_QUANTITIES, OPERATORS

_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_WORD = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>{_PLAIN_NAME.pattern})"
    r"|(?P<quoted>`(?:[^`]|``)*`)"
    r"|(?P<symbol>\*\*|[-+*/^(),?])"
)

WordKind = Literal["number", "name", "quoted", "symbol", "end"]


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of text and the index of its first character."""

    kind: WordKind
    text: str
    position: int

    @property
    def quote(self) -> str:
        """Text as quoted in error messages."""
        return "end of text" if self.kind == "end" else repr(self.text)


def write_name(name: str, operators: Collection[str] = ()) -> str:
    """Return the name of a variable as it is printed in a vocabulary with these operators."""
    is_function = name in operators or (name in OPERATORS and name not in NAMES_OF_QUANTITIES)
    if _PLAIN_NAME.fullmatch(name) and not is_function:
        return name
    return "`" + name.replace("`", "``") + "`"


def read_name(word: Word) -> str:
    """Return the name of a printed variable, the inverse of `write_name`."""
    return word.text if word.kind == "name" else word.text[1:-1].replace("``", "`")


def split_words(text: str) -> list[Word]:
    """Return all words of the text except spaces, then one of kind "end"."""
    words: list[Word] = []
    position = 0
    while position < len(text):
        match = _WORD.match(text, position)
        if match is None:
            raise ExpressionError(_reason_unreadable(text, position), position)
        kind: WordKind | Literal["space"] = match.lastgroup  # type: ignore[assignment]
        if kind != "space":
            words.append(Word(kind, match.group(), position))
        position = match.end()
    words.append(Word("end", "", len(text)))
    return words


def _reason_unreadable(text: str, position: int) -> str:
    if text[position] == "`":
        return f"the backtick at position {position} is never closed"
    return f"unexpected character {text[position]!r} at position {position}"
