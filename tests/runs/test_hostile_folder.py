"""A run folder that is incomplete, damaged or tampered with is refused in one line, or repaired."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from command_cases import ddsr, line_data, refusal
from ddsr.errors import BenchError, RunError
from ddsr.runs import RunFolder
from ddsr.storage.saved import from_bytes, to_bytes
from ddsr_bench.runner.store import Store
from fixture_cases import unpack
from run_cases import create

FIXTURES = Path(__file__).parents[1] / "fixtures" / "0.1.0" / "runs"
DEEP = "[" * 100_000


@pytest.fixture(scope="module")
def interrupted(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    for name in ("uniform-interrupted", "ddsr-interrupted"):
        unpack(FIXTURES / f"{name}.tar.xz", folder)
    return folder


@pytest.fixture
def run(interrupted, tmp_path) -> Path:
    return Path(shutil.copytree(interrupted / "uniform-interrupted", tmp_path / "run"))


# A process that is killed while it makes the folder


KILLED = """
import os, signal, sys
import ddsr.storage.files as files, run_cases
moment, calls = int(sys.argv[2]), 0

def die_when_due(*_):
    global calls
    calls += 1
    if calls == moment:
        os.kill(os.getpid(), signal.SIGKILL)

for name in ("fsync", "replace"):
    original = getattr(os, name)
    setattr(os, name, lambda *args, original=original: (die_when_due(), original(*args))[1])
run_cases.create(sys.argv[1])
"""


@pytest.mark.parametrize("moment", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_a_folder_whose_creation_was_killed_is_created_again(tmp_path, moment):
    """Moments 1 to 3 are within the first file, 4 and 5 within the second; a complete file is renamed."""
    path = tmp_path / "run"
    paths = os.pathsep.join([str(Path(__file__).parents[1] / "cases"), *sys.path])
    subprocess.run(
        [sys.executable, "-c", KILLED, str(path), str(moment)],
        env=os.environ | {"PYTHONPATH": paths},
        timeout=60,
        check=False,
    )
    assert path.is_dir() and not (path / "run.json").exists()
    with pytest.raises(RunError, match="Start the fit again with the same folder"):
        RunFolder.open(path)
    assert "again" in refusal("resume", path)
    run = create(path, max_epochs=1)
    assert run.fit().n_epochs_ == 1
    assert [each.name for each in path.iterdir() if each.name.startswith(".")] == []


def test_somebodys_data_are_never_overwritten(tmp_path):
    """A folder with a data.npz without ddsr's lock is not an unfinished run."""
    (tmp_path / "data.npz").write_bytes(b"mine")
    with pytest.raises(RunError, match="neither empty nor a run folder"):
        create(tmp_path)
    (tmp_path / "lock").write_text("mine too")
    with pytest.raises(RunError, match="neither empty nor a run folder"):
        create(tmp_path)
    assert (tmp_path / "data.npz").read_bytes() == b"mine" and (tmp_path / "lock").read_text() == "mine too"


# Locks


@pytest.fixture
def thesis(tmp_path) -> Path:
    path = tmp_path / "thesis.tex"
    path.write_text("important")
    return path


def test_a_lock_that_is_a_link_truncates_nothing(run, thesis, tmp_path):
    (run / "lock").unlink()
    (run / "lock").symlink_to(thesis)
    with pytest.raises(RunError, match="symbolic link"):
        RunFolder.open(run).resume()
    store = tmp_path / "store"
    store.mkdir()
    (store / "lock").symlink_to(thesis)
    with pytest.raises(BenchError, match="symbolic link"), Store(store).locked():
        pass
    assert thesis.read_text() == "important"


def test_a_lock_that_is_another_file_is_left_as_it_is(run, thesis):
    (run / "lock").unlink()
    os.link(thesis, run / "lock")
    assert RunFolder.open(run).resume().n_epochs_ == 4
    assert thesis.read_text() == "important"


def test_a_file_is_not_written_through_a_link(run, thesis, tmp_path):
    (run / f".log.jsonl.{os.getpid()}.being-written").symlink_to(thesis)
    RunFolder.open(run).resume()
    assert thesis.read_text() == "important"


# What is not a regular file


@pytest.mark.parametrize("name", ["run.json", "model.json", "data.npz", "log.jsonl", "lock"])
def test_a_pipe_in_place_of_a_file_is_refused(run, name):
    (run / name).unlink()
    os.mkfifo(run / name)
    assert "is not a regular file" in refusal("show" if name == "model.json" else "resume", run)


def test_a_pipe_in_place_of_a_state_is_refused(run):
    for state in run.glob("state-*"):
        state.unlink()
        os.mkfifo(state)
    assert "is not a regular file" in refusal("show", run)


# Contents


def test_a_log_that_is_nested_deeply_is_passed_over(run):
    path = run / "log.jsonl"
    path.write_text(DEEP + "\n" + path.read_text())
    assert len(RunFolder.open(run).log()) == 2
    assert ddsr("show", run).exit_code == 0


def test_results_that_are_nested_deeply_are_named(tmp_path):
    (tmp_path / "results.jsonl").write_text(DEEP + "\n")
    (tmp_path / "starts.jsonl").write_text(DEEP + "\n")
    _, warnings = Store(tmp_path).read()
    assert len(warnings) == 1 and "nested too deeply" in warnings[0]
    ddsr("bench", "table", tmp_path)


def altered(run: Path, *place: str, value: object) -> Path:
    """The run with a changed value in its only state."""
    *_, newest = states = sorted(run.glob("state-*"))
    tree = from_bytes(newest.read_bytes())
    inner = tree
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    for state in states:
        state.unlink()
    newest.write_bytes(to_bytes(tree))
    return run


WRONG = [
    (("n_epochs",), "two"),
    (("n_epochs",), -1),
    (("seconds",), "long"),
    (("stopped_by",), 3),
    (("fit",), [1]),
    (("fit", "progress", "n_scored"), "many"),
    (("fit", "progress", "n_idle_epochs"), None),
    (("fit", "search", "n_epochs"), 2.5),
    (("fit", "search", "n_scored"), {}),
    (("fit", "search", "front", "nrmse"), ["a", None]),
    (("fit", "progress", "front", "is_free"), ["text"] * 9),
    (("fit", "progress", "front", "tokens"), np.array(["a"])),
]


@pytest.mark.parametrize(("place", "value"), WRONG, ids=repr)
def test_wrong_types_in_a_state_are_refused(run, place, value):
    with pytest.raises(RunError, match="cannot read the saved"):
        RunFolder.open(altered(run, *place, value=value)).resume()


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("fit", "search", "balance", "gains"), {"refiner": {}}),
        (("fit", "search", "balance", "seconds"), []),
        (("fit", "search", "stall"), [1]),
        (("fit", "search", "proposer", "policy", "moments", "0", "exp_avg"), np.zeros(2)),
        (("fit", "search", "proposer", "policy", "moments", "0", "step"), np.zeros(2)),
    ],
    ids=repr,
)
def test_wrong_types_in_a_state_of_the_default_search_are_refused(interrupted, tmp_path, place, value):
    run = Path(shutil.copytree(interrupted / "ddsr-interrupted", tmp_path / "run"))
    with pytest.raises(RunError, match="cannot read the saved"):
        RunFolder.open(altered(run, *place, value=value)).resume()


def test_fit_takes_a_half_made_folder_as_out(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "lock").write_text("process 1 on example")
    (run / ".data.npz.1.being-written").write_bytes(b"PK")
    table = line_data(tmp_path / "line.csv")
    options = ("--preset", "uniform", "--max-size", 9, "--epochs", 1)
    done = ddsr("fit", table, "-t", "y", *options, "--out", run)
    assert done.exit_code == 0, done.output
