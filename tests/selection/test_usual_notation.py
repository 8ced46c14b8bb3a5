"""Equations chosen by their error alone are written in the usual notation, too."""

import numpy as np
import pytest

from ddsr import DDSRRegressor
from ddsr.engine import Engine
from ddsr.expression import Expression, Vocabulary
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.usual_notation import in_usual_notation

NAMES = ("a", "b", "c", "day")
OPERATORS = ("add", "sub", "mul", "div", "pow", "sin", "cos", "exp", "log", "sqrt", "atan", "tanh")
VOCABULARY = Vocabulary(NAMES, OPERATORS)
ROWS = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 4)) * [1.0, 1.0, 1.0, 100.0]


def parse(text):
    return Expression.parse(text, VOCABULARY)


def written(*texts, is_allowed=lambda expression: True):
    """The notations on a front whose last equation is that of the data, up to rounding."""
    engine = Engine(VOCABULARY, ROWS, parse(texts[-1]).to_callable()(ROWS))
    entries = tuple(
        FrontEntry(parse(text), float(engine.refit([parse(text)], max_steps=0).nrmse[0])) for text in texts
    )
    front = in_usual_notation(ParetoFront(entries), engine, is_allowed)
    assert {entry.nrmse for entry in front} <= {entry.nrmse for entry in entries}
    return [entry.expression.text() for entry in front]


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("exp(0.6931471805599453 * a)", "2^a"),
        ("a * b * cos(-1 * atan(b / c)) / c", "a * b / sqrt(c^2 + b^2)"),
        ("tanh(-1 * a) * b", "-b * tanh(a)"),
        ("a * a * b", "b * a^2"),
    ],
)
def test_the_usual_notation(text, wanted):
    assert written(text) == [wanted]


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("8.2 - 24.6 / (3.3 + a)^1.000000000001", "8.2 - 24.6 / (3.3 + a)"),
        ("1.000000000002 * b * a", "a * b"),
        ("b * a^1.999999999998 + 0.0", "b * a^2"),
    ],
)
def test_constants_that_are_whole_up_to_rounding_become_whole(text, wanted):
    law = parse(wanted).to_callable()(ROWS)
    engine = Engine(VOCABULARY, ROWS, law)
    entry = FrontEntry(parse(text), float(engine.refit([parse(text)], max_steps=0).nrmse[0]))
    (found,) = in_usual_notation(ParetoFront((entry,)), engine, lambda expression: True)
    assert found.expression.text(precision=8) == wanted


def test_constants_stay_where_whole_ones_fit_worse():
    text = "b * a^1.0000005"
    assert written(text) == [text]


def test_phases_are_within_half_a_turn():
    (found,) = written("cos(69.42 - 0.017 * day)")
    phase = next(value for value in parse(found).constants if abs(abs(value) - 0.017) > 1e-6)
    assert abs(phase) <= np.pi


def test_a_forbidden_notation_is_not_used():
    def has_no_power(expression):
        return "^" not in expression.text()

    assert written("exp(0.6931471805599453 * a)", is_allowed=has_no_power) == ["exp(0.6931471805599453 * a)"]


def test_a_shorter_notation_replaces_a_less_accurate_equation():
    assert written("b", "b * a", "exp(0.6931471805599453 * a)") == ["b", "2^a"]


@pytest.mark.parametrize("selection", ["best", "accuracy"])
def test_the_estimator_writes_what_it_chose(selection):
    n = np.arange(1.0, 13.0)
    model = DDSRRegressor(
        "ddsr:generator=none",
        max_epochs=1,
        random_state=0,
        model_selection=selection,
        guesses=["exp(0.6931471805599453 * x0)"],
        config={"evaluations_per_epoch": 200},
    ).fit(n[:, None], 2.0**n)
    assert model.get_best()["equation"] == "2^x0"
