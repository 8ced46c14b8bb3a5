"""Arrays in a safetensors file: a JSON header, then only numbers.

The format is small enough to be read and written here: eight bytes with the header's length, the header
(names, types, shapes, offsets, and texts under `__metadata__`), the numbers. Unlike a pickle it cannot
execute anything. One of the texts is a checksum of everything else, so that altered files are refused.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import DataError
from ddsr.storage.files import parse_json, read_regular

TYPES: dict[str, np.dtype[Any]] = {"F16": np.dtype("<f2"), "F32": np.dtype("<f4")}
METADATA = "__metadata__"
CHECKSUM = "sha256"
LARGEST_HEADER = 100_000_000

Arrays = Mapping[str, NDArray[Any]]


def write_tensors(path: Path, arrays: Arrays, texts: Mapping[str, str]) -> str:
    """Write arrays of half or single precision and some texts, and return the checksum."""
    table, data = _laid_out(arrays)
    checksum = _checksum(table, texts, data)
    header = json.dumps({METADATA: {**texts, CHECKSUM: checksum}, **table}).encode()
    header += b" " * (-len(header) % 8)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_bytes(len(header).to_bytes(8, "little") + header + data)
    os.replace(unfinished, path)
    return checksum


def checksum_of(arrays: Arrays, texts: Mapping[str, str]) -> str:
    """Return the checksum that `write_tensors` would return."""
    table, data = _laid_out(arrays)
    return _checksum(table, texts, data)


def read_tensors(path: Path, with_checksum: bool = False) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return the arrays and texts of a file from `write_tensors`; raise `DataError` if it was altered."""
    try:
        content = read_regular(path)
        size = int.from_bytes(content[:8], "little")
        if len(content) < 8 or size > min(len(content) - 8, LARGEST_HEADER):
            raise ValueError("it is cut short")
        table = parse_json(content[8 : 8 + size])
        data = content[8 + size :]
        texts = table.pop(METADATA)
        checksum = texts.pop(CHECKSUM)
        if checksum != _checksum(table, texts, data):
            raise ValueError("its checksum differs: it was cut short or altered")
        if with_checksum:
            texts[CHECKSUM] = checksum
        return {name: _array(entry, data) for name, entry in table.items()}, texts
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DataError(f"cannot read weights from {path}: {error}") from error


def _laid_out(arrays: Arrays) -> tuple[dict[str, Any], bytes]:
    """Return the table of the header, and the numbers, one array after the other."""
    names = {dtype: name for name, dtype in TYPES.items()}
    table: dict[str, Any] = {}
    parts: list[bytes] = []
    begin = 0
    for name, array in arrays.items():
        part = np.ascontiguousarray(array).tobytes()
        kind = names[array.dtype.newbyteorder("<")]
        table[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, begin + len(part)]}
        parts.append(part)
        begin += len(part)
    return table, b"".join(parts)


def _array(entry: Mapping[str, Any], data: bytes) -> NDArray[Any]:
    begin, end = entry["data_offsets"]
    values: NDArray[Any] = np.frombuffer(data[begin:end], dtype=TYPES[entry["dtype"]])
    return values.reshape(entry["shape"])


def _checksum(table: Mapping[str, Any], texts: Mapping[str, str], data: bytes) -> str:
    """Return a checksum of the table, the texts and the numbers."""
    described = json.dumps([table, dict(texts)], sort_keys=True).encode()
    return hashlib.sha256(described + data).hexdigest()
