"""Settings of earlier versions: old files may have them with values that are now constants."""

import json
from pathlib import Path

import pytest

from command_cases import ddsr
from ddsr import DDSRRegressor
from ddsr.config import DefaultConfig, RefinerConfig, without_removed
from ddsr.errors import DataError, MethodError, RunError
from ddsr.estimator.parameters import from_json
from ddsr.search.contributors.evolution import MAGIC, Refiner
from evolution_cases import refiner_of

MODEL = Path(__file__).parent / "fixtures" / "0.1.0" / "models" / "ddsr.json"


def written(evolution: dict) -> dict:
    """Settings as `to_json` writes them: a dict within a dict, or an object within an object."""
    nested = {"ddsr": "DefaultConfig", "evolution": {"ddsr": "RefinerConfig", **evolution}}
    return {"dict": {"evolution": evolution}, "object": nested}


def test_defaults_are_ignored():
    old = {"crowding": 0.0, "sync_interval": 200, "n_islands": 3, "moves": {"grow": 1.0, "simplify": 0.0}}
    assert without_removed(old) == {"n_islands": 3, "moves": {"grow": 1.0}}
    kept = {"n_islands": 3, "moves": {"grow": 1.0}}
    read = {kind: from_json({"config": each}, {"config"})["config"] for kind, each in written(old).items()}
    assert read == {"dict": {"evolution": kept}, "object": DefaultConfig(evolution=RefinerConfig(**kept))}


@pytest.mark.parametrize("kind", ["dict", "object"])
@pytest.mark.parametrize(
    ("old", "message"),
    [
        ({"crowding": 2.0}, "the setting crowding was removed: it is always 0.0, not 2.0"),
        ({"n_attempts": 9}, "the setting n_attempts was removed"),
    ],
)
def test_other_values_are_named(kind, old, message):
    with pytest.raises(MethodError, match=message):
        from_json({"config": written(old)[kind]}, {"config"})


def test_a_move_that_was_removed_is_named_if_it_had_a_weight():
    for name in ("delete_node", "replace_subtree", "simplify"):
        settings = without_removed({"moves": {"grow": 1.0, name: 2.0}})
        with pytest.raises(MethodError, match=f"unknown name '{name}' in moves"):
            RefinerConfig(**settings)


@pytest.mark.parametrize("name", ["memory_size", "library_size", "list_size"])
def test_bounds_on_memory_are_ignored_whatever_they_were(name):
    assert without_removed({name: 7}) == {}


@pytest.mark.parametrize(
    ("evolution", "message"),
    [
        (
            {"crowding": 2},
            "the setting crowding was removed from evolution: it is always 0.0, so leave it out",
        ),
        ({"crowding": 0.0}, "the setting crowding was removed"),
        ({"list_size": 7}, "the setting list_size was removed from evolution: memory has fixed bounds"),
        ({"crowdin": 2}, "unknown setting 'crowdin' in evolution"),
    ],
)
def test_new_settings_cannot_have_them(evolution, message):
    with pytest.raises(MethodError, match=message):
        DDSRRegressor(config={"evolution": evolution}).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0])


def test_a_model_file_says_which_setting_is_gone(tmp_path):
    record = json.loads(MODEL.read_text())
    record["parameters"]["config"]["evolution"]["crowding"] = 3.0
    path = tmp_path / "model.json"
    path.write_text(json.dumps(record))
    with pytest.raises(RunError, match="crowding"):
        DDSRRegressor.load(path)
    shown = ddsr("show", path)
    assert shown.exit_code != 0 and "crowding" in shown.output


def with_settings(saved: bytes, **changes: object) -> bytes:
    """A saved refiner whose header has changed settings."""
    text, _, state = saved[len(MAGIC) :].partition(b"\n")
    header = json.loads(text)
    header["config"] |= changes
    return MAGIC + json.dumps(header).encode() + b"\n" + state


def test_a_saved_refiner_is_read_with_its_old_settings():
    refiner = refiner_of("sin(x) * y", n_islands=1, island_size=5, dictionary_size=100)
    old = with_settings(refiner.save(), crowding=0.0, memory_size=256)
    assert Refiner.load(old, refiner.engine, refiner.grammar).config == refiner.config
    with pytest.raises(DataError, match="most_tries was removed"):
        Refiner.load(with_settings(old, most_tries=3), refiner.engine, refiner.grammar)
