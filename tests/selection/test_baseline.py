import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Vocabulary
from ddsr.grammar import Grammar, MustAppear
from ddsr.selection import baseline
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 3))


def baseline_of(y, vocabulary=PLAIN, X=X, **limits):
    return baseline(Engine(vocabulary, X, y), Grammar(vocabulary, **limits))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_a_line_is_found_at_any_magnitude(scale):
    found = baseline_of(scale * (3 * X[:, 1] - 2)).most_accurate()
    assert found.nrmse < 1e-9 and found.expression.variables_used == ("y",)


def test_the_constant_is_the_mean():
    y = np.sin(50 * X[:, 0])
    constant = baseline_of(y).entries[0].expression
    assert constant.skeleton() == "?"
    assert constant.constants[0] == pytest.approx(y.mean())


def test_only_a_number_may_break_the_rules():
    found = baseline_of(X[:, 0], rules=[MustAppear("x", "z")])
    assert [entry.expression.variables_used for entry in found] == [()]
    assert max(entry.size for entry in baseline_of(X[:, 0] + 1, max_length=4)) <= 4


def test_there_is_a_model_without_arithmetic_or_constants():
    bare = Vocabulary(("x", "y", "z"), ("sin",), has_constant=False)
    assert baseline_of(X[:, 2], bare).most_accurate().nrmse == 0.0
    assert len(baseline_of(X[:, 2], bare, X=1e200 * X)) == 1
