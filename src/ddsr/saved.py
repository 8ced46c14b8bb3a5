"""A search written down: trees of names, arrays and plain values, and their form as bytes.

Every part of a search that changes from epoch to epoch gives such a tree of itself and takes it back. The
bytes are those of a NumPy archive: the arrays by their path in the tree, and all else as JSON beside them.
Nothing in them is ever executed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ddsr.errors import RunError
from ddsr.files import parse_json

Saved = dict[str, Any]
"""names to arrays, to trees like this one, or to what JSON can write"""

# The member of the archive that holds all but the arrays; no path in a tree is called so.
STRUCTURE = "structure"
# How an archive begins.
ZIP = b"PK"


def to_bytes(saved: Saved) -> bytes:
    """The tree as an archive."""
    arrays: dict[str, Any] = {}
    structure = json.dumps(_without_arrays(saved, "", arrays)).encode()
    arrays[STRUCTURE] = np.frombuffer(structure, np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def from_bytes(data: bytes, what: str = "state") -> Saved:
    """The tree of an archive; raises `RunError`, which calls it `what`, where it is none, or not whole."""
    if not data.startswith(ZIP):  # NumPy would take it for a pickle, and say how to run that
        raise RunError(f"this is no saved {what} that can be read: it is not even an archive")
    with restoring(what), np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {path: archive[path] for path in archive.files}
        saved: Saved = parse_json(arrays.pop(STRUCTURE).tobytes())
        for path, array in arrays.items():
            *folders, name = path.split("/")
            place = saved
            for folder in folders:
                place = place[folder]
            place[name] = array
    return saved


@contextmanager
def restoring(what: str) -> Iterator[None]:
    """Whatever is found wrong inside is wrong with what was saved, and said so in one line."""
    try:
        yield
    except RunError:
        raise
    except Exception as error:  # corrupt bytes fail in any way that zip, NumPy and torch know
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise RunError(f"this is no saved {what} that can be read: {reason}") from error


def whole(saved: Saved, name: str) -> int:
    """A count from a tree; raises `ValueError` where the value is of another kind."""
    value = saved[name]
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(f"{name} is {value!r}")
    return value


def _without_arrays(tree: Saved, path: str, arrays: dict[str, Any]) -> Saved:
    rest: Saved = {}
    for name, value in tree.items():
        if isinstance(value, np.ndarray):
            arrays[path + name] = value
        elif isinstance(value, dict):
            rest[name] = _without_arrays(value, f"{path}{name}/", arrays)
        else:
            rest[name] = value
    return rest
