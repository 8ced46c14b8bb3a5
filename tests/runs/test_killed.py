"""What a run survives: kill -9, a second process, a full disk."""

import os
import signal

import pytest

from ddsr.errors import RunError
from ddsr.runs import RunFolder
from run_cases import DDSR, account, create, start_process


def test_a_killed_fit_goes_on_exactly(tmp_path):
    expected = create(tmp_path / "expected", **DDSR, max_epochs=8).fit()
    run = create(tmp_path / "run", **DDSR, max_epochs=8)
    with start_process("run_cases.fit_for_ever(sys.argv[1])", run.path) as process:
        for _ in range(4):
            assert process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert run.model().stopped_by_ == "interrupt"  # there was a model all the time
    resumed = RunFolder.open(run.path).resume()
    assert account(resumed) == account(expected)
    assert [line["epoch"] for line in run.log()] == list(range(8))


def test_two_processes_in_one_folder(tmp_path):
    run = create(tmp_path / "run", max_epochs=10**6)
    with start_process("run_cases.RunFolder.open(sys.argv[1]).fit(print, interval=0.0)", run.path) as process:
        for _ in range(2):
            assert process.stdout.readline()
        with pytest.raises(RunError, match=rf"in use by process {process.pid} on .*: wait for it"):
            RunFolder.open(run.path).resume()
        with pytest.raises(RunError, match="holds a run already"):
            create(run.path)
        assert run.model().n_epochs_ >= 1  # looking is free
        assert run.log()
        os.kill(process.pid, signal.SIGKILL)
    # the lock of a process that is gone holds nobody up
    assert run.resume(on_state=lambda state: _raise()).n_epochs_ >= 2


def _raise():
    raise KeyboardInterrupt


FULL_DISK = """
import os
import resource
from ddsr.errors import RunError
from ddsr.runs import RunFolder

def size(name):
    return os.path.getsize(os.path.join(sys.argv[1], name))

def limit(n_bytes):
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, resource.RLIM_INFINITY))

try:
    {work}
except RunError as error:
    print(error)
"""


def test_a_full_disk_leaves_no_folder(tmp_path):
    code = FULL_DISK.format(work="limit(1000); run_cases.create(sys.argv[1])")
    output, errors = start_process(code, tmp_path / "run").communicate()
    assert output.startswith("cannot write ") and output.count("\n") == 1, errors
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("file", "n_bytes", "interval"),
    [
        ("log.jsonl", "200", 1000.0),
        ("model.json", "3000", 0.0),
        ("state-00000003.npz", "size('state-00000002.npz') - 100", 0.0),
    ],
)
def test_a_full_disk_ends_a_fit_and_leaves_what_was_saved(tmp_path, file, n_bytes, interval):
    """After two epochs files cannot grow to more bytes, and so the first that needs more is not written."""
    expected = create(tmp_path / "expected", max_epochs=5).fit()
    run = create(tmp_path / "run", max_epochs=5)
    on_state = f"lambda state: state.epoch == 2 and limit({n_bytes})"
    work = f"RunFolder.open(sys.argv[1]).fit({on_state}, interval={interval})"
    output, errors = start_process(FULL_DISK.format(work=work), run.path).communicate()
    assert output.startswith(f"cannot write {run.path / file}: ") and output.count("\n") == 1, errors
    assert not list(run.path.glob(".*"))
    assert (run.path / "log.jsonl").read_bytes().endswith(b"}\n")
    assert run.model().n_epochs_ in (1, 2, 3)
    assert account(run.resume()) == account(expected)
