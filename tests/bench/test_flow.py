"""Suites whose rows lie along trajectories."""

import json
import subprocess
import sys
from dataclasses import asdict, replace

import numpy as np
import pytest

from ddsr.errors import BenchError
from ddsr_bench.judge.rules import apply_rules
from ddsr_bench.problems.flow import N_TRAJECTORIES
from ddsr_bench.problems.formula import evaluate_formula
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite, positive_variables, sample_rows
from ddsr_bench.problems.trial import make_data
from ddsr_bench.runner.identity import identity_of

HEADER = "name,formula,ranges,n,flow\n"
DECAY = "decay,-0.5*A,A:1:2;t:0:4,80,A\n"
SPRING = "spring,-x - 0.1*v,x:1:2;v:-1:1;t:0:12,80,x: v; v\n"
FORCED = "forced,0.3*k*cos(t) - A,A:1:2;k:1:3;t:0:6,80,A; B: A"


def read(tmp_path, lines):
    path = tmp_path / "suite.csv"
    path.write_text(HEADER + lines)
    return load_suite(str(path))


def test_states_follow_their_derivatives(tmp_path):
    (decay,) = read(tmp_path, DECAY)
    states = sample_rows(decay, 80, np.random.default_rng(3)).reshape(N_TRAJECTORIES, 20)
    expected = states[:, :1] * np.exp(-0.5 * np.linspace(0, 4, 20))
    np.testing.assert_allclose(states, expected, rtol=1e-3)
    assert ((states[:, 0] > 1) & (states[:, 0] < 2)).all() and len(set(states[:, 0])) == N_TRAJECTORIES


def test_inputs_are_the_variables_that_the_formula_uses(tmp_path):
    decay, spring, forced = read(tmp_path, f"{DECAY}{SPRING}{FORCED.replace('; B: A', '')}\n")
    assert decay.variables == ("A",) and spring.variables == ("x", "v")
    assert forced.variables == ("A", "k", "t") and forced.ranges == ((1, 2), (1, 3), (0, 6))


def test_parameters_are_constant_along_a_trajectory_and_times_are_even(tmp_path):
    (forced,) = read(tmp_path, FORCED.replace("; B: A", ""))
    rows = sample_rows(forced, 80, np.random.default_rng(0)).reshape(N_TRAJECTORIES, 20, 3)
    assert (np.ptp(rows[:, :, 1], axis=1) == 0).all() and len(set(rows[:, 0, 1])) == N_TRAJECTORIES
    np.testing.assert_allclose(rows[:, :, 2], np.tile(np.linspace(0, 6, 20), (N_TRAJECTORIES, 1)))


def test_targets_are_exact_and_the_seed_decides_the_rows(tmp_path):
    (spring,) = read(tmp_path, SPRING)
    data, again, other = (make_data(spring, seed, 0.0) for seed in (1, 1, 2))
    assert len(data.y_train) == 60 and list(data.X_train.columns) == ["x", "v"]
    exact = evaluate_formula("-x - 0.1*v", ("x", "v"), data.X_train.to_numpy())
    assert np.array_equal(data.y_train, exact)
    assert data.X_train.equals(again.X_train) and not data.X_train.equals(other.X_train)


@pytest.mark.parametrize("n_rows", [4, 5, 81, 83])
def test_any_number_of_rows_is_possible(tmp_path, n_rows):
    (decay,) = read(tmp_path, DECAY)
    assert sample_rows(decay, n_rows, np.random.default_rng(0)).shape == (n_rows, 1)


def test_a_state_is_positive_only_if_its_trajectories_are(tmp_path):
    decay, spring = read(tmp_path, DECAY + SPRING)
    assert positive_variables(decay) == {"A"} and positive_variables(spring) == frozenset()
    truth = replace(spring, formula="sqrt(x**2) + v")
    assert not apply_rules("x + v", truth, 0.9).solved_paper
    assert apply_rules("v + sqrt(x**2)", truth, 0.9).solved_paper


def test_a_flow_survives_json_and_is_part_of_the_identity(tmp_path):
    (spring,) = read(tmp_path, SPRING)
    assert BenchmarkProblem.from_json(json.loads(json.dumps(asdict(spring)))) == spring
    (other,) = read(tmp_path, SPRING.replace("x: v; v", "x: 2*v; v"))
    plain = replace(spring, flow=None)
    assert len({identity_of(problem) for problem in (spring, other, plain)}) == 3


def test_an_empty_flow_draws_from_the_ranges(tmp_path):
    decay, plain = read(tmp_path, DECAY + "plain,a*b,a:0:1;b:0:1,9,\n")
    assert plain.flow is None and plain.variables == ("a", "b") and decay.flow is not None


@pytest.mark.parametrize(
    "line, message",
    [
        (FORCED, "the flow has a derivative of 'B', but the ranges are of A, k, t"),
        ("a,-A,A:1:2;t:0:1,9,A: -A*q", "a: .*uses q, but the variables are A, t"),
        ("a,-A,A:1:2;t:0:1,9,A: -A*(", "a: not a formula"),
        ("a,-A,A:1:2,9,A", "a: a flow needs a range of the time t"),
        ("a,-A,A:1:2;t:0:1,9,A; t: 1", "a: t is the time"),
        ("a,-A,A:1:2;t:0:1,9,A; A: 2", "a: the flow has two derivatives of A"),
        ("a,A*A,A:1:2;t:0:9,9,A", "a: a trajectory leaves the finite numbers after t = 0"),
        ("a,log(A) - 1,A:1:2;t:0:9,9,A", "a: a trajectory leaves the finite numbers"),
        ("a,sin(90000*t)*A,A:1:2;t:0:9,9,A", "a: the flow is too stiff .* t = 0 to 9"),
        ("a,0.3,A:1:2;t:0:1,9,A", "a: '0.3' is constant"),
    ],
)
def test_a_flow_that_cannot_be_used_is_refused_with_its_line(tmp_path, line, message):
    with pytest.raises(BenchError, match=f"suite.csv:\n  line 3: .*{message}"):
        read(tmp_path, DECAY + line + "\n")


def test_scipy_is_imported_at_the_first_trajectory(tmp_path):
    path = tmp_path / "suite.csv"
    path.write_text(HEADER + DECAY)
    code = (
        "import sys; from ddsr_bench.problems.suites import load_suite\n"
        f"load_suite({str(path)!r}, is_checked=False); assert 'scipy.integrate' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
