"""Oscillations that no row shows are detected; those that the rows show are accepted."""

import numpy as np
import pytest

from ddsr import Engine, Expression, Vocabulary
from ddsr.selection.guards.swings import Paths, swing
from ddsr.selection.select import select

VOCABULARY = Vocabulary(["x", "y"], ("add", "sub", "mul", "div", "sin", "cos", "exp", "pow"))
GRID = np.column_stack([np.arange(20.0) * 0.25, np.ones(20)])
PATHS = Paths.among(GRID)


def swings(text: str, paths: Paths = PATHS) -> bool:
    return bool(swing([Expression.parse(text, VOCABULARY)], paths, 1)[0])


@pytest.mark.parametrize(
    "text", ["x", "3 * exp(-0.2 * x) * cos(2.4 * x)", "sin(5 * x)", "sin(9 * x)", "1", "y"]
)
def test_oscillations_shown_by_the_rows_are_accepted(text):
    assert not swings(text)


@pytest.mark.parametrize(
    "text", ["cos((2.4 + 8 * 3.14159265358979) * x)", "x + sin(50 * x)", "x + 2 * sin(1417 * x)"]
)
def test_oscillations_between_rows_are_detected(text):
    assert swings(text)


def test_paths_go_from_each_row_to_the_next_value():
    table = np.array([[0.0, 5.0], [1.0, 5.0], [3.0, 7.0]])
    ends = Paths.among(table).points.reshape(-1, 9, 2)[:, [0, -1]]
    steps = {(tuple(a), tuple(b)) for a, b in ends.tolist()}
    assert ((0.0, 5.0), (1.0, 5.0)) in steps and ((1.0, 5.0), (3.0, 5.0)) in steps
    assert ((0.0, 5.0), (0.0, 7.0)) in steps and len(steps) == 4


def test_one_row_has_no_paths():
    assert not swings("sin(50 * x)", Paths.among(GRID[:1]))


def test_an_equation_undefined_between_rows_oscillates():
    names = Vocabulary(["x"], ("add", "sub", "mul", "asin", "cos", "sqrt"))
    texts = "asin(0.2 + cos(6.283185307179586 * x + 2))", "sqrt(x - 1)"
    paths = Paths.among(np.arange(1.0, 9.0)[:, None])
    assert swing([Expression.parse(text, names) for text in texts], paths, 1).tolist() == [True, False]


def test_a_path_that_leaves_the_domain_is_ignored():
    rng = np.random.default_rng(0)
    rows = rng.uniform(0.0, 1.0, size=(30, 2))
    rows = rows[rows[:, 0] > rows[:, 1]]
    names = Vocabulary(["x", "y"])
    slow, fast = (Expression.parse(text, names) for text in ("sqrt(x - y)", "sqrt(x - y) + sin(2000 * x)"))
    assert swing([slow, fast], Paths.among(rows), 1).tolist() == [False, True]


def test_the_slow_one_of_two_frequencies_is_chosen():
    fast, slow = 2.4 + 8.0 * np.pi, 2.4  # equal on rows at a distance of 0.25
    y = 3.1 * np.cos(slow * GRID[:, 0]) + 0.05 * np.random.default_rng(0).normal(size=20)
    candidates = [Expression.parse(f"3.1 * cos({rate!r} * x)", VOCABULARY) for rate in (fast, slow)]
    best = select(candidates, Engine(VOCABULARY, GRID, y))[0].expression
    assert max(map(abs, best.constants)) < 5.0


@pytest.mark.parametrize("noise", [0.002, 0.0])
def test_a_frequency_that_the_rows_cannot_show_is_refused(noise):
    """Among many frequencies there is always one that fits a few rows well, and rounded rows exactly."""
    rng = np.random.default_rng(0)
    rows = np.sort(rng.uniform(0.0, 5.0, size=(32, 1)), axis=0)
    y = 3.0 * rows[:, 0] + 0.5 * np.sin(1417.0 * rows[:, 0]) + noise * rng.normal(size=32)
    names = Vocabulary(["x"])
    candidates = [Expression.parse(text, names) for text in ("3 * x", "3 * x + 0.5 * sin(1417 * x)")]
    assert "sin" not in select(candidates, Engine(names, rows, y))[0].expression.text()


def test_paths_along_columns_that_are_not_used_change_nothing():
    rows = np.random.default_rng(0).uniform(0.0, 1.0, size=(30, 3))
    names = Vocabulary(["x", "y", "z"])
    found = [Expression.parse(text, names) for text in ("x * z", "sin(60 * x) + z", "z", "cos(90 * z) + x")]
    used, every = Paths.among(rows, (0, 2)), Paths.among(rows)
    assert len(used.points) < len(every.points)
    assert swing(found, used, 1).tolist() == swing(found, every, 1).tolist()
