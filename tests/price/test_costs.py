"""Costs that a user charges for operators and variables."""

import numpy as np
import pytest

from ddsr import DDSRRegressor, Engine, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.price.costs import cost_of
from ddsr.price.description_length import DescriptionLength
from ddsr.price.enumeration import CheapForms
from ddsr.price.model import Model
from ddsr.price.table_code import TableCode
from ddsr.search.contributors.evolution import Refiner

VOCABULARY = Vocabulary(("x", "z"), ("+", "*", "sin"))
COSTS = {"sin": 3.0, "z": 0.5}
X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 2))
Y = np.sin(X[:, 0]) + 0.1 * X[:, 1] ** 2


def parse(text: str) -> Expression:
    return Expression.parse(text, VOCABULARY)


def test_each_use_costs():
    assert cost_of(parse("sin(x) * sin(z) + z"), COSTS) == 7.0
    assert cost_of(parse("x + 1"), COSTS) == cost_of(parse("sin(x)"), {}) == 0.0


def test_description_lengths_rise_by_the_cost():
    plain, charged = Engine(VOCABULARY, X, Y), Engine(VOCABULARY, X, Y, costs=COSTS)
    model = Model.free(parse("2.5 * sin(x) + z"))
    information = np.eye(1)
    lengths = [DescriptionLength.on(engine)(model, 0.5, information) for engine in (plain, charged)]
    assert lengths[1] - lengths[0] == pytest.approx(3.5)
    assert DescriptionLength.on(charged.reweighted(None))(model, 0.5, information) == lengths[1]


def test_plain_forms_cost_more():
    forms = []
    for costs in ({}, COSTS):
        engine = Engine(VOCABULARY, X, Y, costs=costs)
        forms.append(CheapForms(engine, TableCode.shipped(), 9.0, 60).fit(n_starts=1, max_steps=5))
    assert any(cost_of(form.expression, COSTS) for form in forms[0])
    for plain, charged in zip(*forms, strict=True):
        assert charged.expression == plain.expression
        assert charged.nats == pytest.approx(plain.nats + cost_of(plain.expression, COSTS))


def test_the_shortlist_of_evolution_counts_costs():
    engine = Engine(VOCABULARY, X, Y, costs={"sin": 1e6})
    refiner = Refiner(engine, Grammar(VOCABULARY))
    refiner.run(evaluations=600)
    uses = [VOCABULARY.token("sin") in each.tokens for each in refiner.shortlist().batch]
    assert uses == sorted(uses)  # shortest first: those without a sine


def test_a_high_cost_decides():
    parameters = {"max_epochs": 1, "random_state": 0, "operators": ("+", "*", "sin"), "prior": None}
    config = {"evaluations_per_epoch": 500, "max_length": 8}
    found = []
    for costs in ({}, {"operator_costs": {"sin": 1e4}}):
        model = DDSRRegressor("ddsr:generator=none", config=config | costs, **parameters).fit(X, Y)
        found.append("sin" in model.get_best()["equation"])
    assert found[1] is False
