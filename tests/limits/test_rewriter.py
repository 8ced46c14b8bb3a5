"""What comes of expressions whose constants a fit has driven to a limit."""

import numpy as np
import pytest
from hypothesis import given

from ddsr.engine import Engine, FitOptions
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import AtMost, Grammar
from ddsr.limits import LimitRewriter, rewritten
from ddsr.limits.rewriter import find_sites, identity
from strategies import FULL, PLAIN, expressions, mild_floats

POINTS = Vocabulary(("a", "b", "c", "d"))
X = np.random.default_rng(0).uniform(1.0, 5.0, size=(128, 4))
DISTANCE = "sqrt(2 - cos(0.0002 * (a - b)) - cos(0.0002 * (c - d)))"


def proposals(text, vocabulary=POINTS, **options):
    expression = Expression.parse(text, vocabulary)
    rows = X[:, : len(vocabulary.variables)]
    return rewritten(expression, rows, Grammar(vocabulary), positive=vocabulary.variables, **options)


@pytest.mark.parametrize(
    ("imitation", "truth"),
    [
        (DISTANCE, "sqrt((a - b)^2 + (c - d)^2)"),
        ("sqrt(2 - cos(0.0002 * (a - b)) - cos(0.00021 * (c - d)))", "sqrt(? * (a - b)^2 + (c - d)^2)"),
        ("cos(0.003 * a / b)^101803", "exp(-0.4 * (a / b)^2)"),
        ("(1 - 1e-4 * a * b)^9000", "exp(-0.9 * a * b)"),
        ("log(exp(2 * a) + 0.01)", "a"),
        ("a^0.0004", "log(a)"),
        ("log(1 + 0.003 * a * b) / c", "a * b / c"),
        ("exp(0.001 * a * b)", "a * b"),
        ("sin(0.01 * a) * b", "a * b"),
        ("a / (1000 + b)", "a"),
        ("a * b^2.001", "a * b^2"),
        ("a * b^0.4998", "a * sqrt(b)"),
        ("sqrt(a^2 + 0.001 * b)", "a"),
        ("exp(b) * 1.001^(a * c)", "exp(b + 0.001 * (a * c))"),
    ],
)
def test_the_truth_is_among_the_proposals(imitation, truth):
    """Fitted with scale and offset free, the two can then be told apart by size alone."""
    keys = {each.key for each in proposals(imitation)}
    assert Expression.parse(truth, POINTS).key in keys


def test_proposals_go_on_from_the_constants_that_were_fitted():
    bell = min(proposals("cos(0.003 * a / b)^101803"), key=len)
    assert min(bell.constants) == pytest.approx(-0.5 * 0.003**2 * 101803)


def test_constants_come_out_in_the_range_that_the_refiner_takes():
    """Parabolas alone are of the size 1e-8."""
    (distance,) = (each for each in proposals(DISTANCE) if "cos" not in each.text())
    assert all(1e-4 < abs(value) < 1e4 for value in distance.constants)


def test_scale_and_offset_stay_where_they_are_not_free():
    imitation = Expression.parse("exp(0.001 * a * b)", POINTS)
    found = rewritten(imitation, X, Grammar(POINTS), is_scale_free=False)
    assert found
    for each in found:
        assert each.to_callable()(X) == pytest.approx(imitation.to_callable()(X), abs=1e-3)


def test_waves_may_stand_for_squares_far_from_their_crest():
    """cos(a - b) with a - b up to 4 is no parabola, but as symmetric."""
    (found,) = proposals("c * cos(a - b)")
    assert found.text(2) == "c * (1 - 0.27 * (a - b)^2)"
    (site,) = find_sites(Expression.parse("cos(a - b)", POINTS), X)
    assert site.kind == "symmetric" and 0.15 < site.remainder < 0.6
    kinds = [site.kind for site in find_sites(Expression.parse("cos(0.1 * (a - b))", POINTS), X)]
    assert "parabola" in kinds and "symmetric" not in kinds


def test_far_from_every_limit_nothing_is_proposed():
    assert proposals("sin(a * b) / c") == []
    assert find_sites(Expression.parse("a", POINTS), X) == []


@pytest.mark.parametrize("vocabulary", [PLAIN, FULL], ids=["default", "all"])
def test_proposals_obey_the_grammar(vocabulary):
    rows = X[:, :3]
    grammar = Grammar(vocabulary, max_length=12, max_constants=2, rules=(AtMost("x", 1),))

    @given(expressions(vocabulary, constants=mild_floats))
    def check(expression):
        for each in rewritten(expression, rows, grammar):
            assert grammar.check(each.tokens) is None
            assert each.variables_used

    check()


def test_whole_exponents_are_part_of_the_identity():
    near, square, other = (Expression.parse(f"x^{p}", PLAIN) for p in (2.01, 2.0, 2.3))
    assert identity(near) == identity(other) != identity(square)


def rewriter():
    return LimitRewriter(X, Grammar(POINTS))


FOUND = Batch.of(
    Expression.parse(text, POINTS) for text in ("a", "exp(0.001 * a)", "cos(0.02 * b)", DISTANCE)
)


def test_nothing_is_rewritten_twice():
    limits = rewriter()
    first = limits.proposals(FOUND, 10)
    assert len({identity(each) for each in first}) == len(first) >= 3
    assert limits.proposals(FOUND, 10) == []
    # nor what came of it
    assert limits.proposals(Batch.of(first), 10) == []


def test_the_largest_come_first_and_the_others_later():
    limits, at_once = rewriter(), rewriter().proposals(FOUND, 10)
    first, *later = (limits.proposals(FOUND, 1) for _ in range(5))
    assert "sqrt((a - b)^2 + (c - d)^2)" in [each.text(3) for each in first]
    assert {*map(identity, at_once)} <= {identity(each) for turn in (first, *later) for each in turn}
    assert later[-1] == []


def test_what_was_rewritten_is_saved():
    limits, again = rewriter(), rewriter()
    limits.proposals(FOUND, 2)
    again.restore(limits.saved())
    assert again.seen == limits.seen != set()
    assert again.proposals(FOUND, 10) == limits.proposals(FOUND, 10)
    again.restore(rewriter().saved())
    assert again.seen == set()


def test_fitted_proposals_are_exact():
    """From the fit of an imitation to the truth, without any search."""
    y = 3.0 * np.sqrt((X[:, 0] - X[:, 1]) ** 2 + (X[:, 2] - X[:, 3]) ** 2) - 1.0
    options = FitOptions(max_steps=50, is_scale_free=True, tolerance=1e-14)
    engine = Engine(POINTS, X, y, options=options)
    imitated = engine.score([Expression.parse(DISTANCE, POINTS)])
    assert imitated.nrmse[0] > 1e-10
    assert min(engine.score(rewritten(imitated.batch[0], X, Grammar(POINTS))).nrmse) < 1e-12
