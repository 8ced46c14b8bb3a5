"""Where two forms begin to differ, compared with the noise."""

import numpy as np
import pytest

from ddsr import Engine, Expression, Vocabulary
from ddsr.selection.parting import Noise, _points, parting
from ddsr.selection.posterior import form_of, forms_of
from ddsr.selection.select import select

ONE = Vocabulary(["x"], ("add", "sub", "mul", "div", "exp", "pow", "log", "sqrt"))
TWO = Vocabulary(["a", "b", "unused"], ONE.operators)
X = np.linspace(1.0, 5.0, 9)[:, None]
NOISE = Noise(0.1)


def expression(text: str, vocabulary: Vocabulary = ONE) -> Expression:
    return Expression.parse(text, vocabulary)


def test_forms_that_differ_within_the_data_are_found_there():
    found = parting(expression("x"), expression("x + 3 * exp(-(x - 4)^2)"), X, NOISE)
    assert not found.is_beyond and found.is_seen
    low, high = found.where["x"]
    assert 3.0 < low < 4.0 < high < 5.0
    assert found.times_noise == pytest.approx(30.0, rel=0.01)


@pytest.mark.parametrize(
    ("other", "start", "is_upwards"),
    [
        ("x + exp(5 * (x - 6))", 6.0 + np.log(0.1) / 5, True),  # the difference is 0.1 there
        ("x + exp(5 * (0.5 - x))", 0.5 - np.log(0.1) / 5, False),
    ],
)
def test_forms_that_agree_on_the_data_differ_outside(other, start, is_upwards):
    found = parting(expression("x"), expression(other), X, NOISE)
    first, last = found.where["x"]
    assert found.is_beyond and (last > first) == is_upwards
    assert first == pytest.approx(start, abs=0.1)


def test_forms_that_agree_everywhere_differ_by_less_than_the_noise():
    found = parting(expression("x"), expression("1.001 * x"), X, NOISE)
    assert not found.is_seen and not found.is_beyond and found.times_noise < 1.0


def test_nonnegative_inputs_stay_nonnegative():
    found = parting(expression("x"), expression("x + 0.2 * log(x / 0.05)^0.5"), X, NOISE)
    assert min(found.where["x"]) > 0.0


def test_a_wide_range_is_followed_in_equal_ratios():
    wide = np.geomspace(1e-3, 1e3, 20)[:, None]
    found = parting(expression("2"), expression("2 + 0.3 * exp(-(log(x) + 4)^2)"), wide, NOISE)
    low, high = found.where["x"]
    assert low < np.exp(-4.0) < high < 0.1


def test_relative_noise_grows_with_the_prediction():
    noise = Noise(0.1, size_of_y=1.0, least_size=1.0)
    found = parting(expression("x"), expression("1.2 * x"), X, noise)
    assert found.times_noise == pytest.approx(2.0)
    assert noise.at(np.array([0.0])) == pytest.approx(0.1)  # below the data, errors do not shrink


def test_forms_of_several_inputs_differ_at_a_row():
    rows = np.random.default_rng(0).uniform(1.0, 3.0, (30, 3))
    found = parting(expression("a * b", TWO), expression("a * b + (a - 1)^8 / 200", TWO), rows, NOISE)
    row = rows[np.argmax(rows[:, 0])]
    assert not found.is_beyond and list(found.where) == ["a", "b"]
    assert found.where["a"] == (row[0], row[0]) and found.where["b"] == (row[1], row[1])


def test_forms_of_several_inputs_differ_outside_the_rows():
    rows = np.random.default_rng(0).uniform(1.0, 3.0, (30, 3))
    found = parting(expression("a * b", TWO), expression("a * b + exp(20 * (a - 3.3))", TWO), rows, NOISE)
    assert found.is_beyond and found.is_seen and found.where["a"][0] > rows[:, 0].max()


def test_where_a_form_is_undefined_nothing_is_compared():
    found = parting(expression("1"), expression("1 + 0 * sqrt(x - 2)"), X, NOISE)
    assert not found.is_seen


def test_constant_forms_differ_nowhere():
    assert parting(expression("1"), expression("2"), X, NOISE) is None


def test_other_forms_state_where_they_differ():
    x = np.linspace(0.3, 9.0, 12)
    y = 7.3 * x / (1.9 + x) * (1.0 + 0.04 * np.random.default_rng(3).normal(size=12))
    engine = Engine(ONE, x[:, None], y)
    texts = ("7.3 * x / (1.9 + x)", "6.1 * (1 - exp(-0.5 * x))", "2.1 * x^0.5")
    found = select([expression(text) for text in texts], engine)
    forms = forms_of(found, engine)
    chosen = form_of(found[0].expression, found[0].nrmse, forms)
    assert chosen is not None and chosen.parting is None
    assert all(form.parting is not None for form in forms if form is not chosen)


@pytest.mark.parametrize("ends", [(1e-3, 1e308), (-1.0, 1e308), (1.0, 1.7e308), (0.0, 1e308), (-1e308, 1.0)])
def test_points_beyond_huge_values_are_finite(ends):
    assert all(np.isfinite(points).all() for points in _points(np.array(ends)))
