"""The saved state of a search: a tree of names, arrays and plain values, and its form as bytes.

Every part of a search that changes from epoch to epoch can write itself as such a tree and restore itself
from it. The bytes are a NumPy archive: the arrays by their path in the tree, and everything else as JSON.
Nothing in it is ever executed.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ddsr.errors import RunError
from ddsr.storage.files import parse_json

Saved = dict[str, Any]
"""names to arrays, to trees like this one, or to what JSON can write"""

# The member of the archive that holds everything but the arrays; no path in a tree has this name.
STRUCTURE = "structure"
# The first bytes of an archive.
ZIP = b"PK"


def to_bytes(saved: Saved) -> bytes:
    """Write the tree as an archive."""
    arrays: dict[str, Any] = {}
    structure = json.dumps(_without_arrays(saved, "", arrays)).encode()
    arrays[STRUCTURE] = np.frombuffer(structure, np.uint8)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def unwritable(value: object, place: str = "", *, may_be_array: bool = True) -> str | None:
    """Describe the first part of a tree that `to_bytes` cannot write faithfully; None if there is none."""
    at = f" at {place}" if place else ""
    if isinstance(value, np.ndarray) and may_be_array:
        return f"an array of objects{at}" if value.dtype.hasobject else None
    if value is None or isinstance(value, (bool, int, float, str)):
        return None
    if isinstance(value, dict):
        for name in value:
            if not isinstance(name, str) or "/" in name:
                return f"the name {name!r}{at}, which must be a string without '/'"
        parts = list(value.items())
    elif isinstance(value, (list, tuple)):
        parts, may_be_array = list(enumerate(value)), False
    else:
        return f"{value!r}{at}"
    found = (unwritable(part, f"{place}[{name!r}]", may_be_array=may_be_array) for name, part in parts)
    return next((each for each in found if each is not None), None)


def from_bytes(data: bytes, what: str = "state") -> Saved:
    """Read the tree of an archive; raise a `RunError` that names `what` if it cannot be read."""
    if not data.startswith(ZIP):  # NumPy would mistake it for a pickle and explain how to load it
        raise RunError(f"cannot read the saved {what}: it is not an archive")
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
    """Turn any error inside into a one-line `RunError` that names `what`."""
    try:
        yield
    except RunError:
        raise
    except Exception as error:  # corrupt bytes can cause any error of zip, NumPy and torch
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise RunError(f"cannot read the saved {what}: {reason}") from error


def whole(saved: Saved, name: str) -> int:
    """Return a count from a tree; raise `ValueError` if the value is not a count."""
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
