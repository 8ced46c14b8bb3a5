import numpy as np
import pytest

from ddsr.data.dataset import Dataset
from ddsr.data.units import Units
from ddsr.engine import Engine, FitOptions, core_units
from ddsr.errors import GrammarError
from ddsr.expression import Expression, Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting
from ddsr.grammar.listing import Listing
from ddsr.search.baseline import baseline
from ddsr.search.front import ParetoFront
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


@pytest.mark.parametrize(
    "rules",
    [
        [MustAppear("x", "z")],
        [Forbid("mul", on="x"), Forbid("mul", on="y"), Forbid("mul", on="z")],
        [AtMost("?", 0)],
        [MustAppear("x", "y", "z"), AtMost("?", 0), AtMost(("add", "mul"), 0)],
    ],
)
@pytest.mark.parametrize("is_scale_free", [False, True])
def test_nothing_breaks_the_rules(rules, is_scale_free):
    engine = Engine(PLAIN, X, X[:, 0], options=FitOptions(is_scale_free=is_scale_free))
    found = baseline(engine, Grammar(PLAIN, rules=rules))
    listing = Listing(Grammar(PLAIN, rules=rules))
    assert len(found) and all(listing.allows(entry.equation) for entry in found)


def test_lines_are_not_longer_than_the_search_allows():
    assert max(entry.size for entry in baseline_of(X[:, 0] + 1, max_length=4)) <= 4


def test_rules_that_no_finite_expression_obeys_are_refused():
    bare = Vocabulary(("x", "y"), ("log", "mul"), has_constant=False)
    rules = [Nesting("mul", ("x", "y")), MustAppear("x", "y")]
    with pytest.raises(GrammarError):
        baseline(Engine(bare, -X[:, :2], X[:, 0]), Grammar(bare, rules=rules))


def test_there_is_a_model_without_arithmetic_or_constants():
    bare = Vocabulary(("x", "y", "z"), ("sin",), has_constant=False)
    assert baseline_of(X[:, 2], bare).most_accurate().nrmse < 1e-12
    assert len(baseline_of(X[:, 2], bare, X=1e200 * X)) == 1


@pytest.mark.parametrize("rules", [(), (Forbid("mul", on="x1"),), (Forbid("add", on="x0"),)])
def test_scoring_columns_together_and_alone_agrees(rules):
    """Thousands of columns are scored in one call, which gives the best of all allowed lines."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 4))
    engine = Engine(Vocabulary(("x0", "x1", "x2", "x3"), ("add", "mul")), X, X @ [0.5, 2.0, 1.0, 0.1])
    grammar = Grammar(engine.vocabulary, rules=rules)
    texts = ["1", "?", *(form.format(k) for k in range(4) for form in ("x{}", "? * x{}", "? * x{} + ?"))]
    lines = [Expression.parse(text, engine.vocabulary) for text in texts]
    allowed = [line for k, line in enumerate(lines) if k < 2 or grammar.check(line.tokens) is None]
    expected = ParetoFront().merge(engine.score(allowed))
    assert [(each.size, each.nrmse) for each in baseline(engine, grammar)] == [
        (each.size, each.nrmse) for each in expected
    ]


def test_units_that_the_operators_cannot_make_are_refused():
    pytest.importorskip("pint")
    units = Units.of(["m", "v"], {"m": "kg", "v": "m/s"}, "J")
    vocabulary, rows = (
        Vocabulary(["m", "v"], ["+", "sin"]),
        np.random.default_rng(0).uniform(1.0, 2.0, (20, 2)),
    )
    data = Dataset.of(rows, rows[:, 0] * rows[:, 1] ** 2, names=vocabulary.variables, units=units)
    engine = Engine(vocabulary, data)
    with pytest.raises(GrammarError, match=r"at most 9 tokens with the operators add, sin has the unit 'J'"):
        baseline(engine, Grammar(vocabulary, 9, 3, (), core_units(units)))
