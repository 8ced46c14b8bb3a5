"""The runner with real processes, a real judge, and an estimator that costs nothing."""

import json
import subprocess
import sys
from dataclasses import asdict, replace
from io import StringIO

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from ddsr.cli.entry import main
from ddsr.errors import BenchError
from ddsr_bench.command import SuiteRun, run_suite
from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.one import Limits, Task, r2, run_one
from ddsr_bench.runner.run import Plan, missing_tasks, run_missing
from ddsr_bench.runner.slot import Slot
from ddsr_bench.runner.store import Store
from ddsr_bench.runner.workers import LocalWorkers

KEYS = (
    "problem method noise seed problem_id expression simplified solved_srbench solved_paper r2_train r2_test "
    "complexity wall_s cpu_s judge_s time epochs threads host version error"
)
REASONS = {
    "raising": "exit status 1: MemoryError: matrix of 1e12 rows",
    "dying": "killed by signal 9",
    "unheard_of": "exit status 1: KeyError: 'unheard_of'",
}


def plan_of(suite, template, **settings):
    return Plan(problems=load_suite(suite), methods=("linear",), template=template, **settings)


def test_the_first_seed_can_be_chosen(suite, template):
    seeds = [task.seed for task in plan_of(suite, template, trials=2, first_seed=100).tasks()]
    assert seeds == [100, 100, 101, 101]


def test_a_run_is_a_row_with_all_keys(suite, template, tmp_path, warm_slot):
    plan = plan_of(suite, template, noises=(0.0, 0.1))
    slots = iter([warm_slot, Slot()])
    rows = list(run_missing(plan, Store(tmp_path / "store"), LocalWorkers(2, lambda: next(slots))))
    lines = (tmp_path / "store" / "results.jsonl").read_text().splitlines()
    stored = [json.loads(line) for line in lines]
    assert len(rows) == len(stored) == 4
    assert all(set(values) == set(KEYS.split()) for values in stored)
    clean = {row.problem: row for row in rows if row.noise == 0}
    line, curve = clean["line"], clean["curve"]
    assert line.solved_srbench and line.solved_paper and line.simplified == "2*x - y + 1"
    assert line.complexity == 8 and line.r2_test > 0.999999 and line.error is None
    assert not curve.solved_srbench and curve.r2_test < 0.999 and curve.expression
    noisy = next(row for row in rows if row.noise == 0.1 and row.problem == "line")
    assert noisy.r2_train < noisy.r2_test


def test_a_row_holds_its_budget_and_another_one_is_refused(suite, template, tmp_path, warm_worker):
    store, short = Store(tmp_path / "store"), plan_of(suite, replace(template, time=5.0))
    rows = list(run_missing(short, store, warm_worker))
    assert {(row.time, row.epochs, row.budget) for row in rows} == {(5.0, None, "5 s")}
    assert store.read().rows == rows and missing_tasks(short, store) == []
    before = store.path.read_bytes()
    for other in (replace(template, time=10.0), replace(template, time=5.0, epochs=3), template):
        longer = plan_of(suite, other, trials=2)  # nor may its missing runs be added to those
        with pytest.raises(BenchError, match="runs of linear with 5 s, but .*use another store"):
            missing_tasks(longer, store)
        with pytest.raises(BenchError, match="pass the same --time and --epochs"):
            list(run_missing(longer, store))
    assert store.path.read_bytes() == before
    # other methods may have other budgets, and rows that do not record theirs count as done
    other_method = replace(plan_of(suite, replace(template, epochs=3)), methods=("constant",))
    assert len(missing_tasks(other_method, store)) == 2
    silent = Store(tmp_path / "silent")
    for row in rows:
        silent.append(replace(row, time=None))
    assert missing_tasks(plan_of(suite, replace(template, time=10.0)), silent) == []


@pytest.mark.slow
def test_only_what_is_missing_is_done(suite, template, tmp_path):
    store, plan = Store(tmp_path / "store"), plan_of(suite, template)
    runs = run_missing(plan, store)
    next(runs)
    runs.close()  # stopped after the first
    before = store.path.read_bytes()
    n_left = len(missing_tasks(plan, store))
    assert n_left == 1
    assert len(list(run_missing(plan, store))) == n_left
    assert store.path.read_bytes().startswith(before)
    assert missing_tasks(plan, store) == [] and list(run_missing(plan, store)) == []


@pytest.mark.parametrize(
    ("reasons", "timeout"), [(REASONS, 60.0), ({"hanging": "timeout: killed after 1 s"}, 1.0)]
)
def test_a_run_that_fails_is_a_row_with_its_reason(suite, template, tmp_path, warm_worker, reasons, timeout):
    plan = plan_of(suite, template, timeout=timeout)
    plan = replace(plan, methods=tuple(reasons), problems=plan.problems[:1])
    store = Store(tmp_path / "store")
    rows = list(run_missing(plan, store, warm_worker))
    assert {row.method: row.error for row in rows} == reasons
    assert not any(row.expression or row.solved_srbench for row in rows)
    assert store.read().rows == rows


def test_a_device_that_is_lost_stops_all_and_is_no_result(suite, template, tmp_path, warm_worker):
    plan = replace(plan_of(suite, template), methods=("without device",))
    store = Store(tmp_path / "store")
    with pytest.raises(BenchError, match=r"stopped at \w+, which is not stored: .* cannot be used now: busy"):
        list(run_missing(plan, store, warm_worker))
    assert len(missing_tasks(plan, store)) == len(plan.tasks())


def test_a_method_may_print_and_its_threads_are_pinned(template):
    slot = Slot()
    outcome, reason = slot.run(replace(template, method="chatty", threads=3), Limits())
    slot.close()
    assert reason is None and outcome is not None and outcome.r2_test > 0.999


def test_infinite_predictions_are_stored_as_null(suite, template, tmp_path, warm_worker):
    plan = replace(plan_of(suite, template), methods=("diverging",), problems=load_suite(suite)[:1])
    (row,) = run_missing(plan, Store(tmp_path / "store"), warm_worker)
    assert row.r2_train is None and row.r2_test is None
    assert "Infinity" not in (tmp_path / "store" / "results.jsonl").read_text()
    # by algebra the line is found, but SRBench also requires accuracy
    assert row.solved_paper and not row.solved_srbench


def test_without_the_method_a_run_says_so(template):
    with pytest.raises(BenchError, match="no_such_module"):
        run_one(replace(template, factory="no_such_module:make"))


def test_a_task_survives_its_json(template):
    assert Task.from_json(json.loads(json.dumps(asdict(template)))) == template


def test_r2_is_one_for_the_truth_and_minus_infinity_for_nonsense():
    y = np.array([1.0, 2.0, 4.0])
    assert r2(y, y) == 1.0 and r2(y, np.full(3, y.mean())) == pytest.approx(0.0)
    assert r2(y, [1.0, np.nan, 2.0]) == r2(np.ones(3), np.zeros(3)) == -np.inf


@pytest.mark.usefixtures("warm_command")
def test_the_command_says_what_it_does(suite, template, tmp_path):
    console = Console(record=True, width=200, file=StringIO())
    settings = {"trials": 1, "seconds": None, "epochs": 1, "jobs": 1, "threads": 1, "device": "cpu"}
    where = {"store": str(tmp_path / "store"), "factory": "stand_in:make"}
    run_suite(console, SuiteRun(suites=(suite,), methods=("linear",), **settings, **where))
    store = Store(tmp_path / "store")
    store.path.write_bytes(store.path.read_bytes() + b"{")
    run_suite(console, SuiteRun(suites=(suite,), methods=("linear",), **settings, **where))
    text = console.export_text()
    assert "2 runs to do, 0 of 2" in text and "line linear noise=0 seed=0: solved" in text
    assert "line 3 cannot be read as a result" in text and "0 runs to do, 2 of 2" in text


@pytest.mark.parametrize(
    "options, message",
    [
        (["--suite", "feinman", "--time", "1"], "unknown suite 'feinman'"),
        (["--suite", "strogatz", "--time", "1"], "pip install 'ddsr[bench]'"),
        (["--suite", "nguyen"], "--time or --epochs"),
        (["--noise", "0,-1", "--time", "1"], "0,-1"),
        (["--noise", "0,nan", "--time", "1"], "0,nan"),
        (["--time", "0"], "0.0 is not in the range x>0"),
        (["--noise", "a", "--time", "1"], "'a'"),
        (["--trials", "0"], "--trials"),
    ],
)
def test_a_mistake_gets_one_line_and_no_traceback(tmp_path, options, message):
    done = CliRunner().invoke(main, ["bench", "run", "--store", str(tmp_path), *options])
    assert done.exit_code in (1, 2) and message in done.output and "Traceback" not in done.output


def test_the_benchs_modules_leave_heavy_ones_alone():
    code = "import sys, ddsr_bench.command, ddsr_bench.runner.one; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert {"torch", "sympy", "pandas", "sklearn", "scipy"} & set(done.stdout.split()) == set()
