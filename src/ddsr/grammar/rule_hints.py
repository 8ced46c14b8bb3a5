"""The rule that a text which is not one was probably meant to be."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from ddsr.errors import did_you_mean
from ddsr.expression.operators import OPERATORS, SYMBOLS

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
_LOW, _HIGH = rf"(?P<low>{_NUMBER})", rf"(?P<high>{_NUMBER})"
_WHAT = r"(?P<what>y|values|constants|exponents|whole exponents) ?"
_COURSE = r"(?P<course>increasing|decreasing|convex|concave)"
_NAME, _OTHER = r"(?P<name>(?!in\b)[^ ,=()\d][^ ,=()]*)", r"(?P<other>[^ ,=()]+)"
_VALUE = rf"(?P<value>{_NUMBER})"
# Other words, and those of the rules.
_WORDS = (
    (r"(?:is|are|be|must be|has to be|stays|always) ", ""),
    (r"(?:output|target|prediction|result)s?\b", "y"),
    (r"(?:parameters|coefficients)\b", "constants"),
    (r"(?:powers|exponent)\b", "exponents"),
    (r"(?:integer|integral)\b", "whole"),
    (r"exponents whole\b", "whole exponents"),
    (r"non-?negative\b", ">= 0"),
    (r"non-?positive\b", "<= 0"),
    (r"(?:strictly|monotonically|monotonic|monotone) (?=\w+ing\b)", ""),
    (r"(?:increases|rises|rising|grows|growing|monotonic|monotone)\b", "increasing"),
    (r"(?:decreases|falls|falling|shrinks|shrinking)\b", "decreasing"),
    (r"(?:intercept|constant term)\b", "offset"),
    *((rf"{word}\b", number) for word, number in (("one", "1"), ("two", "2"), ("three", "3"))),
    (r"(?:under|below|less than|up to|no more than|maximum|maximal|max)\b(?= [-+.\d])", "<="),
    (r"(?:over|above|more than|minimum|minimal|min)\b(?= [-+.\d])", ">="),
)
# A text after these words are replaced, and the rule that it means.
_MEANT = (
    (rf"{_WHAT}(?:between|in|within) \[?{_LOW} ?(?:and|to|,) ?{_HIGH}\]?", "{what} from {low} to {high}"),
    (rf"{_LOW} ?<=? ?{_WHAT}<=? ?{_HIGH}", "{what} from {low} to {high}"),
    (rf"{_WHAT}>=? ?{_LOW}", "{what} at least {low}"),
    (rf"{_WHAT}<=? ?{_HIGH}", "{what} at most {high}"),
    (r"(?P<sign>positive|negative) constants", "constants {sign}"),
    (rf"{_WHAT}positive|positive y", "{what} at least 0"),
    (rf"{_WHAT}negative|negative y", "{what} at most 0"),
    (rf"(?:y )?{_COURSE} (?:with|in|on|for|along) (?P<name>.+)", "{course} in {name}"),
    (rf"{_COURSE} {_NAME}", "{course} in {name}"),
    (rf"(?:in )?{_NAME} {_COURSE}", "{course} in {name}"),
    (rf"symmetric (?:in |between |under )?{_NAME}(?:,? and |, ?| ){_OTHER}", "symmetric in {name}, {other}"),
    (rf"{_NAME}(?:,? and |, ?){_OTHER} symmetric", "symmetric in {name}, {other}"),
    (r"(?:max|maximum|maximal)? ?depth(?: of)? ?(?:<|<=|=)? ?(?P<n>\d+)", "depth at most {n}"),
    (rf"(?:y ?)?(?:= ?)?(?:zero|0) (?:at|if|for|when) {_NAME} ?=? ?{_VALUE}", "zero at {name} = {value}"),
    (rf"(?:y )?(?:zero|0) (?:at|if|for|when) {_NAME}", "zero at {name} = 0"),
    (r"(?:y )?(?:zero|0) (?:at|if|for|when) 0", "zero at {name} = 0"),
    (rf"[yf]\((?:{_NAME} ?= ?)?{_VALUE}\) ?= ?0", "zero at {name} = {value}"),
    (r"(?:y )?through (?:the )?origin", "zero at {name} = 0"),
    (r"(?:no|without|zero|forbid) (?:an? |any )?(?:constant )?offset", "no offset"),
    (r"(?:must use|must contain|contains|include|require) (?P<name>.+)", "use {name}"),
    (r"(?:<=|at most) (?P<n>\d+) (?:of )?(?!tokens?)(?P<operators>.+)", "at most {n} of {operators}"),
    (r"(?:no|without|forbid|exclude) (?P<operators>.+)", "at most 0 of {operators}"),
)  # fmt: skip
_SPELT = (
    *("forbid", "most", "least", "tokens", "below", "exponents", "constant", "constants", "whole", "depth"),
    *("positive", "negative", "offset", "zero", "values", "increasing", "decreasing", "convex", "concave"),
    "symmetric",
)
# A word of a rule, and a rule that has it.
_WITH_WORD = {
    "increasing": "increasing in t",
    "decreasing": "decreasing in t",
    "convex": "convex in t",
    "concave": "concave in t",
    "symmetric": "symmetric in a, b",
    "exponents": "whole exponents from -3 to 3",
    "constants": "constants from 0 to 10",
    "offset": "no offset",
    "zero": "zero at t = 0",
    "depth": "depth at most 4",
    "tokens": "at most 5 tokens below exp",
    "forbid": "forbid exp on x",
    "positive": "y at least 0",
    "negative": "y at most 0",
    "bounded": "y from 0 to 1",
    "between": "y from 0 to 1",
    "values": "values from 0 to 1",
    "range": "y from 0 to 1",
}


def suggestion(text: str, is_rule: Callable[[str], bool]) -> str:
    """Return a question that suggests the nearest rule; empty if none is near.

    `is_rule` decides whether a text is a rule.
    """
    given = " ".join(text.split())
    for mistaken, rule in (("no", "forbid {} on {}"), ("forbid", "no {} below {}")):
        match = re.fullmatch(rf"{mistaken} (.+?) (?:on|below) (.+)", given)
        if match:
            return _question(rule.format(*match.groups()))
    meant = _meant(given, is_rule)
    return _like(given) if meant is None else _question(meant)


def _meant(text: str, is_rule: Callable[[str], bool]) -> str | None:
    """Return the rule that other words describe."""
    usual = text
    for other, word in _WORDS:
        usual = re.sub(rf"\b{other}", word, usual, flags=re.IGNORECASE)
    for each in (usual, _corrected(text), _corrected(usual)):
        if each != text and is_rule(each):
            return each
    for pattern, rule in _MEANT:
        match = re.fullmatch(pattern, usual.replace("≤", "<=").replace("≥", ">="), re.IGNORECASE)
        if match is None:
            continue
        found = {name: part for name, part in match.groupdict().items() if part}
        made = rule.format(**{"name": "x", "what": "y", **found})
        if is_rule(made) and _are_operators(found.get("operators", "")):
            return made
    return None


def _corrected(text: str) -> str:
    """Return the text with misspelt words of rules corrected."""
    words = text.split(" ")
    close = [get_close_matches(word.lower(), _SPELT, n=1, cutoff=0.75) for word in words]
    return " ".join(found[0] if found else word for found, word in zip(close, words, strict=True))


def _are_operators(names: str) -> bool:
    listed = [name.strip() for name in names.split(",")] if names else []
    return all(name in OPERATORS or name in SYMBOLS for name in listed)


def _like(text: str) -> str:
    """Return a question with a rule that has a word like one of the text."""
    of_range = re.fullmatch(
        rf"(.+?) (from {_NUMBER} to {_NUMBER}|at (?:least|most) {_NUMBER})", text, re.IGNORECASE
    )
    if of_range:
        what, range_ = of_range.groups()
        return did_you_mean(what, ("constants", "exponents", "values")) or _question(f"y {range_}")
    for word in re.findall(r"\w+", text.lower()):
        close = get_close_matches(word, _WITH_WORD, n=1, cutoff=0.75)
        if close:
            return f" (the nearest rule is {_WITH_WORD[close[0]]!r})"
    return ""


def _question(rule: str) -> str:
    return f" (did you mean {rule!r}?)"
