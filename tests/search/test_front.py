import numpy as np

from ddsr.engine import Engine, FitOptions, values
from ddsr.expression import Expression, Vocabulary
from ddsr.search.front import FrontEntry, ParetoFront
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(100, 3))


def scores_of(texts, y):
    written = [Expression.parse(text, PLAIN) for text in texts]
    return Engine(PLAIN, X, y, options=FitOptions(max_steps=0)).score(written)


def test_larger_must_be_better():
    y = X[:, 0] * X[:, 1] + 0.3 * np.sin(X[:, 2])
    texts = ["x", "y", "x * y", "x * y + z", "x * y + sin(z)", "x * y + 0.3 * sin(z)", "x - x", "log(x - z)"]
    front = ParetoFront().merge(scores_of(texts, y))
    errors = [entry.nrmse for entry in front]
    sizes = [entry.size for entry in front]
    assert errors == sorted(errors, reverse=True) and len(set(errors)) == len(errors)
    assert sizes == sorted(set(sizes))
    assert str(front.entries[-1].expression) == "x * y + 0.3 * sin(z)"
    assert all(np.isfinite(errors))


def test_merging_is_the_same_in_parts_and_at_once():
    y = X[:, 0] / X[:, 1]
    texts = ["x", "z", "x * y", "x / y", "x - y", "x / (y + z)", "sin(x)", "x + y + z"]
    whole = ParetoFront().merge(scores_of(texts, y))
    parts = ParetoFront().merge(scores_of(texts[:3], y)).merge(scores_of(texts[3:], y))
    assert [entry.nrmse for entry in whole] == [entry.nrmse for entry in parts]
    assert parts.merge(scores_of(texts, y)) == whole


def test_noise_does_not_buy_complexity():
    noise = np.random.default_rng(1).normal(size=100)
    y = X[:, 0] * X[:, 1] * (1 + 0.05 * noise)
    texts = ["x * y", "x * y * 1.0005", "x * y + 0.001 * z", "x * y + 0.01 * sin(z) - 0.002 * x", "x + y"]
    front = ParetoFront().merge(scores_of(texts, y))
    assert str(front.best(len(X)).expression) == "x * y"


def test_scale_and_offset_are_part_of_the_equation():
    bare = Vocabulary(("x", "y", "z"), ("sin",), has_constant=False)
    y = 2.5 * np.sin(X[:, 0]) - 4
    engine = Engine(bare, X, y, options=FitOptions(is_scale_free=True))
    entry = ParetoFront().merge(engine.score([Expression.parse("sin(x)", bare)])).entries[0]
    assert entry.equation.text(precision=4) == "2.5 * sin(x) + -4"
    np.testing.assert_allclose(values([entry.equation], X)[0][0], y, rtol=1e-12)
    unscaled = ParetoFront().merge(Engine(bare, X, y).score([entry.expression])).entries[0]
    assert unscaled.equation is unscaled.expression


def test_the_most_accurate_is_the_smallest_of_the_exact_ones():
    front = ParetoFront(
        tuple(
            FrontEntry(Expression.parse(text, PLAIN), nrmse, 1.0, 0.0)
            for text, nrmse in (("x", 0.5), ("x * y", 3e-16), ("x * y * 1", 1e-16))
        )
    )
    assert front.most_accurate().size == 3


def test_the_gain_of_a_front_is_its_largest_fall_in_error():
    def front(*points):
        texts = {1: "x", 3: "x * y", 5: "x * y + z"}
        return ParetoFront(
            tuple(FrontEntry(Expression.parse(texts[size], PLAIN), nrmse, 1.0, 0.0) for size, nrmse in points)
        )

    known = front((1, 0.5), (3, 0.25))
    assert known.gain_over(known) == 0.0
    assert front((1, 0.5)).gain_over(ParetoFront()) == np.log(2)
    # at one and two tokens half the error, at three the same
    assert np.isclose(front((1, 0.25)).gain_over(known), 2 * np.log(2))
    # a larger one counts from its size on
    assert np.isclose(front((1, 0.5), (3, 0.25), (5, 0.125)).gain_over(known), np.log(2))
    # errors below rounding are not distinguished
    assert front((1, 1e-14)).gain_over(front((1, 1e-13))) == 0.0
    assert ParetoFront().gain_over(ParetoFront()) == 0.0


def test_an_entry_is_shown_by_its_equation_and_error():
    entry = FrontEntry(Expression.parse("281.41111 * x", PLAIN), 0.00049)
    assert repr(entry) == "FrontEntry('281.4 * x', nrmse=0.00049)"


def test_a_model_scaled_by_zero_is_its_offset():
    entry = FrontEntry(Expression.parse("x", PLAIN), 1.0, 0.0, 2.5)
    assert entry.equation.text() == "2.5"


def test_as_many_constants_as_rows_do_not_make_a_fit_exact():
    line = FrontEntry(Expression.parse("2.5 * x^1.5", PLAIN), 1e-15, 1.0, 0.0)
    assert line.is_exact(1e-12, 4) and not line.is_exact(1e-12, 3)
    assert not line.is_exact(1e-16, 1000)
    fixed = FrontEntry(Expression.parse("2.5 * x^1.5", PLAIN), 1e-15, 1.0, 0.0, (True, False))
    assert fixed.is_exact(1e-12, 3)
    scaled = FrontEntry(Expression.parse("x^1.5", PLAIN), 1e-15, 2.5, 0.3)
    assert scaled.is_exact(1e-12, 5) and not scaled.is_exact(1e-12, 4)
