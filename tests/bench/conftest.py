"""Two small problems, and methods that cost nothing, for all tests of the runner."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.one import Limits, Task
from ddsr_bench.runner.slot import Slot
from ddsr_bench.runner.workers import LocalWorkers

TABLE = "name,formula,ranges,n\nline,2*x - y + 1,x:0:1;y:0:1,40\ncurve,x**2*y,x:0:1;y:0:1,40\n"


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.csv"
    path.write_text(TABLE)
    return str(path)


@pytest.fixture
def template(suite, monkeypatch):
    find_stand_in(monkeypatch)
    return Task(problem=load_suite(suite)[0], method="linear", noise=0.0, seed=0, factory="stand_in:make")


def find_stand_in(monkeypatch):
    """Let started processes import the modules of this folder."""
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))


class WarmSlot(Slot):
    """A slot whose processes outlive the runner, since they take two seconds to start.

    Each run is forked from them, so tests do not affect each other.
    """

    def stop(self):
        """Let the current run finish."""

    def close(self):
        """Keep the processes for the next test."""


@pytest.fixture(scope="session")
def warm_slot():
    slot = WarmSlot()
    with pytest.MonkeyPatch.context() as patch:
        find_stand_in(patch)
        # The server starts with its first run, and keeps the module path of that time.
        task = Task(problem=load_suite("nguyen")[0], method="linear", noise=0.0, seed=0)
        slot.run(replace(task, factory="stand_in:make"), Limits())
    yield slot
    Slot.close(slot)


@pytest.fixture
def warm_worker(warm_slot):
    """A worker that does one run at a time in processes that have already started."""
    return LocalWorkers(1, lambda: warm_slot)


@pytest.fixture
def warm_command(warm_worker, monkeypatch):
    """Let `run_suite` use that worker."""

    def workers(n_jobs):
        assert n_jobs == 1
        return warm_worker

    monkeypatch.setattr("ddsr_bench.command.LocalWorkers", workers)
