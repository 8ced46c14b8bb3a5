"""Constants are printed with the digits that keep the values of an equation."""

import numpy as np
import pytest

from ddsr import Engine, Vocabulary
from ddsr.expression import Expression
from ddsr.search.front import FrontEntry, information_of
from ddsr.selection.legible import with_precision

OPERATORS = ("add", "sub", "mul", "div", "pow", "exp", "neg")


def entry_and_values(text, X, y):
    """Return the fitted entry, its values with all digits, and its values as printed."""
    vocabulary = Vocabulary(["w"], OPERATORS)
    engine = Engine(vocabulary, X, y)
    scores = engine.refit([Expression.parse(text, vocabulary)], max_steps=0)
    entry = FrontEntry(scores.batch[0], float(scores.nrmse[0]))
    entry = with_precision(entry, information_of(entry, engine), engine.spread)
    printed = Expression.parse(entry.short_text(), vocabulary)
    return entry, entry.equation.to_callable()(X), printed.to_callable()(X)


@pytest.mark.parametrize("noise", [0.0, 0.02])
def test_a_line_far_from_the_origin_keeps_its_place(noise):
    w = np.linspace(6550.0, 6576.0, 40)
    y = 3.0 + 14.0 * np.exp(-(((w - 6562.796) / 2.1) ** 2))
    y = y * (1.0 + noise * np.random.default_rng(0).normal(size=len(w)))
    text = "3.0 + 14.0 * exp(-((w - 6562.796) / 2.1)^2)"
    entry, exact, printed = entry_and_values(text, w[:, None], y)
    allowed = max(0.1 * entry.nrmse, 1e-3) * np.std(y)
    assert np.sqrt(np.mean((printed - exact) ** 2)) <= 1.5 * allowed
    assert "6562.8" in entry.short_text() or "6562.796" in entry.short_text()


def test_four_digits_are_enough_near_the_origin():
    w = np.linspace(0.5, 6.0, 20)
    y = 12.345678 * np.exp(-0.3712345 * w) + 0.1 * np.random.default_rng(1).normal(size=20)
    entry, _, _ = entry_and_values("12.345678 * exp(-0.3712345 * w)", w[:, None], y)
    assert entry.short_text() == "12.35 * exp(-0.3712 * w)"


def test_fixed_numbers_are_written_in_full():
    vocabulary = Vocabulary(["w"], OPERATORS)
    expression = Expression.parse("0.1234567 * (w - 1013.25)", vocabulary)
    is_free = tuple(value != 1013.25 for value in expression.constants)
    entry = FrontEntry(expression, 0.1, is_free=is_free)
    shown = with_precision(entry, np.eye(2) * 1e-6, 1.0)
    assert "1013.25" in shown.short_text() and "0.1235" in shown.short_text()


def test_equations_without_measured_constants_have_four_digits():
    entry = FrontEntry(Expression.parse("0.1234567 * w", Vocabulary(["w"], OPERATORS)), 0.1)
    assert with_precision(entry, None, 1.0).short_text() == "0.1235 * w"
