"""Ctrl-C: the first keeps the best so far, the second stops at once."""

import json
import signal
import subprocess
import sys

import click
import pytest

from command_cases import ddsr, line_data, start_brief_ddsr, start_ddsr
from ddsr.cli.failure import Command, StopNow
from ddsr.cli.interrupt import TwoStepInterrupt
from ddsr.price.description_length import FEW_ROWS


def wait_for(process, text: str) -> None:
    while text not in process.stderr.readline():
        assert process.poll() is None, "it has ended"


def test_the_first_interrupt_saves_the_best_so_far(tmp_path):
    run = tmp_path / "run"
    path = line_data(tmp_path / "line.csv")
    options = ("--selection", "best", "--prior", "none", "--json")
    process = start_brief_ddsr("fit", path, "-t", "noise", "--time", 3600, "--out", run, *options)
    wait_for(process, "epoch 1 ")
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=600)
    assert process.returncode == 130, said
    assert "Traceback" not in said and "stopping" in said
    result = json.loads(printed)
    assert result["stopped_by"] == "interrupt" and result["best"]
    shown = json.loads(ddsr("show", run, "--json").stdout)
    assert shown["equations"] == result["equations"] and shown["is_over"] is False


def test_the_second_interrupt_stops_at_once(tmp_path):
    """The final choice, which starts after the first interrupt, would take an hour here.

    The table is too large for the cheap forms, which would otherwise be fitted first and take seconds.
    """
    (tmp_path / "ddsr_slowly.py").write_text(
        "import time, brief_ddsr\n"
        "brief_ddsr.shorten_epochs()\n"
        "import ddsr.estimator.fit\n"
        "from ddsr.cli.entry import main\n"
        "assert ddsr.estimator.fit.select\n"
        "ddsr.estimator.fit.select = lambda *arguments, **options: time.sleep(3600)\n"
        "main()\n"
    )
    path = line_data(tmp_path / "line.csv", n_rows=FEW_ROWS + 1)
    options = ("-t", "noise", "--time", 3600, "--prior", "none", "--out", tmp_path / "run")
    process = start_ddsr("fit", path, *options, module="ddsr_slowly", cwd=tmp_path)
    wait_for(process, "epoch 1 ")
    process.send_signal(signal.SIGINT)
    wait_for(process, "stopping")
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=600)
    assert process.returncode == 130 and "Traceback" not in said
    assert printed == ""
    assert ddsr("show", tmp_path / "run").exit_code == 0  # earlier saves are intact


def test_an_interrupt_while_reading_leaves_nothing(tmp_path, monkeypatch):
    def interrupted(*arguments):
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("ddsr.cli.fitting.read_training_data", interrupted)
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        done = ddsr("fit", line_data(tmp_path / "line.csv"), "-t", "y", "--out", tmp_path / "run")
    finally:
        signal.signal(signal.SIGINT, former)
    assert done.exit_code == 130 and done.stdout == ""
    assert not (tmp_path / "run").exists()


def test_an_interrupt_during_a_class_definition_is_an_interrupt(tmp_path):
    """This happens during an import: dataclasses and named tuples are made by `exec`."""
    source = """
import click
from ddsr.cli.failure import Command

@click.command(cls=Command)
def command():
    exec("raise KeyboardInterrupt")

command()
"""
    done = run_as_module(tmp_path, source)
    assert done.returncode == 130 and done.stderr == ""


def run_as_module(folder, source: str) -> subprocess.CompletedProcess:
    """Run as a module, because CPython ends a script in other ways."""
    (folder / "interrupted.py").write_text(source)
    command = [sys.executable, "-m", "interrupted"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)


LOST = """
import signal, time, weakref
class Target: pass
def lose():
    target = Target()
    reference = weakref.ref(target, lambda reference: signal.raise_signal(signal.SIGINT))
    del target
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background
"""


COMMAND = f"""{LOST}
import click
from ddsr.cli.failure import Command

@click.command(cls=Command)
def command():
    lose()
    %s

command()
"""


# Without pthread_kill, as on Windows, nothing wakes a main thread that sleeps.
WITHOUT_PTHREAD_KILL = "del signal.pthread_kill"
BUSY = "while True: pass"


@pytest.mark.parametrize("then", ["time.sleep(3600)", "pass", f"{WITHOUT_PTHREAD_KILL}\n    {BUSY}"])
def test_an_interrupt_that_python_drops_takes_effect(tmp_path, then):
    """At once if the command waits, and at its end if that comes first."""
    done = run_as_module(tmp_path, COMMAND % then)
    assert done.returncode == 130 and done.stderr == "" and done.stdout == ""


def test_dropped_interrupts_count_as_the_first_and_the_second(tmp_path):
    source = f"""{LOST}
from ddsr.cli.interrupt import StopNow, TwoStepInterrupt
with TwoStepInterrupt(lambda: print("noted")) as interrupt:
    for error in (KeyboardInterrupt, StopNow):
        lose()
        try:
            time.sleep(3600)
        except error:
            print(error.__name__, interrupt.count)
with TwoStepInterrupt() as interrupt:
    lose()
print(interrupt.count)
time.sleep(0.1)
"""
    done = run_as_module(tmp_path, source)
    assert done.returncode == 0 and done.stderr == ""
    assert done.stdout.split() == ["noted", "KeyboardInterrupt", "1", "StopNow", "2", "1"]


def test_interrupts_are_counted_and_handlers_restored():
    former, noted = signal.getsignal(signal.SIGINT), []
    with TwoStepInterrupt(lambda: noted.append("first")) as interrupt:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert interrupt.count == 1 and noted == ["first"]
        with pytest.raises(StopNow):
            signal.raise_signal(signal.SIGINT)
    assert interrupt.count == 2 and noted == ["first"]
    assert signal.getsignal(signal.SIGINT) is former


@pytest.mark.parametrize("kind", [ImportError, SystemError])
def test_an_interrupt_during_a_native_import_is_an_interrupt(kind):
    @click.command(cls=Command)
    def command() -> None:
        raise kind("initialization failed") from KeyboardInterrupt()

    assert command.main([], standalone_mode=False) == 130


def test_a_failing_import_is_not_an_interrupt():
    @click.command(cls=Command)
    def command() -> None:
        raise ImportError("no module named x")

    with pytest.raises(ImportError):
        command.main([], standalone_mode=False)
