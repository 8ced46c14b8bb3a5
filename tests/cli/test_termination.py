"""SIGTERM, as sent by job schedulers, ends a command as Ctrl-C does, with exit code 143."""

import json
import os
import signal
import subprocess
import sys
import threading

import pytest

from command_cases import ddsr, line_data, start_ddsr
from ddsr.cli.interrupt import StopNow, TwoStepInterrupt
from ddsr.cli.termination import Termination
from ddsr_bench.runner.slot import Limits, Slot, Stopped


def wait_for(process, text: str) -> None:
    while text not in process.stderr.readline():
        assert process.poll() is None, "it has ended"


def test_a_run_that_is_terminated_is_saved_and_resumed(tmp_path):
    run = tmp_path / "run"
    path = line_data(tmp_path / "line.csv")
    options = ("--preset", "uniform", "--time", 300, "--out", run, "--json", "--max-size", 9)
    process = start_ddsr("fit", path, "-t", "noise", *options)
    wait_for(process, "epoch ")
    process.terminate()
    process.terminate()  # as `timeout` does
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 143, said
    assert "Traceback" not in said and json.loads(printed)["stopped_by"] == "interrupt"
    assert json.loads(ddsr("show", run, "--json").stdout)["is_over"] is False


def test_one_that_comes_before_the_search_ends_the_command(tmp_path):
    source = """
import os, signal, time, click
from ddsr.cli.failure import Command
signal.signal(signal.SIGINT, signal.SIG_IGN)  # as in a script's background

@click.command(cls=Command)
def command():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)

command()
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=60)
    assert done.returncode == 143 and done.stderr == ""


def test_sigterm_counts_as_the_first_interrupt_and_only_once():
    with pytest.raises(StopNow), Termination() as termination, TwoStepInterrupt() as interrupt:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)  # ignored
        assert termination.is_heard and interrupt.count == 1
        signal.raise_signal(signal.SIGINT)


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    with Termination():
        assert signal.getsignal(signal.SIGTERM) is not before[0]
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)) == before


@pytest.mark.parametrize("who", ["server", "run"])
def test_a_benchmark_run_that_is_terminated_with_its_runner_has_not_failed(monkeypatch, who):
    slot = Slot()
    answer = {"outcome": None, "reason": "killed by signal 15"} if who == "run" else None
    monkeypatch.setattr(slot, "_ask", lambda request, threads: answer)
    monkeypatch.setattr(slot, "_end_server", lambda: 143)
    monkeypatch.setattr("ddsr_bench.runner.slot.asdict", lambda task: {})
    task = type("Task", (), {"method": "uniform", "factory": "none", "threads": 1})()
    timer = threading.Timer(0.05, slot.stop)  # the runner, a moment later
    timer.start()
    with pytest.raises(Stopped):
        slot.run(task, Limits())
    timer.join()


def test_a_benchmark_that_is_terminated_stores_nothing_unfinished(tmp_path):
    arguments = ["--suite", "nguyen", "--method", "uniform", "--time", 300, "--draw", 2, "--store", tmp_path]
    process = start_ddsr("bench", "run", *arguments, "--jobs", 2, stderr=subprocess.STDOUT)
    assert "2 runs to do" in process.stdout.readline()
    while not (tmp_path / "starts.jsonl").exists():  # the runs are about to start
        assert process.poll() is None
    os.kill(process.pid, signal.SIGTERM)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 143, output
    assert "run the same command to resume" in output and "Traceback" not in output
    assert not (tmp_path / "results.jsonl").exists()
