"""Damaged files of the trust campaigns: reproducible, and different from the original."""

import io
import json
import random

import numpy as np
import pytest
from benchmarks.trust.mutators import (
    DEPTH,
    mutate_archive,
    mutate_bytes,
    mutate_csv,
    mutate_json,
    places_in,
    write_archive,
)

MODEL = json.dumps({"format": "x", "outputs": [{"scale": 1.5, "tokens": ["mul", 0]}], "n_fits": 1}).encode()
TABLE = b"a,b,y\n" + b"\n".join(b"%d,%d,%d" % (k, 2 * k, 3 * k) for k in range(1, 9))
ARCHIVE = write_archive(
    {
        "structure": np.frombuffer(MODEL, np.uint8),
        "fit/x": np.arange(6.0).reshape(2, 3),
        "fit/n": np.arange(4),
    }
)


@pytest.mark.parametrize(
    "mutate, data",
    [(mutate_bytes, MODEL), (mutate_json, MODEL), (mutate_archive, ARCHIVE), (mutate_csv, TABLE)],
    ids=["bytes", "json", "archive", "csv"],
)
def test_mutations_repeat_and_change_the_file(mutate, data):
    seeds = range(40)
    found = [mutate(data, random.Random(seed)) for seed in seeds]
    assert found == [mutate(data, random.Random(seed)) for seed in seeds]
    assert sum(each != data for each in found) > 30
    assert len(set(found)) > 20


def test_a_nested_json_is_among_the_mutations():
    assert any(len(mutate_json(MODEL, random.Random(seed))) >= DEPTH for seed in range(60))


def test_a_mutated_archive_keeps_valid_members():
    def opens(data):
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                return [archive[name] for name in archive.files]
        except Exception:
            return None

    found = [opens(mutate_archive(ARCHIVE, random.Random(seed))) for seed in range(40)]
    assert sum(each is not None for each in found) > 25


def test_places_are_all_values_of_a_tree():
    tree = {"a": [1, {"b": 2}]}
    assert sorted(str(container[key]) for container, key in places_in(tree)) == sorted(
        ["[1, {'b': 2}]", "1", "{'b': 2}", "2"]
    )
