"""Runs survive kill -9, a second process and a full disk."""

import os
import signal

import pytest

from ddsr.errors import RunError
from ddsr.runs import RunFolder
from run_cases import BRIEF, account, create, start_process


@pytest.mark.slow
def test_a_killed_fit_is_resumed_exactly(tmp_path):
    expected = create(tmp_path / "expected", **BRIEF, max_epochs=5).fit()
    run = create(tmp_path / "run", **BRIEF, max_epochs=5)
    with start_process("run_cases.fit_for_ever(sys.argv[1])", run.path) as process:
        for _ in range(3):
            assert process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert run.model().stopped_by_ == "interrupt"  # there was a model from the start
    resumed = RunFolder.open(run.path).resume()
    assert account(resumed) == account(expected)
    assert [line["epoch"] for line in run.log()] == list(range(5))


@pytest.mark.slow
def test_two_processes_in_one_folder(tmp_path):
    run = create(tmp_path / "run", max_epochs=10**6)
    with start_process("run_cases.RunFolder.open(sys.argv[1]).fit(print, interval=0.0)", run.path) as process:
        for _ in range(2):
            assert process.stdout.readline()
        with pytest.raises(RunError, match=rf"in use by process {process.pid} on .*: wait for it"):
            RunFolder.open(run.path).resume()
        with pytest.raises(RunError, match="already contains a run"):
            create(run.path)
        assert run.model().n_epochs_ >= 1  # reading is always allowed
        assert run.log()
        os.kill(process.pid, signal.SIGKILL)
    # the lock of a dead process blocks nobody
    assert run.resume(on_state=lambda state: _raise()).n_epochs_ >= 2


def _raise():
    raise KeyboardInterrupt


FULL_DISK = """
import os
import resource
from pathlib import Path
from ddsr.errors import RunError
from ddsr.runs import RunFolder

folder = Path(sys.argv[1])

def limit(n_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

def fit(name, n_bytes, interval):
    # After two epochs files cannot grow to more bytes, and so the first that needs more is not written.
    run = run_cases.create(folder / name, max_epochs=5)
    run.fit(lambda state: state.epoch == 2 and limit(n_bytes(run.path)), interval=interval)

def create():
    limit(1000)
    run_cases.create(folder / "none")

works = [
    create,
    lambda: fit("log", lambda path: 200, 1000.0),
    lambda: fit("model", lambda path: 3000, 0.0),
    lambda: fit("state", lambda path: os.path.getsize(path / "state-00000002.npz") - 100, 0.0),
]
for work in works:
    try:
        work()
    except RunError as error:
        limit(resource.RLIM_INFINITY)
        print(error, flush=True)
"""


@pytest.fixture(scope="module")
def full_disk(tmp_path_factory):
    """A folder of runs on a full disk, and their output."""
    folder = tmp_path_factory.mktemp("full")
    output, errors = start_process(FULL_DISK, folder).communicate()
    lines = output.splitlines()
    assert len(lines) == 4, errors
    return folder, dict(zip(("none", "log", "model", "state"), lines, strict=True))


def test_a_full_disk_leaves_no_folder(full_disk):
    folder, said = full_disk
    assert said["none"].startswith("cannot write ")
    assert sorted(path.name for path in folder.iterdir()) == ["log", "model", "state"]


@pytest.mark.parametrize(
    ("name", "file"), [("log", "log.jsonl"), ("model", "model.json"), ("state", "state-00000003.npz")]
)
def test_a_full_disk_ends_a_fit_and_leaves_what_was_saved(tmp_path, full_disk, name, file):
    folder, said = full_disk
    expected = create(tmp_path / "expected", max_epochs=5).fit()
    run = RunFolder.open(folder / name)
    assert said[name].startswith(f"cannot write {run.path / file}: ")
    assert not list(run.path.glob(".*"))
    assert (run.path / "log.jsonl").read_bytes().endswith(b"}\n")
    assert run.model().n_epochs_ in (1, 2, 3)
    assert account(run.resume()) == account(expected)
