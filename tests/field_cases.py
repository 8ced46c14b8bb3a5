"""Which fields of a configuration have a test that shows their effect."""

from collections.abc import Callable
from dataclasses import fields

CASES: dict[type, set[str]] = {}


def covers(name: str, *kinds: type) -> Callable:
    """Says of which configurations the test below shows the field `name`."""

    def note(test: Callable) -> Callable:
        for kind in kinds:
            assert name in {known.name for known in fields(kind)}
            CASES.setdefault(kind, set()).add(name)
        return test

    return note
