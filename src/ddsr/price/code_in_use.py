"""The structure code that prices equations: the package's own, or a replacement for measurements.

A benchmark removes the form of its own law from the corpus and learns a code from the rest. That code is
then used in the choice, in the enumeration and in the search for the noise model alike.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ddsr.price.table_code import TableCode

_replacements: list[TableCode] = []


def code_in_use() -> TableCode:
    """Return the code that prices structures now."""
    return _replacements[-1] if _replacements else TableCode.shipped()


@contextmanager
def priced_by(code: TableCode) -> Iterator[None]:
    """Price structures with another code within the block, in all threads of this process."""
    _replacements.append(code)
    try:
        yield
    finally:
        _replacements.remove(code)
