"""Make text from users and files, such as column names, safe to show on a terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.console import Console

# Control characters, halves of surrogate pairs, and separators of lines and paragraphs.
UNSAFE_CATEGORIES = ("Cc", "Cs", "Zl", "Zp")
# These reorder the text around them.
BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def printable(text: str) -> str:
    """Replace characters that control a terminal by their escapes, as in `\\x1b`.

    The result is a single line. Text without such characters is returned unchanged.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(character) if _is_unsafe(character) else character for character in text)


def printable_lines(text: str) -> str:
    """Make each line of a text printable; line breaks and tabs stay."""
    kept = ("\n", "\t")
    return "".join(each if each in kept else printable(each) for each in text)


def plain_console(stream: TextIO | None = None) -> Console:
    """Return a console, by default of stdout, that prints text as it is: `[s]` is not markup."""
    from rich.console import Console

    return Console(file=stream, markup=False, emoji=False)


def _is_unsafe(character: str) -> bool:
    return unicodedata.category(character) in UNSAFE_CATEGORIES or character in BIDIRECTIONAL


def _escaped(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
