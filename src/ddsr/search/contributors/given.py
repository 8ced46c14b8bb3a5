"""Contributors that the user passes: checked before a fit, and made anew for each search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeGuard

from ddsr.errors import MethodError
from ddsr.search.contributors.contract import Contributor
from ddsr.search.problem import Given, Problem
from ddsr.search.turns import TIMED_AS

RESERVED = {*TIMED_AS, *TIMED_AS.values(), "sample", "score", "update"}
"""names of other rows of the learning curves"""
METHODS = {"propose": "propose(search, budget)", "saved": "saved()", "restore": "restore(saved)"}
HOW = "see docs/contributors.md"


def check_contributors(given: object) -> tuple[Given, ...]:
    """Check what can be checked before a search: contributors that are made later are checked then."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise MethodError(f"contributors must be a list or tuple of contributors, got {given!r}; {HOW}")
    for place, each in enumerate(given):
        if not _is_maker(each):
            _check(each, f"contributors[{place}]")
    return tuple(given)


def make_contributors(given: Sequence[Given], problem: Problem) -> list[Contributor]:
    """Copy or make each for one search, so that no search changes what the user passed."""
    made: list[Contributor] = []
    for place, each in enumerate(given):
        what = f"contributors[{place}]"
        contributor = _check(each(problem) if _is_maker(each) else _copy(each, what), what)
        if contributor.name in {other.name for other in made}:
            raise MethodError(f"{what} has the name {contributor.name!r} of another one: choose another name")
        made.append(contributor)
    return made


def _is_maker(each: object) -> TypeGuard[Callable[[Problem], Contributor]]:
    return callable(each) and (isinstance(each, type) or not hasattr(each, "propose"))


def _copy(each: Any, what: str) -> Any:
    try:
        return deepcopy(each)
    except Exception as error:  # whatever the user's class raises
        raise MethodError(
            f"{what} cannot be copied for a search ({error}): pass a function that takes the problem and "
            "returns a new contributor"
        ) from error


def _check(each: Any, what: str) -> Contributor:
    """Return it if it has all that the contract asks for."""
    for method, signature in METHODS.items():
        if not callable(getattr(each, method, None)):
            raise MethodError(f"{what}, {each!r}, has no method {signature}: add it; {HOW}")
    name, n_scored = (getattr(each, member, None) for member in ("name", "n_scored"))
    if not (isinstance(name, str) and name.isidentifier()):
        raise MethodError(f"{what} needs a name such as 'polynomials', of letters and digits; got {name!r}")
    if name in RESERVED:
        raise MethodError(f"{what} has the name {name!r} of a part of ddsr: choose another name")
    if isinstance(n_scored, bool) or not isinstance(n_scored, int):
        raise MethodError(f"{what} needs the whole number n_scored, 0 if it scores nothing; got {n_scored!r}")
    checked: Contributor = each
    return checked
