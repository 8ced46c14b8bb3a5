"""Equations are shortened on some rows and fitted to all."""

import numpy as np
import pytest

from ddsr.data.weighting import Observations
from ddsr.engine import Engine
from ddsr.estimator.fit import SHORTENED
from ddsr.expression import Expression, Vocabulary
from ddsr.search.front import FrontEntry
from ddsr.selection import many_rows
from ddsr.selection.many_rows import select_on_some, some_of
from ddsr.selection.select import front_of

NAMES = Vocabulary(("x", "y"))
X = np.random.default_rng(0).uniform(1.0, 4.0, size=(60_000, 2))
Y = 2.0 * X[:, 0] * X[:, 1] + np.random.default_rng(1).normal(scale=0.1, size=len(X))
CANDIDATES = [
    Expression.parse(text, NAMES) for text in ("1.98 * x * y + 0.01", "5 * x + 5 * y - 12", "x * y^1.3 + x")
]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine(NAMES, X, Y)


def test_the_number_of_rows_depends_on_the_time(engine):
    few, more = (some_of(Observations(X, Y, None), engine, seconds) for seconds in (0.0, 4.0))
    assert few is not None and more is not None and few.n_rows < more.n_rows < engine.n_rows
    assert some_of(Observations(X, Y, None), engine, 60.0) is None
    assert some_of(Observations(X, Y, None), engine, np.inf) is None


def test_rows_of_weight_zero_are_not_sampled(engine):
    weights = np.ones(len(X))
    weights[::2] = 0.0
    some = some_of(Observations(X, np.where(weights > 0.0, Y, 1e6), weights), engine, 0.0)
    assert some is not None and some.spread < 100.0


def test_the_choice_is_fixed_and_measured_on_all_rows(engine):
    some = some_of(Observations(X, Y, None), engine, 0.0)
    found = select_on_some(CANDIDATES, engine, *SHORTENED, some=some)
    assert found[0].expression.text() == "2 * x * y"
    errors = Y - 2.0 * X[:, 0] * X[:, 1]
    assert found[0].nrmse == pytest.approx(np.sqrt(np.mean(errors**2)) / Y.std(), rel=1e-9)
    assert len(found) == 3


def test_constants_that_stay_free_are_those_of_all_rows(engine):
    y = 1.2345 * X[:, 0] * X[:, 1] + np.random.default_rng(1).normal(scale=0.1, size=len(X))
    whole, some = Engine(NAMES, X, y), some_of(Observations(X, y, None), engine, 0.0)
    found = select_on_some(CANDIDATES[:1], whole, *SHORTENED, some=some)[0]
    product = X[:, 0] * X[:, 1]
    (constant,) = found.expression.constants
    assert constant == pytest.approx((product @ y) / (product @ product), rel=1e-9)


def test_after_the_deadline_one_equation_is_fitted_to_all_rows(engine, monkeypatch):
    monkeypatch.setattr(many_rows, "LATE_SECONDS", 600.0)  # on any machine
    some = some_of(Observations(X, Y, None), engine, 0.0)
    found = select_on_some(CANDIDATES, engine, *SHORTENED, some=some, deadline=0.0)
    assert len(found) == 1 and found[0].nrmse < 0.05


def test_without_time_equations_are_listed_unchanged(engine):
    some = some_of(Observations(X, Y, None), engine, 0.0)
    found = select_on_some(CANDIDATES, engine, *SHORTENED, some=some)[:1]
    line, twin = Expression.parse("x", NAMES), Expression.parse("x * y", NAMES)
    better = FrontEntry(Expression.parse("x * y + y / x", NAMES), found[0].nrmse / 2, 1.9, 0.1)
    left_out = [
        FrontEntry(line, 0.7, 1.0, 0.0),
        FrontEntry(twin, found[0].nrmse * 0.9999, 1.9999, 1e-3),
        better,
    ]
    front, chosen = front_of(found, left_out)
    assert chosen.equation.text() == "2 * x * y"
    assert [entry.equation for entry in front] == [line, chosen.equation, better.equation]
