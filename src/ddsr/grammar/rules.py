"""Rules of a grammar as text or as a dict, for the command line, files and notebooks.

| text | rule |
| --- | --- |
| `forbid exp on mass` | `Forbid("exp", on="mass")` |
| `at most 2 of sin, cos` | `AtMost(("sin", "cos"), 2)` |
| `at most 1 of sqrt below sqrt` | `Nesting("sqrt", "sqrt", 1)` |
| `no exp, pow below exp` | `Nesting("exp", ("exp", "pow"))` |
| `use mass, charge` | `MustAppear("mass", "charge")` |
| `exponents constant`, `whole exponents`, `exponents from -3 to 3` | `Exponents(low=-3, high=3)` |
| `depth at most 4` | `MaxDepth(4)` |
| `at most 5 tokens below exp` | `OperandSize("exp", 5)` |
| `constants positive`, `constants at least 0`, `constants from 0 to 10` | `ConstantRange(0, 10)` |
| `no offset` | `NoOffset()` |
| `zero at x = 0` | `ZeroAt("x", 0)` |
| `y from 0 to 1`, `y at least 0` | `ValueRange(0, 1)` |
| `increasing in x`, and so `decreasing`, `convex`, `concave` | `Increasing("x")` |
| `symmetric in x, z` | `Symmetric("x", "z")` |

Names that contain a comma, or begin or end with a space, must be in backticks, as in equations.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from ddsr.errors import GrammarError, did_you_mean
from ddsr.expression.operators import OPERATORS
from ddsr.expression.words import write_name
from ddsr.grammar import (
    AtMost,
    Concave,
    ConstantRange,
    Convex,
    Decreasing,
    Exponents,
    Forbid,
    Increasing,
    MaxDepth,
    MustAppear,
    Nesting,
    NoOffset,
    OperandSize,
    Rule,
    Symmetric,
    ValueRange,
    ZeroAt,
)
from ddsr.grammar.form_rules import SMALLEST
from ddsr.grammar.rule_hints import suggestion

RulesLike = Rule | str | Mapping[str, Any] | Iterable[Rule | str | Mapping[str, Any]]

_NAME = re.compile(r"\s*(?:`((?:[^`]|``)*)`|([^,`]+))\s*(?:,|$)")
_NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
_RANGE = rf"(?:from {_NUMBER} to {_NUMBER}|at least {_NUMBER}|at most {_NUMBER})"
COURSES: dict[str, Callable[[str], Rule]] = {
    "increasing": Increasing,
    "decreasing": Decreasing,
    "convex": Convex,
    "concave": Concave,
}
_SENTENCES: tuple[tuple[str, Callable[..., Rule | list[Rule]]], ...] = (
    (r"forbid (.+?) on (.+)", lambda operator, on: Forbid(_one(operator), on=_one(on))),
    (r"at most (\d+) tokens? below (.+)", lambda n, operator: OperandSize(_one(operator), int(n))),
    (r"at most (\d+) of (.+?) below (.+)", lambda n, inner, outer: _nesting(outer, inner, int(n))),
    (r"no (.+?) below (.+)", lambda inner, outer: _nesting(outer, inner, 0)),
    (r"at most (\d+) of (.+)", lambda n, tokens: AtMost(_names(tokens), int(n))),
    (r"use (.+)", lambda variables: MustAppear(*_names(variables))),
    (r"(?:exponents constant|constant exponents)", Exponents),
    (r"(?:exponents whole|whole exponents)", lambda: Exponents(whole=True)),
    (rf"(?:exponents whole|whole exponents) {_RANGE}", lambda *ends: Exponents(True, *_ends(*ends))),
    (rf"exponents {_RANGE}", lambda *ends: Exponents(False, *_ends(*ends))),
    (r"depth at most (\d+)", lambda n: MaxDepth(int(n))),
    (r"constants positive", lambda: ConstantRange(low=SMALLEST)),
    (r"constants negative", lambda: ConstantRange(high=-SMALLEST)),
    (rf"constants {_RANGE}", lambda *ends: ConstantRange(*_ends(*ends))),
    (r"no offset", NoOffset),
    (rf"zero at (.+?) ?= ?{_NUMBER}", lambda variable, value: ZeroAt(_one(variable), float(value))),
    (rf"(?:y|values) {_RANGE}", lambda *ends: ValueRange(*_ends(*ends))),
    (rf"({'|'.join(COURSES)}) in (.+)", lambda course, names: _courses(course, _names(names))),
    (r"symmetric in (.+)", lambda names: _symmetric(_names(names))),
)
KINDS = (
    *("forbid", "nesting", "at_most", "must_appear", "exponents", "depth", "operand_size", "constants"),
    *("no_offset", "zero_at", "values", *COURSES, "symmetric"),
)
EXAMPLES = "'forbid exp on x', 'at most 2 of sin, cos', 'no exp below exp', 'use x', 'increasing in x'"


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
        yield from _sentence(given)
    elif isinstance(given, Mapping):
        for kind, content in given.items():
            yield from _entries(kind, content)
    else:
        raise GrammarError(f"{given!r} is not a rule; examples of rules: {EXAMPLES}")


def _sentence(text: str) -> list[Rule]:
    for pattern, make in _SENTENCES:
        match = re.fullmatch(pattern, text.strip(), re.DOTALL)
        if match:
            made = make(*match.groups())
            return made if isinstance(made, list) else [made]
    raise GrammarError(
        f"cannot read the rule {text!r}{suggestion(text, _is_rule)}; examples of rules: {EXAMPLES}"
    )


def _is_rule(text: str) -> bool:
    return any(re.fullmatch(pattern, text, re.DOTALL) for pattern, _ in _SENTENCES)


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
        elif kind in KINDS:
            yield from _requirement(kind, content)
        else:
            hint = did_you_mean(kind, KINDS)
            raise GrammarError(f"unknown kind of rule {kind!r}{hint}; choose from: {', '.join(KINDS)}")
    except (AttributeError, TypeError):
        raise GrammarError(f"cannot read the rules under {kind!r}: {content!r}") from None


def _requirement(kind: str, content: Any) -> Iterator[Rule]:
    """Read a rule on the form or the values from a dict."""
    if kind == "exponents":
        yield from _sentence(f"exponents {content}") if isinstance(content, str) else [Exponents(**content)]
    elif kind == "depth":
        yield MaxDepth(content)
    elif kind == "operand_size":
        yield from (OperandSize(_one(operator), n) for operator, n in content.items())
    elif kind == "constants":
        yield from (
            _sentence(f"constants {content}") if isinstance(content, str) else [ConstantRange(**content)]
        )
    elif kind == "no_offset":
        yield from [NoOffset()] if content else []
    elif kind == "zero_at":
        yield from (ZeroAt(_one(variable), value) for variable, value in content.items())
    elif kind == "values":
        yield from _sentence(f"values {content}") if isinstance(content, str) else [ValueRange(**content)]
    elif kind == "symmetric":
        yield from _symmetric(_listed(content))
    else:
        yield from _courses(kind, _listed(content))


def _courses(course: str, variables: Iterable[str]) -> list[Rule]:
    return [COURSES[course](variable) for variable in variables]


def _symmetric(variables: Sequence[str]) -> list[Rule]:
    """Return rules that together allow any exchange of the variables."""
    if len(variables) < 2:
        given = ", ".join(variables)
        names = given.replace(" and ", ", ") if " and " in given else f"{given or 'a'}, b"
        raise GrammarError(
            f"symmetric needs at least two inputs, got {given!r}: write them with a comma, such as "
            f"'symmetric in {names}'"
        )
    return [Symmetric(variables[0], other) for other in variables[1:]]


def _ends(low: str | None, high: str | None, only_low: str | None, only_high: str | None) -> Iterator[Any]:
    """Return the ends of a range as numbers, None for those that are not given."""
    for end in (low or only_low, high or only_high):
        yield None if end is None else float(end)


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
