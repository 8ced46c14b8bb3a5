"""The user's contributors: checked before a fit, and copied or created for each search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from inspect import signature
from typing import Any, TypeGuard

from ddsr.errors import MethodError
from ddsr.search.contributors.contract import HOW, Contributor, TimeShare, time_share_of
from ddsr.search.contributors.names import TIMED_AS
from ddsr.search.problem import Given, Problem

RESERVED = {*TIMED_AS, *TIMED_AS.values(), "sample", "score", "update"}
"""names of other rows of the learning curves"""
METHODS = {"propose": "propose(search, budget)", "saved": "saved()", "restore": "restore(saved)"}


def check_contributors(given: object) -> tuple[Given, ...]:
    """Check what can be checked before a search; contributors that are made later are checked then."""
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise MethodError(f"contributors must be a list or tuple of contributors, got {given!r}; {HOW}")
    for place, each in enumerate(given):
        if _is_maker(each):
            _check_maker(each, _called(each, place))
        else:
            _check(each, place)
    return tuple(given)


def make_contributors(given: Sequence[Given], problem: Problem) -> list[Contributor]:
    """Copy or make each for one search, so that no search changes what the user passed."""
    made: list[Contributor] = []
    for place, each in enumerate(given):
        contributor = _check(each(problem) if _is_maker(each) else _copy(each, place), place)
        if contributor.name in {other.name for other in made}:
            raise MethodError(
                f"contributor {contributor.name!r}: contributors[{place}] has the name of another one: "
                "choose another name"
            )
        made.append(contributor)
    return made


def _is_maker(each: object) -> TypeGuard[Callable[[Problem], Contributor]]:
    return callable(each) and (isinstance(each, type) or not hasattr(each, "propose"))


def _called(each: object, place: int) -> str:
    """Return what errors call a contributor: its name if it has one."""
    name = getattr(each, "name", None)
    return f"contributor {name!r}" if _is_name(name) else f"contributors[{place}]"


def _is_name(name: object) -> TypeGuard[str]:
    return isinstance(name, str) and name.isidentifier()


def _check_maker(maker: Callable[[Problem], Contributor], what: str) -> None:
    """Raise an error if a maker cannot be called with a problem."""
    try:
        parameters = signature(maker)
    except (TypeError, ValueError):  # some callables written in C do not show their parameters
        return
    try:
        parameters.bind(object())
    except TypeError as error:
        raise MethodError(
            f"{what}: {maker!r} cannot be called with the problem ({error}): let it take one argument, or "
            f"pass an object of the class; {HOW}"
        ) from None


def _copy(each: Any, place: int) -> Any:
    try:
        return deepcopy(each)
    except Exception as error:  # whatever the user's class raises
        raise MethodError(
            f"{_called(each, place)}: it cannot be copied for a search ({error}): pass a function that takes "
            "the problem and returns a new contributor"
        ) from error


def _check(each: Any, place: int) -> Contributor:
    """Return a contributor if it meets the contract; otherwise raise an error."""
    what = _called(each, place)
    for method, parameters in METHODS.items():
        if not callable(getattr(each, method, None)):
            raise MethodError(f"{what}: {each!r} has no method {parameters}: add it; {HOW}")
    name, n_scored = (getattr(each, member, None) for member in ("name", "n_scored"))
    if not _is_name(name):
        raise MethodError(
            f"{what}: it needs a name such as 'polynomials', of letters and digits; got {name!r}"
        )
    if name in RESERVED:
        raise MethodError(f"{what}: this is the name of a part of ddsr: choose another name")
    if isinstance(n_scored, bool) or not isinstance(n_scored, int):
        raise MethodError(
            f"{what}: it needs the whole number n_scored, 0 if it scores nothing; got {n_scored!r}"
        )
    if not isinstance(share := time_share_of(each), (TimeShare, type(None))):
        raise MethodError(f"{what}: time_share must be a TimeShare or None, got {share!r}; {HOW}")
    checked: Contributor = each
    return checked
