"""Units of expressions: what is consistent, what is not, and which exponents are part of the structure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr import Expression, Vocabulary, _core
from ddsr.data.units import Units
from ddsr.engine import core_units
from ddsr.expression import OPERATORS
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting, Rule
from ddsr.grammar.listing import Listing
from unit_cases import holds_in_all_units

pytest.importorskip("pint")
COLUMNS = {"m": "kg", "v": "m/s", "h": "m", "g": "m/s^2", "w": "m/s", "z": ""}
VOCABULARY = Vocabulary(list(COLUMNS), [name for name in OPERATORS if not name.startswith("own")])


def units_for(target: str, n_constants: int = 0) -> Units:
    return Units.of(list(COLUMNS), COLUMNS, target, n_constants=n_constants)


def grammar(target: str, n_constants: int = 0, max_length: int = 40) -> Grammar:
    return Grammar(VOCABULARY, max_length, 10, (), core_units(units_for(target, n_constants)))


def flaw(text: str, target: str, n_constants: int = 0) -> str | None:
    expression = Expression.parse(text, VOCABULARY)
    return grammar(target, n_constants).check(expression.tokens, expression.constants)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("m * v^2", "J"),
        ("2.5 * m * (v^2 - 3.1 * h * g)", "J"),
        ("sqrt(h * g)", "m/s"),
        ("v * sin(1 + h * g / v^2)", "m/s"),
        ("m * v * exp(-v^2 / (h * g))", "kg m/s"),
        ("(h * g)^0.5", "m/s"),
        ("(v / w)^z", ""),
        ("(v / w)^2.718", ""),
        ("z^0.37 + 1.5", ""),
        ("hypot(v, w)", "m/s"),
        ("max(v, w)", "m/s"),
        ("atan2(v, w)", ""),
        ("sign(m) * v", "m/s"),
        ("step(h) + z", ""),
        ("abs(v - w)", "m/s"),
        ("1 / v", "s/m"),
        ("inverse(v)", "s/m"),
        ("cube(v) / square(v)", "m/s"),
        ("m^0.3333333333333333", "kg^0.3333333333333333"),
        ("relu(v - w)", "m/s"),
        ("sqrt(sqrt(h))", "m^0.25"),
    ],
)
def test_laws_are_consistent(text, target):
    assert flaw(text, target) is None
    assert holds_in_all_units(Expression.parse(text, VOCABULARY), units_for(target))


@pytest.mark.parametrize(
    ("text", "target", "said"),
    [
        ("m + v", "kg", "add has operands of different units"),
        ("m * v^2 + 3", "J", "add has operands of different units"),
        ("v + 1.5", "m/s", "add has operands of different units"),
        ("sin(v)", "", "sin needs a number, but has something with a unit"),
        ("log(h)", "", "log needs a number"),
        ("exp(-h * z)", "", "exp needs a number"),
        ("v^w", "", "pow needs a fixed exponent or a base without a unit"),
        ("z^v", "", "pow needs a fixed exponent or a base without a unit"),
        ("v^0.123456", "m/s", "pow needs a fixed exponent"),
        ("m * v", "J", "the expression does not have the unit of the target"),
        ("z * 3", "m", "the expression does not have the unit of the target"),
        ("atan2(v, h)", "", "atan2 has operands of different units"),
        ("floor(v)", "m/s", "floor needs a number"),
        ("gamma(m)", "", "gamma needs a number"),
    ],
)
def test_what_is_not_consistent_is_named(text, target, said):
    assert said in str(flaw(text, target))


@pytest.mark.parametrize(
    ("text", "target", "needed"),
    [
        ("m * v^2 + 3", "J", 1),
        ("v + 1.5", "m/s", 1),
        ("sin(2 * v)", "", 1),
        ("3 * m", "J", 1),
        ("2 * sin(3 * h) + 1.5", "m", 3),
        ("2 * v / (1.5 + m) + 3", "m/s", 3),
        ("z + 2", "", 0),
    ],
)
def test_some_constants_may_have_units(text, target, needed):
    assert flaw(text, target, needed) is None
    if needed:
        assert flaw(text, target, needed - 1) is not None


def test_a_power_of_a_unit_is_unknown_without_its_exponent():
    expression = Expression.parse("v^2", VOCABULARY)
    rules = grammar("m^2/s^2")
    assert rules.check(expression.tokens, expression.constants) is None
    assert rules.check(expression.tokens) is not None
    tokens = np.array([expression.tokens], dtype=np.int16)
    assert rules.is_legal(tokens, constants=np.array([[2.0]])).tolist() == [True]
    assert rules.is_legal(tokens, constants=np.array([[1.0]])).tolist() == [False]
    assert rules.is_legal(tokens).tolist() == [False]


@pytest.mark.parametrize(
    ("text", "fixed"),
    [("2.5 * v^2", [0, 1]), ("3 * (v / w)^1.7", [0, 0]), ("4 * sqrt(v^2 + 2 * w^2)", [0, 1, 0, 1])],
)
def test_exponents_of_units_are_not_fitted(text, fixed):
    expression = Expression.parse(text, VOCABULARY)
    units = core_units(units_for({"2": "m^2/s^2", "3": "", "4": "m/s"}[text[0]]))
    tokens, constants = np.array([expression.tokens], dtype=np.int16), np.array([expression.constants])
    marked = _core.fixed_by_units(VOCABULARY.core, units, tokens, constants)[0].tolist()
    by_value = sorted(zip(expression.constants, marked, strict=True))
    assert [mark for _, mark in by_value if mark] == [1] * sum(fixed)
    assert all(value == 2.0 for value, mark in by_value if mark)


@given(st.integers(0, 10_000))
def test_every_random_expression_that_passes_holds_in_all_units(seed):
    """Few of the drawn expressions pass; their constants are numbers."""
    free = Grammar(VOCABULARY, 9, 3)
    units = units_for("m/s")
    rules = Grammar(VOCABULARY, 9, 3, (), core_units(units))
    tokens = free.sample(150, seed)
    for row in tokens[rules.is_legal(tokens, constants=np.full((150, 3), 2.0))]:
        length = int((row >= 0).sum())
        expression = Expression(VOCABULARY, row[:length].tolist())
        equation = expression.with_constants([2.0] * expression.n_constants)
        assert holds_in_all_units(equation, units)


def test_numbers_and_offsets_need_a_target_without_a_unit():
    number = Expression.parse("2.5", VOCABULARY)
    assert Listing(grammar("")).allows(number) and not Listing(grammar("J")).allows(number)
    assert Listing(grammar("J", n_constants=1)).allows(number)
    line = Expression.parse("v", VOCABULARY)
    listing = Listing(grammar("m/s"))
    assert listing.written(line, 2.0, 0.0) is not None and listing.written(line, 2.0, 1.0) is None


MASKED = Vocabulary(list(COLUMNS), ("add", "sub", "mul", "div", "pow", "sqrt", "square", "sin", "exp", "log"))


def masked(target: str, max_length: int, *rules: Rule, n_constants: int = 0) -> Grammar:
    units = core_units(units_for(target, n_constants))
    return Grammar(MASKED, max_length, 4, rules, units)


def padded(text: str, length: int) -> np.ndarray:
    tokens = Expression.parse(text, MASKED).tokens
    return np.array([[*tokens, *[-1] * (length - len(tokens))]], dtype=np.int16)


@pytest.mark.parametrize("target", ["J", "m/s", "", "kg m/s", "s"])
@pytest.mark.parametrize("max_length", [7, 12, 25])
def test_a_fill_ends_with_consistent_units(target, max_length):
    grammar = masked(target, max_length)
    assert grammar.core.masks_units
    tokens = grammar.sample(80, seed=max_length)
    assert grammar.is_legal(tokens).all()
    assert len(np.unique(tokens, axis=0)) > 30
    units = units_for(target)
    for row in tokens[:15]:
        expression = Expression(MASKED, row[: int((row >= 0).sum())].tolist())
        equation = expression.with_constants([1.7] * expression.n_constants)
        assert holds_in_all_units(equation, units)


@pytest.mark.parametrize(
    "text",
    [
        "m * (v * v)",
        "m * (v * v + h * g)",
        "m * v * w * sin(v / w)",
        "m * square(v) * exp(h * g / square(w))",
    ],
)
def test_the_tokens_of_a_consistent_expression_are_legal(text):
    row = padded(text, 20)
    legal = masked("J", 20).legal_tokens(row)[0]
    assert all(legal[place, token] for place, token in enumerate(row[0]) if token >= 0)
    # a number or a speed is not an energy
    assert not legal[0, MASKED.token("sin")] and not legal[0, MASKED.token("v")]


def test_an_expression_beyond_the_tables_is_marked_without_units():
    """Its parts have units that only many tokens can make."""
    row = padded("sin(m * m * m * m * m * m * m * m / (m * m * m * m * m * m * m * m))", 40)
    grammar = masked("", 40)
    assert grammar.is_legal(row).all()
    legal = grammar.legal_tokens(row)[0]
    assert all(legal[place, token] for place, token in enumerate(row[0]) if token >= 0)


def test_rules_that_the_tables_cannot_obey_leave_the_masks_without_units():
    assert not masked("J", 20, n_constants=1).core.masks_units
    assert not masked("J", 20, AtMost("mul", 1)).core.masks_units
    assert not masked("J", 20, MustAppear("m")).core.masks_units
    assert not masked("J", 3).core.masks_units  # no energy is this short
    assert not masked("J", 20, Nesting("mul", "div")).core.masks_units  # a quotient closes no slot
    assert masked("J", 20, Nesting("exp", "exp")).core.masks_units
    assert masked("J", 20, Forbid("sqrt", "m")).core.masks_units


@pytest.mark.parametrize(
    "rule", [Nesting("exp", "sqrt"), Forbid("sqrt", "m"), Nesting("sqrt", ("mul", "div"))]
)
def test_fills_obey_rules_and_units(rule):
    grammar = masked("J", 15, rule)
    assert grammar.core.masks_units
    assert grammar.is_legal(grammar.sample(60, seed=1)).all()
