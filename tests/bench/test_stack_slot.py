"""Runs in threads of one process, whose searches draw and learn together."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from io import StringIO

import pytest
from rich.console import Console

from ddsr.errors import BenchError
from ddsr_bench.command import SuiteRun, run_suite, vocab_size_of
from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.one import Limits
from ddsr_bench.runner.run import Plan, run_missing
from ddsr_bench.runner.slot import Stopped
from ddsr_bench.runner.stack_slot import StackSlot
from ddsr_bench.runner.store import Store
from ddsr_bench.runner.workers import LocalWorkers


@pytest.fixture
def said():
    return []


@pytest.fixture
def slot(said):
    made = StackSlot(4, 16, said.append)
    yield made
    made.stop()
    made.close()


def perform(slot, template, methods, limits=None):
    """Run all at once, in the given order."""
    tasks = [replace(template, method=method, seed=seed) for seed, method in enumerate(methods)]
    with ThreadPoolExecutor(len(tasks)) as threads:
        return list(threads.map(lambda task: slot.perform(task, limits or Limits()), tasks))


def test_runs_are_judged_rows_or_have_their_reason(slot, template):
    linear, failed, unknown = perform(slot, template, ["linear", "raising", "unheard_of"])
    assert linear.solved_srbench and linear.simplified == "2*x - y + 1" and linear.error is None
    assert failed.error == "MemoryError: matrix of 1e12 rows" and not failed.solved_srbench
    assert unknown.error == "KeyError: 'unheard_of'"


@pytest.mark.slow
def test_a_run_that_kills_its_process_does_not_end_others(slot, template):
    dying, slow = perform(slot, template, ["dying", "slow"])
    assert dying.error == "its process ended, out of memory perhaps"
    assert slow.error is None and slow.solved_srbench


@pytest.mark.slow
def test_a_run_that_hangs_does_not_end_others(slot, template):
    with ThreadPoolExecutor(1) as threads:
        hanging = threads.submit(slot.perform, replace(template, method="hanging"), Limits(seconds=1.0))
        (slow,) = perform(slot, template, ["slow"])  # it takes 2 s and is restarted in another process
        assert hanging.result().error == "timeout: killed after 1 s"
    assert slow.error is None and slow.solved_srbench


def test_too_little_memory_means_fewer_at_a_time(slot, template, said):
    rows = perform(slot, template, ["wide"] * 3)
    assert [row.error for row in rows] == [None] * 3
    assert said == ["the device has too little memory for 4 searches in a stack: continuing with 2"]


def test_stopping_ends_the_runs_at_once(slot, template):
    begun = threading.Event()

    def hang():
        begun.set()
        slot.perform(replace(template, method="hanging"), Limits())

    with ThreadPoolExecutor(1) as threads:
        ended = threads.submit(hang)
        begun.wait()
        slot.stop()
        with pytest.raises(Stopped):
            ended.result()


@pytest.mark.slow
def test_searches_of_a_stack_are_rows_with_curves(suite, template, tmp_path):
    template = replace(template, factory="small_paper:make", epochs=2, curves_dir=str(tmp_path / "curves"))
    plan = Plan(problems=load_suite(suite), methods=("paper",), noises=(0.1,), template=template)
    workers = LocalWorkers(1, partial(StackSlot, 2, vocab_size_of(plan.methods, plan.problems)), 2)
    rows = {row.problem: row for row in run_missing(plan, Store(tmp_path / "store"), workers)}
    assert workers.n_slots == 2 and len(list((tmp_path / "curves").iterdir())) == 2
    assert rows.keys() == {"line", "curve"} and {row.error for row in rows.values()} == {None}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"methods": ["ddsr"]},
            "--stack supports only the preset paper with its masked generator, .* not ddsr",
        ),
        ({"methods": ["paper", "paper:generator=d3pm"]}, "not paper:generator=d3pm"),
        ({"methods": ["paper:start=prior"]}, "random start and all steps, not paper:start=prior"),
        ({"methods": ["paper", "paper:steps=8"]}, "random start and all steps, not paper:steps=8"),
        ({"seconds": 5.0}, "--stack cannot be combined with --time"),
        ({"memory": 5.0}, "--stack cannot be combined with --memory"),
    ],
)
def test_options_that_do_not_work_with_a_stack_are_refused(suite, tmp_path, options, message):
    usual = {"methods": ["paper"], "trials": 1, "seconds": None, "epochs": 1, "jobs": 1, "stack": 2}
    where = {"threads": 1, "device": "cpu", "store": str(tmp_path / "store")}
    given = usual | where | options
    with pytest.raises(BenchError, match=message):
        run_suite(Console(file=StringIO()), SuiteRun(suites=[suite], **given))
    assert not (tmp_path / "store").exists()
