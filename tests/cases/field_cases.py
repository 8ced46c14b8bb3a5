"""Records which fields of a configuration have a test of their effect."""

from collections.abc import Callable
from dataclasses import fields

CASES: dict[type, set[str]] = {}


def covers(name: str, *kinds: type) -> Callable:
    """Declare the configurations whose field `name` the test below covers."""

    def note(test: Callable) -> Callable:
        for kind in kinds:
            assert name in {known.name for known in fields(kind)}
            CASES.setdefault(kind, set()).add(name)
        return test

    return note
