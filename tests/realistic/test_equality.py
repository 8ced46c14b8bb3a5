"""Equality by algebra with free numbers: pairs in different notations, and pairs that only look alike."""

import subprocess

import numpy as np
import pytest
from benchmarks.realistic import equality, symbolic
from benchmarks.realistic.shapes import Shape, fit_freed, has_form
from benchmarks.realistic.tables import OPERATORS

from ddsr import Expression, Vocabulary

ONE = np.linspace(0.3, 1.5, 60)[:, None]


def parsed(text: str, *variables: str) -> Expression:
    return Expression.parse(text, Vocabulary(list(variables or ("x",)), OPERATORS))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7.3 * x / (1.9 + x)", "1 / (0.260273973 / x + 0.136986301)"),
        ("7.3 * x / (1.9 + x)", "7.3 - 13.87 / (1.9 + x)"),
        ("0.31 * sqrt(x - 0.12)", "sqrt(0.0961 * x - 0.011532)"),
        ("2.4 / sqrt((x - 5 / x)^2 + 0.4)", "2.4 * x / sqrt(x^4 - 9.6 * x^2 + 25)"),
        ("2.2 * cos(x)^2 + 0.15", "1.25 + 1.1 * cos(2 * x)"),
        ("36.8 + 0.42 * cos(2.618 * x - 4.4)", "36.8 + 0.42 * sin(2.618 * x - 2.8292036732)"),
        ("5 * (1 - exp(-x / 1.9))", "5 - 5 * 0.5907775139^x"),
        ("58 * log(x / 120) / log(10)", "25.18907995 * log(x) - 120.5936"),
        ("exp(16.9 - 36 / (x + 50))", "21856305.08232 * exp(36 / (-50 - x))"),
        ("6.11 * exp(17.3 * x / (x + 237))", "199221289.655 * exp(-4100.1 / (x + 237))"),
        ("1 / (1 + exp(1.7 - 0.9 * x))", "0.5 + 0.5 * tanh(0.45 * x - 0.85)"),
        ("log(1 / (0.03 + exp(-0.2 * x)))", "0.2 * x - log(1 + 0.03 * exp(0.2 * x))"),
        ("2.2 * exp(-(x / 5.1)^0.6)", "2.2 * exp(-0.376233874 * x^0.6)"),
    ],
)
def test_notations_of_one_function_are_equal(one, other):
    assert symbolic.is_equal(one, other, ["x"], ONE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("7.3 * x / (1.9 + x)", "7.3 * x / (1.91 + x)"),
        ("12.4 * exp(-0.37 * x)", "13 / (x + exp(x))^0.3738"),
        ("2 * asin(x / 2)", "2 * acos(x / 2)"),
        ("3.2 * x / (0.8 + x)", "2.1 * atan(x)"),
        ("x^2", "x^2 + 0.1 * x"),
    ],
)
def test_other_functions_are_not(one, other):
    assert not symbolic.is_equal(one, other, ["x"], ONE)


def test_several_variables():
    points = np.sort(np.random.default_rng(0).uniform(0.5, 2.0, (30, 3)), axis=1)
    for one, other in (
        ("log(3 * v * w / u^2)", "1.0986122887 + log(v * w) - 2 * log(u)"),
        (
            "-log(0.01 * (1 / u^2 - 1 / v^2)) * w",
            "w * (2 * log(u * v) - log((v - u) * (u + v)) + 4.605170186)",
        ),
        ("6.4 * u / (1.5 * (1 + v / 2.2) + u) * w", "6.4 * u * w / (1.5 + 0.6818181818 * v + u)"),
    ):
        assert symbolic.is_equal(one, other, ["u", "v", "w"], points)


@pytest.fixture
def asked(monkeypatch):
    """Questions for the process, which is not started here because it takes a second."""
    questions = []

    def answer(question_of_shape, freed, seconds):
        questions.append(str(freed))
        return True

    monkeypatch.setattr(equality, "ask_sympy", answer)
    return questions


def test_numbers_are_freed_before_the_comparison(asked):
    shape = Shape(parsed("7.3 * x / (1.9 + x)"), ONE)
    assert equality.is_equal(shape, parsed("5.1 * x / (3 + x)"))
    numbers = parsed(asked[0]).constants
    assert sorted(numbers) == pytest.approx([1.9, 7.3], rel=1e-6)


def test_sympy_is_not_asked_if_numbers_refute(asked):
    shape = Shape(parsed("7.3 * x / (1.9 + x)"), ONE)
    assert equality.is_equal(shape, parsed("4.1 * atan(0.8 * x)")) is False
    # the law is a special case of it: the form is right, but it is not equal
    larger = parsed("7.3 * x / (1.9 + x) + 0.2")
    assert has_form(shape, larger) and equality.is_equal(shape, larger) is False
    assert asked == []


def test_whole_exponents_belong_to_the_form(asked):
    assert equality.is_equal(Shape(parsed("3.1 * x^1.5"), ONE), parsed("3 * x^2")) is False
    assert equality.is_equal(Shape(parsed("3.1 * x^2"), ONE), parsed("3 * x^2.01")) is False
    assert equality.is_equal(Shape(parsed("3.1 * x^1.5"), ONE), parsed("3 * x^1.4")) is True


def test_an_answer_without_values_is_not_equal(asked):
    assert equality.is_equal(Shape(parsed("3.1 * x"), ONE), parsed("log(x - 1)")) is False


def test_the_process_answers_and_is_ended_in_time(monkeypatch):
    shape = Shape(parsed("7.3 * x / (1.9 + x)"), ONE)
    freed, _ = fit_freed(shape.engine, parsed("1 / (0.3 / x + 0.1)"))
    assert equality.ask_sympy(shape, freed, 120.0) is True

    def too_slow(*arguments, timeout, **named):
        raise subprocess.TimeoutExpired("sympy", timeout)

    monkeypatch.setattr(subprocess, "run", too_slow)
    assert equality.ask_sympy(shape, freed, 1.0) is None
