"""Runs in forked processes: their limits, and that they leave nothing behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from ddsr.errors import BenchError
from ddsr_bench.runner.one import Limits
from ddsr_bench.runner.server import preload, resident_bytes
from ddsr_bench.runner.slot import Slot, Stopped, start_server


@pytest.fixture
def slot():
    slot = Slot()
    yield slot
    slot.close()


def processes_of(session):
    """The processes of a session, without zombies, from /proc."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def wait_until(condition, seconds=300.0):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_runs_follow_each_other_in_one_server(slot, template):
    tasks = [replace(template, seed=seed) for seed in range(3)]
    rows = [slot.perform(task, Limits()) for task in tasks]
    server = slot._server.pid
    assert all(row.solved_srbench and row.error is None and row.judge_s > 0 for row in rows)
    assert len({row.expression for row in rows}) == 3
    slot.run(replace(template, threads=2), Limits())
    assert slot._server.pid != server  # libraries read their number of threads on import


@pytest.mark.parametrize("method", ["hungry", pytest.param("parent", marks=pytest.mark.slow)])
def test_a_run_that_outgrows_its_memory_is_killed(slot, template, method):
    outcome, reason = slot.run(replace(template, method=method), Limits(gib=0.8, seconds=600.0))
    assert outcome is None and reason.startswith("memory: killed at ") and reason.endswith("0.8 are allowed")
    assert wait_until(lambda: processes_of(slot._server.pid) == [slot._server.pid])


@pytest.mark.slow
def test_after_a_crash_and_a_hang_the_slot_continues(slot, template):
    reasons = [
        slot.run(replace(template, method=method), Limits(seconds=1.0 if method == "hanging" else 600.0))[1]
        for method in ("dying", "hanging", "raising", "linear")
    ]
    assert reasons == [
        "killed by signal 9",
        "timeout: killed after 1 s",
        "exit status 1: MemoryError: matrix of 1e12 rows",
        None,
    ]


@pytest.mark.slow
def test_a_server_that_died_is_a_reason_and_is_replaced(slot, template):
    slot.run(template, Limits())
    server = slot._server.pid
    threading.Timer(0.5, lambda: os.kill(server, signal.SIGKILL)).start()
    outcome, reason = slot.run(replace(template, method="hanging"), Limits(seconds=600.0))
    assert outcome is None and reason.startswith("the process that starts runs ended")
    assert wait_until(lambda: processes_of(server) == [])
    assert slot.run(template, Limits())[1] is None


def test_stopping_ends_the_run_at_once(slot, template):
    slot.run(template, Limits())
    server = slot._server.pid
    threading.Timer(0.5, slot.stop).start()
    with pytest.raises(Stopped):  # it would hang for ten minutes
        slot.perform(replace(template, method="hanging"), Limits())
    assert wait_until(lambda: processes_of(server) == [])


def test_a_run_ends_with_its_runner(template):
    server = start_server(1)
    task, limits = asdict(replace(template, method="hanging")), {}
    print(json.dumps({"task": task, "modules": [], "limits": limits}), file=server.stdin, flush=True)
    assert wait_until(lambda: len(processes_of(server.pid)) == 2)
    server.stdin.close()
    assert server.wait(300) == 1 and wait_until(lambda: processes_of(server.pid) == [])
    server.stdout.close()


def test_memory_is_that_of_a_process_and_its_descendants():
    code = "import subprocess, sys; held = bytearray(b'1') * 2**27; print(1, flush=True); "
    inner = code + "sys.stdin.read()"
    outer = code + f"subprocess.run([sys.executable, '-c', {inner!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", outer], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() and process.stdout.readline()
        assert 2 * 2**27 < resident_bytes(process.pid) < 3 * 2**27
        process.stdin.close()
        process.wait()
    assert resident_bytes(process.pid) == 0


def test_import_errors_are_left_to_the_run():
    preload(["no_such_module_at_all", "json"])


def test_a_system_without_fork_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    with pytest.raises(BenchError, match="which this system lacks"):
        Slot()
