"""What counts as a hit, for known proposals; and the command with an untrained network."""

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.errors import BenchError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr_bench.problems.suites import load_suite
from ddsr_pretraining.zero_shot import FITTING, Case, find_hits, ground_truth_cases

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


def test_an_approximation_within_the_noise_is_not_a_hit():
    case = make_case(0.05)
    assert hits(case, NEAR, WRONG) == []


def test_huge_terms_that_cancel_are_not_a_hit():
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
    with pytest.raises(BenchError, match="is unknown"):
        next(iter(ground_truth_cases(load_suite("black-box")[:1], 0.0, None)))
