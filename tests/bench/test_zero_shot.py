"""What counts as a hit, on proposals that are known; and the command on a network that knows nothing."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from ddsr.bench.problems import load_suite
from ddsr.bench.zero_shot import FITTING, Case, Outcome, find_hits, ground_truth_cases, summarise
from ddsr.cli import main
from ddsr.engine import Engine
from ddsr.errors import BenchError
from ddsr.expression import Batch, Expression, Vocabulary
from prior_cases import write_weights

VOCABULARY = Vocabulary.of_size(2)
RNG = np.random.default_rng(0)
X = RNG.uniform(1.0, 3.0, size=(400, 2))
CLEAN = 5.0 * X[:, 0] * np.exp(-0.7 * X[:, 1]) + 2.0
TRUE, NEAR, WRONG = "x0 * exp(-1 * x1)", "x0 / (1 + x1)", "x0 + x1"


def make_case(noise):
    y = CLEAN + RNG.normal(0, noise * np.sqrt(np.mean(CLEAN**2)), len(CLEAN))
    return Case("case", 2, noise, VOCABULARY, X, y, CLEAN, X, CLEAN)


def hits(case, *texts):
    batch = Batch.of([Expression.parse(text, VOCABULARY) for text in texts])
    scores = Engine(VOCABULARY, case.X, case.y, options=FITTING).score(batch)
    return find_hits(scores, case, 1).tolist()


@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_the_structure_is_a_hit_and_no_other(noise):
    assert hits(make_case(noise), WRONG, TRUE, NEAR) == [1]


def test_an_approximation_that_noise_hides_is_no_hit():
    case = make_case(0.05)
    assert hits(case, NEAR, WRONG) == []


def test_huge_terms_that_cancel_are_no_hit():
    y = 3.0 * np.log(X[:, 0])
    case = Case("log", 2, 0.0, VOCABULARY, X, y, y, X, y, exact=1e-4)
    assert hits(case, "log(x0)", "x0 ^ 0.0000001") == [0]


def test_cases_of_a_suite_carry_noise_on_the_training_target_alone():
    problems = load_suite("feynman")[:2]
    for noisy, clean in zip(
        ground_truth_cases(problems, 0.1, None), ground_truth_cases(problems, 0.0, None), strict=True
    ):
        assert np.std(noisy.y - noisy.y_clean) > 0.05 * np.std(clean.y)
        np.testing.assert_array_equal(noisy.y_clean, clean.y)
        np.testing.assert_array_equal(noisy.y_test, clean.y_test)
    with pytest.raises(BenchError, match="nobody knows"):
        next(iter(ground_truth_cases(load_suite("black-box")[:1], 0.0, None)))


def test_summaries_count_groups():
    outcomes = [
        Outcome("a", size, 0.0, is_hit, 1.0, 9, 2.0, "")
        for size, is_hit in ((1, True), (2, False), (1, False))
    ]
    assert summarise(outcomes, lambda each: each.size) == [
        {"group": 1, "n": 2, "hits": 1, "seconds": 2.0},
        {"group": 2, "n": 1, "hits": 0, "seconds": 2.0},
    ]


def test_the_command_writes_a_table_and_json(tmp_path):
    weights = write_weights(tmp_path / "tiny.safetensors")
    out = tmp_path / "scores.json"
    arguments = [
        weights,
        "--suite",
        "nguyen",
        "-n",
        "2",
        "--samples",
        "40",
        "--noise",
        "0,0.01",
        "--out",
        str(out),
    ]
    done = CliRunner().invoke(main, ["prior", "evaluate", *arguments])
    assert done.exit_code == 0, done.output
    assert "of 2 hit" in done.output
    content = json.loads(out.read_text())
    assert [row["n"] for row in content["by_noise"]] == [2, 2]
    assert len(content["outcomes"]) == 4 and content["sampling"]["n"] == 40


def test_weights_that_are_not_there_are_named():
    done = CliRunner().invoke(main, ["prior", "evaluate", "nowhere.safetensors"])
    assert done.exit_code == 1 and "nowhere.safetensors" in done.output
