"""Runs on real workers on this machine, one of which dies."""

import os
import re
import signal
import threading
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from ddsr.errors import BenchError
from ddsr_bench.command import SuiteRun, run_suite
from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.run import Plan, run_missing
from ddsr_bench.runner.store import Store

distributed = pytest.importorskip("distributed")

from ddsr_bench.runner.cluster import ClusterWorkers, connect  # noqa: E402  (needs what is asked for above)

pytestmark = pytest.mark.slow


@pytest.fixture
def workers(template):  # the template sets the path on which workers find the stand-ins
    workers = ClusterWorkers("local:2")
    yield workers
    workers.close()


def test_a_worker_that_dies_costs_nothing_but_time(workers, suite, template, tmp_path):
    plan = Plan(problems=load_suite(suite), methods=("slow",), trials=3, template=template)
    client = workers._client
    victim = next(iter(client.run(os.getpid).values()))
    threading.Timer(2.0, lambda: os.kill(victim, signal.SIGKILL)).start()
    rows = list(run_missing(plan, Store(tmp_path), workers))
    assert len(rows) == 6 == len({row.key for row in rows})
    assert all(row.error is None and row.expression for row in rows)
    assert len(Store(tmp_path).read().rows) == 6
    assert victim not in client.run(os.getpid).values()


def test_stopping_ends_the_runs_on_the_workers(workers, suite, template, tmp_path):
    plan = Plan(problems=load_suite(suite), methods=("linear", "hanging"), template=template)
    rows = run_missing(plan, Store(tmp_path), workers)
    next(rows)
    rows.close()
    rows = run_missing(replace(plan, methods=("linear",), trials=2), Store(tmp_path), workers)
    assert {row.method for row in rows} == {"linear"}  # hanging runs do not block the workers
    assert len(Store(tmp_path).read().rows) == 4


def test_the_command_uses_it(suite, template, tmp_path):
    console = Console(file=StringIO(), width=200)
    settings = {"trials": 1, "seconds": None, "epochs": 1, "jobs": 1, "threads": 1, "device": "cpu"}
    where = {"store": str(tmp_path / "store"), "factory": "stand_in:make", "cluster": "local:2"}
    run_suite(console, SuiteRun(suites=(suite,), methods=("linear",), **settings, **where))
    assert "2/2" in console.file.getvalue() and "2 at a time" in console.file.getvalue()
    busy = re.search(r"processors (\d+)% busy", console.file.getvalue())  # those of the workers
    assert busy is not None and 0 < int(busy[1]) <= 110


@pytest.mark.parametrize(
    "address, message", [("local:none", "number of workers"), ("tcp://127.0.0.1:9", "no Dask scheduler")]
)
def test_a_wrong_address_is_refused(monkeypatch, address, message):
    monkeypatch.setattr("ddsr_bench.runner.cluster.CONNECT_S", 1)
    with pytest.raises(BenchError, match=message):
        connect(address)
