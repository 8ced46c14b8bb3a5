"""The price of a filled template: the whole formula, in which constants that others make up for cost."""

from math import isfinite

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Expression, Node, Vocabulary
from ddsr.expression.operators import TEMPLATE
from ddsr.expression.template_parser import parse_template
from ddsr.price.description_length import DescriptionLength, n_redundant, nats_of_structure
from ddsr.price.model import Model

S = np.linspace(0.3, 12.0, 25)
RATE = 7.3 * S / (1.9 + S) + 0.05 * np.random.default_rng(0).normal(size=25)


def filled(template: str, *parts: str) -> Expression:
    vocabulary = Vocabulary(["S"], ["+", "*", "/", "exp"], template=parse_template(template, ["S"]))
    trees = [Expression.parse(part, vocabulary.of_parts).tree for part in parts]
    return Expression.from_tree(vocabulary, Node.operator(TEMPLATE, *trees))


def length(expression: Expression) -> float:
    engine = Engine(expression.vocabulary, S[:, None], RATE)
    scores = engine.refit([expression])
    found = Model(scores.batch[0], (False,) * expression.n_constants)
    return DescriptionLength.on(engine)(found, float(scores.nrmse[0]), scores.information[0])


@pytest.mark.parametrize("filling", ["?c * S", "?c + S", "?c + ?c * S", "S / ?c"])
def test_a_constant_that_others_make_up_for_does_not_pay(filling: str) -> None:
    plain = filled("V * S / (K + f(S))", "7", "2", "S")
    redundant = filled("V * S / (K + f(S))", "7", "2", filling.replace("?c", "1.5"))
    assert length(plain) < length(redundant) - 5.0


def test_redundant_constants_are_counted() -> None:
    expression = filled("V * S / (K + f(S))", "7", "2", "1.5 + 1.5 * S")
    engine = Engine(expression.vocabulary, S[:, None], RATE)
    scores = engine.refit([expression])
    model = Model(scores.batch[0], (False,) * 4)
    assert n_redundant(model, scores.information[0]) == 2
    assert n_redundant(Model(model.expression.expanded, (False,) * 4), scores.information[0]) == 0


@pytest.mark.parametrize("part", ["S", "1.5 * S", "exp(1.5 * S)"])
def test_every_filling_has_a_finite_price(part: str) -> None:
    expression = filled("V * f(S)", "7", part)
    assert isfinite(nats_of_structure(expression, (False,) * expression.n_constants))


def test_a_function_that_is_used_twice_is_paid_for_once() -> None:
    once = filled("f(S) + A", "exp(S) + S", "1")
    twice = filled("f(S) * f(S) + A", "exp(S) + S", "1")
    few, more = (nats_of_structure(each, (False,)) for each in (once, twice))
    alone = nats_of_structure(Expression.parse("exp(S) + S", once.vocabulary.plain), ())
    assert more - few < alone
