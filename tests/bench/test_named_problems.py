"""`ddsr bench run --problem NAME` runs single problems of a suite."""

from io import StringIO

import pytest
from click.testing import CliRunner
from rich.console import Console

from ddsr.cli.entry import main
from ddsr.errors import BenchError
from ddsr_bench.command import SuiteRun, named_problems, run_suite
from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.starts import read_starts
from ddsr_bench.runner.store import Store

NGUYEN = load_suite("nguyen")


def test_problems_are_chosen_by_name_in_the_suites_order():
    names = [problem.name for problem in NGUYEN]
    chosen = named_problems(NGUYEN, (names[3], names[1]))
    assert [problem.name for problem in chosen] == [names[1], names[3]]
    assert named_problems(NGUYEN, ()) == NGUYEN


def test_an_unknown_problem_names_those_like_it():
    with pytest.raises(BenchError, match="no problem 'I_12_11'; did you mean .*feynman_I_12_11"):
        named_problems(load_suite("feynman"), ("I_12_11",))
    with pytest.raises(BenchError, match="no problem '#'$"):
        named_problems(NGUYEN, ("#",))


@pytest.mark.usefixtures("warm_command")
def test_only_the_named_problem_is_run(suite, template, tmp_path):
    settings = {"trials": 1, "seconds": None, "epochs": 1, "jobs": 1, "threads": 1, "device": "cpu"}
    where = {"store": str(tmp_path / "store"), "factory": "stand_in:make"}
    asked = SuiteRun(suites=(suite,), methods=("linear",), names=("curve",), **settings, **where)
    run_suite(Console(file=StringIO()), asked)
    assert [row.problem for row in Store(tmp_path / "store").read().rows] == ["curve"]
    (start,), _ = read_starts(tmp_path / "store")
    assert "--suite suite.csv --problem curve --method linear" in start.command


def test_the_option_may_be_given_several_times(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr("ddsr_bench.command.run_suite", lambda _, asked: seen.append(asked))
    options = ["--problem", "a,b", "--problem", "c", "--time", "1", "--store", str(tmp_path)]
    done = CliRunner().invoke(main, ["bench", "run", *options])
    assert done.exit_code == 0, done.output
    assert seen[0].names == ("a", "b", "c")


def test_a_wrong_name_is_reported_in_one_line(tmp_path):
    options = ["--suite", "nguyen", "--problem", "nguyen_99", "--time", "1", "--store", str(tmp_path)]
    done = CliRunner().invoke(main, ["bench", "run", *options])
    assert done.exit_code == 1 and "no problem 'nguyen_99'" in done.output and "Traceback" not in done.output
