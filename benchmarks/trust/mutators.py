"""Ways to damage a file: bytes, JSON, NumPy archives, tables of text and whole folders."""

from __future__ import annotations

import io
import json
import random
import zipfile
from typing import Any

import numpy as np

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 1e308, -1e-320, 0.5),
    *(
        "",
        "x",
        "\x00",
        "\ud800",
        "1",
        "nan",
        "../../etc/passwd",
        [],
        {},
        [[]],
        [None],
        {"ddsr": "x"},
        "x" * 100_000,
    ),
)
SPECIAL_NUMBERS = ("NaN", "Infinity", "-Infinity", "1e999", "1" * 400, "-0", "1e-999")
DEPTH = 100_000


def mutate_bytes(data: bytes, chance: random.Random) -> bytes:
    """Flip, cut, insert, repeat or overwrite bytes."""
    kind = chance.randrange(7)
    if kind == 0 or not data:
        return data[: chance.randrange(len(data) + 1)]
    place = chance.randrange(len(data))
    if kind == 1:
        return data[:place] + chance.randbytes(chance.randrange(1, 20)) + data[place:]
    if kind == 2:
        return data[:place] + data[place + chance.randrange(1, 200) :]
    if kind == 3:
        return data + data[place:]
    if kind == 4:
        return data[:place] + b"\x00" * chance.randrange(1, 64) + data[place + 1 :]
    changed = bytearray(data)
    for _ in range(chance.randrange(1, 8)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def places_in(tree: Any) -> list[tuple[Any, Any]]:
    """List (container, key) of everything inside a JSON value."""
    found, waiting = [], [tree]
    while waiting:
        node = waiting.pop()
        keys = node if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            waiting.append(node[key])
    return found


def mutate_tree(tree: Any, chance: random.Random) -> Any:
    """Replace a value by one of another type, remove it, repeat it, or copy another one there."""
    places = places_in(tree)
    if not places:
        return chance.choice(ODD_VALUES)
    container, key = chance.choice(places)
    kind = chance.randrange(6)
    if kind == 0:
        del container[key]
    elif kind == 1 and isinstance(container, list):
        container.append(container[key])
    elif kind == 2:
        other, name = chance.choice(places)
        try:
            container[key] = json.loads(json.dumps(other[name]))
        except (KeyError, IndexError):
            container[key] = None
    else:
        container[key] = chance.choice(ODD_VALUES)
    return tree


def mutate_json(text: bytes, chance: random.Random) -> bytes:
    """Damage the values of a JSON text, or the text itself."""
    kind = chance.randrange(10)
    if kind == 0:
        return mutate_bytes(text, chance)
    if kind == 1:
        brackets = chance.choice((b"[", b'{"a":'))
        return brackets * DEPTH
    tree = json.loads(text)
    if kind == 2:
        return _with_special_number(tree, chance)
    if kind == 3:
        container, key = chance.choice(places_in(tree))
        container[key] = "DEEP"
        return json.dumps(tree).encode().replace(b'"DEEP"', b"[" * DEPTH + b"]" * DEPTH)
    for _ in range(chance.randrange(1, 4)):
        tree = mutate_tree(tree, chance)
    return _as_bytes(tree)


def _with_special_number(tree: Any, chance: random.Random) -> bytes:
    numbers = [place for place in places_in(tree) if isinstance(place[0][place[1]], (int, float))]
    if not numbers:
        return b"NaN"
    container, key = chance.choice(numbers)
    container[key] = "SPECIAL"
    return json.dumps(tree).encode().replace(b'"SPECIAL"', chance.choice(SPECIAL_NUMBERS).encode())


def _as_bytes(tree: Any) -> bytes:
    return json.dumps(tree).encode("utf-8", errors="replace")


def mutate_array(array: np.ndarray, chance: random.Random) -> np.ndarray:
    """Change the type, shape or content."""
    kind = chance.randrange(7)
    if kind == 0:
        return array.astype(
            chance.choice(["float32", "int16", "uint8", "complex128", "U5", "bool"]), copy=True
        )
    if kind == 1:
        return array.reshape(-1)[: chance.randrange(array.size + 1)]
    if kind == 2:
        return array[np.newaxis]
    if kind == 3:
        return np.concatenate([array.reshape(-1)] * 2)
    if kind == 4:
        return np.zeros((0,) * chance.randrange(1, 4), array.dtype)
    changed = array.copy()
    if array.size and array.dtype.kind in "iuf":
        extremes = [0, -1, np.iinfo(array.dtype).max] if array.dtype.kind in "iu" else [np.nan, np.inf, 1e308]
        with np.errstate(all="ignore"):
            changed.flat[chance.randrange(array.size)] = np.array(chance.choice(extremes)).astype(array.dtype)
    return changed


def mutate_archive(data: bytes, chance: random.Random) -> bytes:
    """Damage the members of a NumPy archive, its JSON member or the whole; zip's checksums stay valid."""
    if chance.randrange(5) == 0:
        return mutate_bytes(data, chance)
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    name = chance.choice(list(arrays))
    if "structure" in arrays and chance.randrange(3) == 0:
        arrays["structure"] = np.frombuffer(mutate_json(arrays["structure"].tobytes(), chance), np.uint8)
    elif chance.randrange(5) == 0:
        del arrays[name]
    elif chance.randrange(5) == 0:
        arrays[name], other = arrays[chance.choice(list(arrays))], arrays[name]
        arrays[f"{name}/deeper"] = other
    else:
        arrays[name] = mutate_array(arrays[name], chance)
    return write_archive(arrays)


def write_archive(arrays: dict[str, np.ndarray]) -> bytes:
    """Like `np.savez`, which rejects names such as `file` and writes the time of day into the archive."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return file.getvalue()


ODD_CELLS = (
    *(
        "",
        "NA",
        "inf",
        "-inf",
        "1e999",
        "1e-400",
        "1" * 400,
        "0x10",
        "1,5",
        '"',
        '"a',
        "\x00",
        "é",
        "=1+1",
        "1_000",
    ),
    *("true", "2020-01-01", "[bold]", "\x1b[31m", "−1", "1e5000", " ", "\t", "١", "1d3"),
)


def mutate_csv(data: bytes, chance: random.Random) -> bytes:
    """Damage cells, lines, names and separators of a table."""
    kind = chance.randrange(8)
    if kind == 0:
        return mutate_bytes(data, chance)
    lines = data.decode().splitlines()
    if kind == 1:
        return "\r".join(lines).encode(chance.choice(["utf-8", "utf-16", "utf-8-sig"]))
    if kind == 2:
        return "\n".join(lines).replace(",", chance.choice([";", "\t", " ", "|", ",,", ", "])).encode()
    if kind == 3:
        names = lines[0].split(",")
        names[chance.randrange(len(names))] = chance.choice([*ODD_CELLS, names[0], "y" * 10_000])
        return "\n".join([",".join(names), *lines[1:]]).encode()
    if kind == 4:
        return "\n".join(lines[: chance.randrange(len(lines))]).encode()
    if kind == 5:
        lines.insert(
            chance.randrange(1, len(lines)), chance.choice(["", "1,2", "1,2,3,4,5", ",,", "#", "a,b,y"])
        )
    for _ in range(chance.randrange(1, 5)):
        row = chance.randrange(1, len(lines))
        cells = lines[row].split(",")
        cells[chance.randrange(len(cells))] = chance.choice(ODD_CELLS)
        lines[row] = ",".join(cells)
    return "\n".join(lines).encode()
