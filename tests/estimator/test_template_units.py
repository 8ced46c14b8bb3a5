"""Units together with templates: what fills a hole has the unit that the template demands."""

import pickle

import numpy as np
import pandas as pd
import pytest

from ddsr import DDSRRegressor, Expression, Vocabulary
from ddsr.data.units import Units
from ddsr.engine import core_units
from ddsr.errors import TemplateError
from ddsr.estimator.template_units import with_template
from ddsr.expression.operators import OPERATORS, TEMPLATE
from ddsr.expression.template_parser import parse_template
from ddsr.expression.tree import Node
from ddsr.grammar import Grammar
from unit_cases import holds_in_all_units

pytest.importorskip("pint")
UNITS = {"m": "kg", "v": "m/s", "w": "m/s", "h": "m", "g": "m/s^2", "n": "", "t": "s"}
NAMES = list(UNITS)
TABLE = pd.DataFrame(np.random.default_rng(0).uniform(1.0, 3.0, size=(60, len(NAMES))), columns=NAMES)
ENERGY = 0.5 * TABLE.m * TABLE.v**2 + TABLE.m * TABLE.g * TABLE.h
BRIEF = {
    "max_epochs": 1,
    "random_state": 0,
    "prior": None,
    "model_selection": "best",
    "config": {"evaluations_per_epoch": 400, "max_length": 15},
}


def grammar_of(text: str, target: str, n_constants: int = 0) -> Grammar:
    template = parse_template(text, NAMES)
    vocabulary = Vocabulary(NAMES, ("+", "-", "*", "/", "^", "exp", "sqrt"), template=template)
    units = with_template(Units.read(NAMES, UNITS, target, n_constants=n_constants), template)
    return Grammar(vocabulary, 30, 10, units=core_units(units))


def is_consistent(grammar: Grammar, *parts: str) -> bool:
    trees = [Expression.parse(part, grammar.vocabulary.of_parts).tree for part in parts]
    filled = Expression.from_tree(grammar.vocabulary, Node.operator(TEMPLATE, *trees))
    return grammar.check(filled.tokens, filled.constants) is None


@pytest.mark.parametrize(
    ("template", "target", "parts", "agrees"),
    [
        ("m * f(v)", "J", ["v * v"], True),
        ("m * f(v)", "J", ["v^2.0"], True),
        ("m * f(v)", "J", ["v^3.0"], False),
        ("m * f(v)", "J", ["v * v + 2.0"], False),
        ("f(m, v) * q(g, h)", "J", ["m", "g * h"], True),
        ("f(m, v) * q(g, h)", "J", ["m * v", "g * h"], False),
        ("f(m, v) * q(g, h)", "J", ["m * v / 2.0", "sqrt(g * h)"], True),
        ("A * f(v)", "J", ["2.0", "v"], True),
        ("A * f(v) + B * q(v)", "J", ["2.0", "2.0", "v", "v * v"], True),
        ("m * (f(v) + A) ^ 2", "J", ["2.0", "v"], True),
        ("m * (f(v) + A) ^ 2", "J", ["2.0", "v * v"], False),
        ("m * (f(v) - f(w)) * q(v)", "J", ["v", "v"], True),
        ("m * (f(v) - f(w)) * q(v)", "J", ["v", "v * v"], False),
        ("exp(f(v, w)) * m", "kg", ["v / w"], True),
        ("exp(f(v, w)) * m", "kg", ["v * w"], False),
        ("sign(f(v)) * m", "kg", ["v"], True),
        ("max(f(v), 0) * m", "kg*m/s", ["v"], True),
        ("h ^ (1 / 2) * f(h, g)", "m/s", ["sqrt(g)"], True),
    ],
)
def test_parts_agree_as_the_template_demands(template, target, parts, agrees):
    assert is_consistent(grammar_of(template, target), *parts) is agrees


def test_constants_within_a_function_may_have_a_unit():
    none, one = (grammar_of("A * exp(f(t, n))", "m", n_constants=n) for n in (0, 1))
    assert is_consistent(none, "1.0", "2.0 * n") and not is_consistent(none, "1.0", "2.0 * t")
    assert is_consistent(one, "1.0", "2.0 * t")
    assert not is_consistent(one, "1.0", "2.0 * t + exp(3.0 * t)")


@pytest.mark.parametrize(
    ("template", "target", "said"),
    [
        ("A * f(t) + m + v", "J", r"in A \* f\(t\) \+ m \+ v, .* has the unit kg, but v has m/s"),
        (
            "m + v * f(n)",
            "kg",
            r"f\(n\) cannot have the unit that is needed here, kg/.m/s.",
        ),
        ("exp(m) * f(v)", "J", "exp needs a number, but m has the unit kg"),
        (
            "m ^ A * f(v)",
            "J",
            "the base must be a number, but m has the unit kg",
        ),
        ("2 ^ m * f(v)", "J", "the exponent must be a number, but m has the unit kg"),
        ("m * v + 0 * f(v)", "J", "the whole has the unit J/.m/s., but y has J"),
        ("m * (f(v) - f(h))", "kg", r"f is used with v \[m/s\] and with h \[m\]"),
        (
            "m * exp(-f(t))",
            "kg",
            r"f\(t\) cannot have .* that of a number: .* t \[s\] .* unit_constants=1",
        ),
        ("f(v) * m", "K", r"f\(v\) cannot have the unit"),
    ],
)
def test_templates_whose_units_cannot_agree_are_refused(template, target, said):
    with pytest.raises(TemplateError, match=said):
        grammar_of(template, target)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_act_on_units_as_in_the_core(name):
    """The equations of a template and the check of an equation know the same laws."""
    operands = ["h", "2.0"] if name == "pow" else ["h"] * OPERATORS[name].arity
    text = f"{operands[0]} ^ 2.0" if name == "pow" else f"{name}({', '.join(operands)})"
    vocabulary = Vocabulary(NAMES, tuple(OPERATORS))
    for target in ("m", "", "m^2", "m^3", "m^0.5", "1/m"):
        units = Units.read(NAMES, UNITS, target)
        plain = Expression.parse(text, vocabulary)
        grammar = Grammar(vocabulary, 30, 10, units=core_units(units))
        in_core = grammar.check(plain.tokens, plain.constants) is None
        solved = True
        try:
            with_template(units, parse_template(f"{text} + 0 * f(h)", NAMES))
        except TemplateError:
            solved = False
        assert solved is in_core, target


@pytest.mark.parametrize("template", ["m * f(v, g, h)", "f(m, v) * q(v, g, h)", "m * f(v) + q(m, g, h)"])
def test_nothing_inconsistent_is_listed(template):
    model = DDSRRegressor(template=template, units=UNITS, y_units="J", **BRIEF).fit(TABLE, ENERGY)  # type: ignore[arg-type]
    units = Units.of(NAMES, UNITS, "J")
    assert all(holds_in_all_units(entry.equation, units) for entry in model.front_)
    copy = pickle.loads(pickle.dumps(model))
    assert np.array_equal(copy.predict(TABLE), model.predict(TABLE))


def test_constants_of_a_template_have_units():
    y = 3.0 * TABLE.h / (1.5 + TABLE.t)
    model = DDSRRegressor(template="A * h / (B + t)", units=UNITS, y_units="m").fit(TABLE, y)
    table = model.confidence_intervals()
    assert sorted(table["unit"]) == ["s", "s"] and sorted(table["value"].round(6)) == [1.5, 3.0]
