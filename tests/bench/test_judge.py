"""The judge on cases with known verdicts, all in real judging processes."""

import csv
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.sizes import judge_many

from ddsr_bench.judge.judge import TIMED_OUT, JudgeProcess
from ddsr_bench.problems.formula import parse_formula
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite

PHYSO = Path(__file__).resolve().parents[3] / "shared" / "data" / "published" / "physo"
TRUTHS = {problem.name: problem for suite in ("ground-truth", "nguyen") for problem in load_suite(suite)}
SAMPLE = list(TRUTHS.values())[::24]
LIMIT_S = 120.0
ALMOST_1 = 1 - 1e-9


@pytest.fixture(scope="module")
def judging():
    with closing(JudgeProcess()) as process:
        yield lambda model, name, r2=ALMOST_1: process.judge(model, TRUTHS[name], r2, LIMIT_S)


def test_truths_are_solved_by_both_rules_and_wrong_models_by_none():
    """In two processes, each of which judges right and wrong models in turn."""
    assert len(SAMPLE) == 7
    wrong = [f"({problem.formula})*{problem.variables[0]} + 1" for problem in SAMPLE]
    cases = [(problem.formula, problem, ALMOST_1) for problem in SAMPLE]
    cases += [(model, problem, 0.9) for model, problem in zip(wrong, SAMPLE, strict=True)]
    verdicts = judge_many(cases, 2, LIMIT_S)
    for (_, problem, _), verdict in zip(cases[: len(SAMPLE)], verdicts, strict=False):
        assert verdict.solved_srbench and verdict.solved_paper, (problem.name, verdict)
        assert verdict.error is None and verdict.complexity > 1
    for verdict in verdicts[len(SAMPLE) :]:
        assert not verdict.solved_srbench and not verdict.solved_paper and verdict.error is None


@pytest.mark.parametrize(
    "model, name, srbench, paper",
    [
        # fitted constants, close enough to be rounded to those of the truth
        ("0.398942*exp(-0.500001*theta^2)", "feynman_I_6_2a", True, True),
        ("0.159155*h*omega", "feynman_I_34_27", True, True),
        ("0.17*h*omega", "feynman_I_34_27", True, False),  # a scale
        ("x^3 + x^2 + x + 2.5", "nguyen_1", True, False),  # an offset
        ("2*(x^3 + x^2 + x) + 2.5", "nguyen_1", False, False),  # both at once
        ("x*(x*(x + 1) + 1)", "nguyen_1", True, True),
        ("x^3 + x^2 + x + 0.00004*x^5", "nguyen_1", True, True),  # terms below 1e-4 count as zero
        ("x^3 + x^2 + 1.01*x", "nguyen_1", False, False),
        ("0", "nguyen_1", False, False),
        ("1", "nguyen_1", False, False),
        # a phase is rounded to 1.571, and SRBench rounds away the remaining difference
        ("2*cos(x - 1.5707963)*cos(y)", "nguyen_10", True, False),
        ("2*cos(x - pi/2)*cos(y)", "nguyen_10", True, True),
        ("2*cos(x - 1.5)*cos(y)", "nguyen_10", False, False),
        ("2*sin(x)*cos(y)", "nguyen_10", True, True),
        ("sin(x + y) + sin(x - y)", "nguyen_10", True, True),
        # equal for positive variables, which SRBench does not assume
        ("sqrt(gamma)*sqrt(pr)/sqrt(rho)", "feynman_I_47_23", False, True),
        ("n_0/(2*cosh(mom*B/(kb*T)))", "feynman_II_35_18", True, True),
        # names with another meaning in SymPy
        ("0.1591549*I/(epsilon*c**2*r)", "feynman_II_13_17", True, True),
        ("beta + alpha*beta*cos(theta)", "feynman_III_17_37", True, True),
        ("-0.1*x", "strogatz_vdp2", True, True),
    ],
)
def test_known_verdicts(judging, model, name, srbench, paper):
    verdict = judging(model, name)
    assert (verdict.solved_srbench, verdict.solved_paper) == (srbench, paper), verdict
    assert verdict.error is None


def test_r2_decides_where_it_should(judging):
    truth = TRUTHS["nguyen_1"].formula
    assert not judging(truth, "nguyen_1", 0.5).solved_srbench
    assert judging(truth, "nguyen_1", 0.5).solved_paper
    assert judging("sin(x)", "nguyen_1", 1.0).solved_paper
    assert not judging("sin(x)", "nguyen_1", 1.0).solved_srbench
    for r2 in (float("nan"), float("-inf")):
        assert not judging(truth, "nguyen_1", r2).solved_srbench


def test_complexity_is_that_of_the_simplified_model(judging):
    verdict = judging("x*x*x + 1.00004*x + 0.5*x - 0.5*x + x**2", "nguyen_1")
    assert verdict.simplified == "x*(x**2 + x + 1)" and verdict.complexity == 8


@pytest.mark.parametrize("model", ["x +", "x + z", "1/0", "zoo*x", "import os", "x/(0.00001*x - 0.00001*x)"])
def test_an_invalid_model_is_an_error_and_the_judge_continues(judging, model):
    verdict = judging(model, "nguyen_1")
    assert not verdict.solved_srbench and not verdict.solved_paper and verdict.error
    assert judging("x^3 + x^2 + x", "nguyen_1").solved_paper


def test_a_time_out_is_not_solved_and_the_next_model_is_judged():
    problem = TRUTHS["nguyen_1"]
    with closing(JudgeProcess()) as process:
        assert process.judge("x + 9**9**9**9", problem, 1.0, timeout=0.5) == TIMED_OUT
        assert process.judge(problem.formula, problem, ALMOST_1, LIMIT_S).solved_srbench


@pytest.mark.slow
def test_many_keep_their_order_around_a_time_out():
    problem = TRUTHS["nguyen_8"]
    models = ["sqrt(x)", "x + 9**9**9**9", "x", "2*sqrt(x)"]
    verdicts = judge_many([(model, problem, 0.9) for model in models], n_jobs=2, timeout=2.0)
    assert [verdict.error for verdict in verdicts] == [None, "timeout", None, None]
    assert [verdict.solved_srbench for verdict in verdicts] == [True, False, False, True]


@pytest.mark.slow
def test_every_truth_is_solved_by_both_rules():
    problems = list(TRUTHS.values())
    verdicts = judge_many([(problem.formula, problem, ALMOST_1) for problem in problems], 2, LIMIT_S)
    missed = [
        problem.name
        for problem, verdict in zip(problems, verdicts, strict=True)
        if not (verdict.solved_srbench and verdict.solved_paper)
    ]
    assert missed == []


@pytest.mark.slow
def test_a_whole_suite_is_judged():
    """Right models in other notations and with fitted constants, and wrong ones, in turn."""
    import sympy

    cases = []
    for number, problem in enumerate(load_suite("ground-truth")):
        if number % 2:
            model = f"({problem.formula}) + 0.1*sin({problem.variables[0]})*{problem.variables[-1]}"
        else:
            model = str(sympy.expand(parse_formula(problem.formula, problem.variables).evalf(8)))
        cases.append((model, problem, 0.9999))
    verdicts = judge_many(cases, n_jobs=2)
    assert len(verdicts) == 133
    assert not any(verdict.solved_srbench for verdict in verdicts[1::2])
    assert sum(bool(verdict.solved_srbench) for verdict in verdicts[::2]) > 55


def test_a_judge_by_itself():
    problem = BenchmarkProblem("ohm", "U/R", ("U", "R"), ((1.0, 2.0), (1.0, 2.0)), 10)
    (verdict,) = judge_many([("U*R^(-1)", problem, 0.9)])
    assert verdict.solved_paper
    assert judge_many([], 2) == []


@pytest.mark.slow
@pytest.mark.skipif(not PHYSO.is_dir(), reason=f"no published results in {PHYSO}")
def test_published_truths_are_solved():
    """SRBench's verdicts are published without models, but the rounded truths used by PhySO are available."""
    with (PHYSO / "noise0.000_summary.csv").open() as file:
        published = {row["dataset"]: row["true_model"] for row in csv.DictReader(file)}
    names = [name for name in published if name in TRUTHS][::8]
    assert len(names) >= 8
    verdicts = judge_many([(published[name], TRUTHS[name], 0.9) for name in names], 2, LIMIT_S)
    missed = {name for name, verdict in zip(names, verdicts, strict=True) if not verdict.solved_srbench}
    # square roots of sums that are equal only for positive variables, which SRBench's rule does not assume
    assert missed == {"feynman_I_15_3x", "feynman_I_34_14"}
