"""Engines with limits: values are checked on grids, and fits keep constants within their range."""

import numpy as np
import pytest

from ddsr import Engine, Expression, FitOptions, FitStatus, GrammarError, Vocabulary
from ddsr.grammar.limits import allow_offset, check_values, limits_of
from ddsr.grammar.rules import read_rules

RNG = np.random.default_rng(0)
VOCABULARY = Vocabulary(("x", "z"), ("+", "-", "*", "/", "^", "exp", "log", "sin"))
X = RNG.uniform(0.5, 4.0, size=(60, 2))
Y = 2.0 * X[:, 0] + X[:, 1]


def engine(*rules: str, y: np.ndarray = Y, rows: np.ndarray = X, **options: object) -> Engine:
    read = read_rules(list(rules))
    return Engine(
        VOCABULARY,
        rows,
        y,
        limits=limits_of(read, VOCABULARY, rows, y),
        has_offset=allow_offset(read),
        options=FitOptions(**options),
    )


@pytest.mark.parametrize(
    ("rule", "obey", "broken"),
    [
        ("increasing in x", ["x - z", "3", "x^3.0", "z", "log(x)"], ["z - x", "sin(x)", "(x - 1)^2"]),
        ("decreasing in x", ["z - x", "1 / x", "exp(-2 * x)"], ["x", "sin(20 * x)"]),
        ("convex in x", ["x^2", "exp(x)", "x", "-1 * log(x)"], ["log(x)", "sin(x)", "x^3 - 6 * x^2"]),
        ("concave in x", ["log(x)", "x^0.5", "x"], ["x^2", "exp(x)"]),
        ("zero at x = 0", ["x * z", "sin(x)", "x / (1 + x)"], ["x + 0.001", "exp(x)", "1 / x", "sin(x) / x"]),
        ("y from 0 to 20", ["x * z", "20 * sin(x)^2", "5"], ["x * z * 3", "x - z", "21"]),
        ("y at least 0", ["x * z * 3"], ["x - 0.6"]),
        ("symmetric in x, z", ["x * z", "x + z", "(x - z)^2", "3"], ["x", "x - z", "x^2 * z"]),
    ],
)
def test_values_are_checked_between_the_rows(rule, obey, broken):
    checked = engine(rule)
    for text in obey:
        assert checked.is_finite(Expression.parse(text, VOCABULARY)), text
    for text in broken:
        assert not checked.is_finite(Expression.parse(text, VOCABULARY)), text


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        ("x / (x + 0.3)", True),
        ("sin(20 * x)", True),
        ("x * (x - 0.3)", True),
        ("x / (x - 5)", True),  # beyond the data
        ("x / (x - 0.3)", False),
        ("z * x / (x - 0.2345)", False),
        ("x * z^2 / (x^3 - 0.1)", False),
        ("x * log(x - 0.1)^2", False),
    ],
)
def test_there_is_no_pole_between_a_zero_and_the_data(text, is_allowed):
    assert engine("zero at x = 0").is_finite(Expression.parse(text, VOCABULARY)) is is_allowed


def test_a_zero_among_the_data_needs_no_more_lines():
    rows = X - 2.0
    limits = limits_of(read_rules("zero at x = 0"), VOCABULARY, rows, Y)
    assert limits is not None and limits.zero_points().shape == (60, 2)
    assert (limits.zero_points()[:, 0] == 0.0).all()


def test_a_dip_between_two_rows_is_found():
    rows = np.column_stack([np.linspace(0.0, 6.0, 7), np.ones(7)])
    wave = Expression.parse("x + 0.9 * sin(x * 6.283185307179586)", VOCABULARY)
    y = rows[:, 0] + 0.01 * RNG.normal(size=7)
    assert engine(rows=rows, y=y).is_finite(wave)
    assert not engine("increasing in x", rows=rows, y=y).is_finite(wave)


def test_a_broken_rule_is_a_reward_of_zero():
    scores = engine("increasing in x").score([Expression.parse("1 / x", VOCABULARY)])
    assert scores.reward[0] == 0.0 and scores.status[0] == FitStatus.NON_FINITE


def test_scale_and_offset_count():
    f = [Expression.parse("1 / x", VOCABULARY)]
    falling = engine("decreasing in x", is_scale_free=True)  # y rises with x, so that the scale is negative
    rising = engine("increasing in x", is_scale_free=True)
    assert np.isinf(falling.score(f).nrmse[0])
    assert np.isfinite(rising.score(f).nrmse[0])


def test_no_offset_is_fitted_where_it_would_break_a_rule():
    scores = engine("zero at x = 0", is_scale_free=True).score([Expression.parse("x * z", VOCABULARY)])
    assert np.isfinite(scores.nrmse[0]) and scores.offset[0] == 0.0 and scores.scale[0] != 1.0


def test_fits_keep_constants_within_their_range():
    line = Expression.parse("5 * x + 5 * z", VOCABULARY)
    scores = engine("constants from 0 to 1.5").refit([line])
    scale, slope = scores.batch[0].constants
    assert scale == 1.5
    rest = Y - 1.5 * X[:, 0]
    assert slope == pytest.approx((rest @ X[:, 1]) / (X[:, 1] @ X[:, 1]))


def test_exponents_stay_whole():
    y = X[:, 0] ** 2.2
    scores = engine("whole exponents", y=y).refit([Expression.parse("1.3 * x^1.8", VOCABULARY)])
    scale, exponent = scores.batch[0].constants
    assert exponent == 2.0 and scale != 1.3
    bound = engine("exponents from 0 to 2", y=y).refit([Expression.parse("1.3 * x^1.8", VOCABULARY)])
    assert bound.batch[0].constants[1] == 2.0


def test_a_fit_from_values_that_pass_ends_at_values_that_pass():
    y = 3.0 - X[:, 0]
    rising = engine("increasing in x", y=y)
    scores = rising.refit([Expression.parse("0.5 * x + 1.5", VOCABULARY)])
    _, slope = scores.batch[0].constants
    assert np.isfinite(scores.nrmse[0])
    assert -1e-9 < slope < 0.5


def test_rules_on_the_form_make_an_error_infinite():
    checked = engine("exponents constant", "at most 1 token below exp")
    texts = ["x^z", "exp(x * z)", "x^2.5", "exp(x)"]
    scores = checked.score([Expression.parse(text, VOCABULARY) for text in texts])
    assert np.isfinite(scores.nrmse).tolist() == [False, False, True, True]


def test_other_weights_keep_the_limits():
    reweighted = engine("increasing in x").reweighted(np.linspace(1.0, 2.0, len(X)))
    assert not reweighted.is_finite(Expression.parse("1 / x", VOCABULARY))


def test_without_such_rules_there_are_no_limits():
    assert limits_of(read_rules(["use x", "no sin below sin"]), VOCABULARY, X, Y) is None


def test_a_range_without_the_data_is_refused():
    check_values(read_rules("y from 0 to 3"), Y)
    with pytest.raises(GrammarError, match="rule 'y from -2 to -1': no value of y is in this range"):
        check_values(read_rules("y from -2 to -1"), Y)
