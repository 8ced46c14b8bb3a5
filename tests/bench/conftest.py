"""Two small problems, and methods that cost nothing, for all tests of the runner."""

import os
from pathlib import Path

import pytest

from ddsr.bench.one import Task
from ddsr.bench.problems import load_suite

TABLE = "name,formula,ranges,n\nline,2*x - y + 1,x:0:1;y:0:1,40\ncurve,x**2*y,x:0:1;y:0:1,40\n"


@pytest.fixture
def suite(tmp_path):
    path = tmp_path / "suite.csv"
    path.write_text(TABLE)
    return str(path)


@pytest.fixture
def template(suite, monkeypatch):
    paths = [str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    return Task(problem=load_suite(suite)[0], method="linear", noise=0.0, seed=0, factory="stand_in:make")
