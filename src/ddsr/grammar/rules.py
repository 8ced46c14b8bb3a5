"""Rules of a grammar as text or as a dict, for the command line, files and notebooks.

| text | rule |
| --- | --- |
| `forbid exp on mass` | `Forbid("exp", on="mass")` |
| `at most 2 of sin, cos` | `AtMost(("sin", "cos"), 2)` |
| `at most 1 of sqrt below sqrt` | `Nesting("sqrt", "sqrt", 1)` |
| `no exp, pow below exp` | `Nesting("exp", ("exp", "pow"))` |
| `use mass, charge` | `MustAppear("mass", "charge")` |

Names that contain a comma, or begin or end with a space, must be in backticks, as in equations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from typing import Any

from ddsr.errors import GrammarError, did_you_mean
from ddsr.expression.operators import OPERATORS
from ddsr.expression.words import write_name
from ddsr.grammar import AtMost, Forbid, MustAppear, Nesting, Rule

RulesLike = Rule | str | Mapping[str, Any] | Iterable[Rule | str | Mapping[str, Any]]

_NAME = re.compile(r"\s*(?:`((?:[^`]|``)*)`|([^,`]+))\s*(?:,|$)")
_SENTENCES: tuple[tuple[str, Callable[..., Rule]], ...] = (
    (r"forbid (.+?) on (.+)", lambda operator, on: Forbid(_one(operator), on=_one(on))),
    (r"at most (\d+) of (.+?) below (.+)", lambda n, inner, outer: _nesting(outer, inner, int(n))),
    (r"no (.+?) below (.+)", lambda inner, outer: _nesting(outer, inner, 0)),
    (r"at most (\d+) of (.+)", lambda n, tokens: AtMost(_names(tokens), int(n))),
    (r"use (.+)", lambda variables: MustAppear(*_names(variables))),
)
KINDS = ("forbid", "nesting", "at_most", "must_appear")
WORDS = ("forbid", "at", "no", "use")
EXAMPLES = "'forbid exp on x', 'at most 2 of sin, cos', 'no exp below exp', 'use x'"


def read_rules(given: RulesLike) -> tuple[Rule, ...]:
    """Read rules from rule objects, texts, dicts, or a list of these."""
    if isinstance(given, (Rule, str, Mapping)):
        return tuple(_read(given))
    if isinstance(given, (Set, Iterator)) or not isinstance(given, Iterable):
        raise GrammarError(f"rules must be a list of rules, not {given!r}")
    return tuple(rule for each in given for rule in _read(each))


def _read(given: object) -> Iterator[Rule]:
    if isinstance(given, Rule):
        yield given
    elif isinstance(given, str):
        yield _sentence(given)
    elif isinstance(given, Mapping):
        for kind, content in given.items():
            yield from _entries(kind, content)
    else:
        raise GrammarError(f"{given!r} is not a rule; examples of rules: {EXAMPLES}")


def _sentence(text: str) -> Rule:
    for pattern, make in _SENTENCES:
        match = re.fullmatch(pattern, text.strip(), re.DOTALL)
        if match:
            return make(*match.groups())
    raise GrammarError(f"cannot read the rule {text!r}{_suggestion(text)}; examples of rules: {EXAMPLES}")


def _suggestion(text: str) -> str:
    """Return a question that suggests a rule like this one, or its first word."""
    for mistaken, rule in (("no", "forbid {} on {}"), ("forbid", "no {} below {}")):
        match = re.fullmatch(rf"{mistaken} (.+?) (?:on|below) (.+)", text.strip(), re.DOTALL)
        if match:
            return f" (did you mean {rule.format(*match.groups())!r}?)"
    first = text.split()[:1]
    return did_you_mean(first[0], WORDS) if first and first[0] not in WORDS else ""


def _entries(kind: str, content: Any) -> Iterator[Rule]:
    try:
        if kind == "forbid":
            for operator, variables in content.items():
                yield from (Forbid(_one(operator), on=on) for on in _listed(variables))
        elif kind == "nesting":
            for outer, limits in content.items():
                yield from (_nesting(outer, inner, n) for inner, n in limits.items())
        elif kind == "at_most":
            yield from (AtMost(_names(tokens), n) for tokens, n in content.items())
        elif kind == "must_appear":
            yield MustAppear(*_listed(content))
        else:
            hint = did_you_mean(kind, KINDS)
            raise GrammarError(f"unknown kind of rule {kind!r}{hint}; choose from: {', '.join(KINDS)}")
    except (AttributeError, TypeError):
        raise GrammarError(f"cannot read the rules under {kind!r}: {content!r}") from None


def _nesting(outer: str, inner: str, n: int) -> Nesting:
    return Nesting(_names(outer), _names(inner), n)


def _listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return names as a tuple; a single text is one name."""
    return (names,) if isinstance(names, str) else tuple(names)


def _names(text: str) -> tuple[str, ...]:
    """Split names separated by commas."""
    names, position = [], 0
    while position < len(text):
        match = _NAME.match(text, position)
        if match is None:
            raise GrammarError(f"{text!r} is not a list of names: a backtick is never closed")
        quoted, plain = match.groups()
        # in backticks `sin` is a variable, not the function
        names.append(plain.strip() if quoted is None else write_name(quoted.replace("``", "`"), OPERATORS))
        position = match.end()
    return tuple(names)


def _one(text: str) -> str:
    names = _names(text)
    if len(names) != 1:
        raise GrammarError(f"expected one name, got {text!r}")
    return names[0]
