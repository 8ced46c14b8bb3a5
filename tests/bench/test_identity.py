"""A row belongs to a problem, not to a name: a problem that changed under its name is detected."""

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from ddsr.cli.entry import main
from ddsr.errors import BenchError
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite
from ddsr_bench.runner.identity import identity_of
from ddsr_bench.runner.one import OWN_METHODS
from ddsr_bench.runner.run import Plan, missing_tasks, run_missing
from ddsr_bench.runner.store import Store
from report_cases import run

NEWTON = BenchmarkProblem("newton", "m*a", ("m", "a"), ((1.0, 5.0), (-2.0, 2.0)), 100)
DATA = "a,b,y\n" + "".join(f"{n},{n % 3},{2 * n + n % 3}\n" for n in range(20))


@pytest.mark.parametrize(
    "change",
    [
        {"formula": "m*a + 1"},
        {"ranges": ((1.0, 5.0), (-2.0, 3.0))},
        {"n_rows": 101},
        {"variables": ("a", "m")},
        {"is_standardised": True},
    ],
)
def test_identity_depends_on_what_determines_the_data(change):
    assert identity_of(replace(NEWTON, **change)) != identity_of(NEWTON)
    assert identity_of(replace(NEWTON, name="force")) == identity_of(NEWTON)  # the name is stored beside it


def test_a_tables_contents_count_however_they_are_compressed(tmp_path):
    problem = BenchmarkProblem("kept", None, ("a", "b"), (), 20, source="pmlb")
    path = tmp_path / "kept" / "kept.tsv.gz"
    path.parent.mkdir()
    found = set()
    for level, text in ((1, DATA), (9, DATA), (9, DATA.replace("0", "1", 1))):
        path.write_bytes(gzip.compress(text.encode(), level, mtime=level))
        found.add(identity_of(problem, tmp_path))
    assert len(found) == 2
    path.write_bytes(b"no gzip")
    with pytest.raises(BenchError, match="cannot read"):
        identity_of(problem, tmp_path)


def test_identities_of_the_suites_differ():
    problems = load_suite("feynman") + load_suite("nguyen")
    assert len({identity_of(problem) for problem in problems}) > len(problems) - 8  # some laws occur twice


def call(suite: Path, store: Path, *options: str):
    arguments = ["--suite", str(suite), "--method", "linear", "--time", "1", "--store", str(store)]
    return CliRunner().invoke(main, ["bench", "run", *arguments, *options])


@pytest.mark.parametrize(
    "name, before, after",
    [
        ("laws.csv", "name,formula,ranges,n\nlaw,x + y,x:0:1;y:0:1,40\n", ("x + y", "x - y")),
        ("laws.csv", "name,formula,ranges,n\nlaw,x + y,x:0:1;y:0:1,40\n", ("y:0:1", "y:0:2")),
        ("laws.csv", "name,formula,ranges,n\nlaw,x + y,x:0:1;y:0:1,40\n", (",40", ",50")),
        ("mine.csv", DATA, ("a,b,y\n0,0,0", "a,b,y\n0,0,1")),
    ],
)
def test_a_problem_that_changed_under_its_name_is_refused(tmp_path, name, before, after):
    suite, store = tmp_path / name, tmp_path / "store"
    suite.write_text(before)
    (problem,) = load_suite(str(suite))
    Store(store).append(run(problem.name, "linear", time=1.0, problem_id=identity_of(problem)))
    stored = (store / "results.jsonl").read_bytes()
    assert "0 runs to do" in call(suite, store).output
    assert before.replace(*after) != before
    suite.write_text(before.replace(*after))
    for options in ((), ("--trials", "2"), ("--method", "forest")):  # nor may runs be added to those
        done = call(suite, store, *options)
        assert done.exit_code == 1 and "use another --store, or rename" in done.output
    assert (store / "results.jsonl").read_bytes() == stored


@pytest.mark.slow
def test_rows_without_identity_count_as_done_with_a_warning(suite, template, tmp_path):
    store, plan = (
        Store(tmp_path / "store"),
        Plan(problems=load_suite(suite), methods=("linear",), template=replace(template, time=1.0)),
    )
    rows = list(run_missing(plan, store))
    assert {row.problem: row.problem_id for row in rows} == plan.identities
    old = Store(tmp_path / "old")
    for row in rows:
        old.append(replace(row, problem_id=None))
    assert missing_tasks(plan, old) == []
    done = call(Path(suite), tmp_path / "old")
    assert done.exit_code == 0 and "2 rows were written by a version that" in done.output
    assert "count as done by the name of their problem" in done.output


def test_a_method_in_another_spelling_is_the_same_run(suite, template, tmp_path):
    plan = Plan(
        problems=load_suite(suite)[:1], methods=("paper",), template=replace(template, factory=OWN_METHODS)
    )
    store = Store(tmp_path / "store")
    store.append(run(plan.problems[0].name, "paper:memory=long"))
    assert missing_tasks(plan, store) == []
    assert len(missing_tasks(replace(plan, methods=("paper:memory=short",)), store)) == 1


@pytest.mark.slow
def test_a_repeated_name_runs_once(tmp_path):
    table = tmp_path / "laws.csv"
    table.write_text("name,formula,ranges,n\nlaw,x + y,x:0:1;y:0:1,40\n")
    names = ["--suite", f"{table},{table}", "--suite", str(table), "--noise", "0,0.0", "--noise", "0"]
    methods = ["--method", "uniform,uniform", "--method", "uniform"]
    done = CliRunner().invoke(
        main, ["bench", "run", *names, *methods, "--epochs", "1", "--store", str(tmp_path / "store")]
    )
    assert done.exit_code == 0 and "1 runs to do, 0 of 1 are" in done.output


def test_suites_that_disagree_on_a_name_are_refused(tmp_path):
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("name,formula,ranges,n\nlaw,x + y,x:0:1;y:0:1,40\n")
    two.write_text("name,formula,ranges,n\nlaw,x - y,x:0:1;y:0:1,40\n")
    done = call(one, tmp_path / "store", "--suite", str(two))
    assert done.exit_code == 1 and "law stands for different problems" in done.output
