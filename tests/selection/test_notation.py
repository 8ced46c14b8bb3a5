"""Signs, phases, bases and inverse functions: the usual notation of equations, with the same values."""

from __future__ import annotations

from math import log, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddsr import _core
from ddsr.engine import Engine
from ddsr.expression import DEFAULT_OPERATORS, OPERATORS, Expression, Node, Vocabulary
from ddsr.price.model import Model
from ddsr.selection.notation import USUAL_RULES, as_roots, rewritten, with_phases_in_a_turn
from ddsr.selection.select import select
from strategies import FULL, expressions, mild_floats

PLAIN = Vocabulary(
    ("x", "y", "z"), [name for name in OPERATORS if name not in ("neg", "square", "cube", "inverse")]
)
ROWS = np.random.default_rng(0).uniform(0.5, 2.0, (20, 3))
ODD = [row.name for row in OPERATORS.values() if row.parity == "odd" and row.name != "neg"]
EVEN = [row.name for row in OPERATORS.values() if row.parity == "even"]
LATE = -1.0
"""a past moment of the monotonic clock"""


def written(text: str, vocabulary: Vocabulary = PLAIN, is_fixed: bool = False) -> Model:
    expression = Expression.parse(text, vocabulary)
    model = rewritten(Model(expression, (is_fixed,) * expression.n_constants))
    same_values(expression, model.expression)
    return model


def same_values(before: Expression, after: Expression, rows: np.ndarray = ROWS) -> None:
    with np.errstate(all="ignore"):
        old, new = before.to_callable()(rows), after.to_callable()(rows)
    known = np.isfinite(old) & (np.abs(old) < 1e6)
    np.testing.assert_allclose(new[known], old[known], rtol=1e-6, atol=1e-9)


def with_outer_signs(text: str) -> Expression:
    return rewritten(Model.free(Expression.parse(text, FULL)), rules=["outer signs"]).expression


@pytest.mark.parametrize("name", ODD)
def test_a_minus_leaves_every_odd_function(name: str) -> None:
    assert with_outer_signs(f"{name}(neg(x))") == Expression.parse(f"neg({name}(x))", FULL)


@pytest.mark.parametrize("name", EVEN)
def test_an_even_function_hides_a_sign(name: str) -> None:
    assert with_outer_signs(f"{name}(neg(x))") == Expression.parse(f"{name}(x)", FULL)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("tanh(-x)", "-tanh(x)"),
        ("x + tanh(-y)", "x - tanh(y)"),
        ("x - tanh(-2.5 * y)", "x + tanh(2.5 * y)"),
        ("x + sin(-2.5 * y / z)", "x - sin(2.5 * y / z)"),
        ("3.5 * sin(-2.5 * x)", "-3.5 * sin(2.5 * x)"),
        ("tanh(-x) * sin(-y)", "tanh(x) * sin(y)"),
        ("x * tanh(-y)", "-x * tanh(y)"),
        ("tanh(-2.5 * x)", "tanh(-2.5 * x)"),  # a minus outside takes two more tokens
        ("cos(-2.5 * x)", "cos(2.5 * x)"),
        ("cos(2.5 - x)", "cos(x - 2.5)"),
        ("cosh(-x / y)", "cosh(x / y)"),
        ("abs(-3.5 * x)", "abs(3.5 * x)"),
        ("sin(x - y)", "sin(x - y)"),
    ],
)
def test_signs(start: str, end: str) -> None:
    found = written(start)
    assert found.expression.text() == end
    assert len(found.expression) <= len(Expression.parse(start, PLAIN))


@pytest.mark.parametrize("name", [name for name in ODD if name in PLAIN.operators])
def test_a_difference_takes_the_minus_in_front_of_an_odd_function(name: str) -> None:
    assert written(f"-1 * {name}(x - y)", is_fixed=True).expression.text() == f"{name}(y - x)"
    assert written(f"-1 * {name}(x - y) / z", is_fixed=True).expression.text() == f"{name}(y - x) / z"
    assert written(f"z + -1 * {name}(x - y)", is_fixed=True).expression.text() == f"z - {name}(x - y)"
    fitted = written(f"-1 * {name}(x - y)")  # a number fitted to the data keeps its place
    assert fitted.expression.n_constants == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("-1 * (x - y) * z", "(y - x) * z"),
        ("-1 * log(x / y)", "log(y / x)"),
        ("-1 * x * (y - z)^3", "x * (z - y)^3"),
        ("-1 * cos(x - y)", "-cos(x - y)"),
        ("-1 * (x - y)^2", "-(x - y)^2"),
    ],
)
def test_a_minus_goes_where_it_takes_no_tokens(start: str, end: str) -> None:
    found = written(start, is_fixed=True).expression
    assert sorted(found.text()) == sorted(end)
    assert len(found) == len(Expression.parse(end, PLAIN))


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("cos(69.42 - 0.017 * x)", f"cos(0.017 * x - {69.42 - 22 * pi!r})"),
        ("sin(x + 6.5)", f"sin(x + {6.5 - 2 * pi!r})"),
        ("sin(2.5 * x - 4.5)", f"sin(2.5 * x + {2 * pi - 4.5!r})"),
        ("tan(x + 3.5)", f"tan(x + {3.5 - pi!r})"),
        ("sin(x + 3.125)", "sin(x + 3.125)"),
        ("sin(x + y + 6.5)", f"sin(x + y + {6.5 - 2 * pi!r})"),
    ],
)
def test_a_fitted_phase_is_reduced_and_stays_fitted(start: str, end: str) -> None:
    found = written(start)
    expected = Expression.parse(end, PLAIN)
    assert found.expression.tokens == expected.tokens
    np.testing.assert_allclose(found.expression.constants, expected.constants, rtol=1e-12)
    assert not any(found.is_fixed)


def test_a_phase_within_a_scaled_sum_is_reduced() -> None:
    shift = with_phases_in_a_turn(Expression.parse("cos(0.5 * (x - 27.25))", PLAIN)).constants[1]
    assert abs(shift) <= 2 * pi and (27.25 - shift) % (4 * pi) == pytest.approx(0.0, abs=1e-9)
    turned = written("cos((x - 27.25) / 0.5)")
    assert abs(max(turned.expression.constants, key=abs)) <= pi


def test_a_fixed_simple_phase_stays_and_a_truncated_one_is_fitted_again() -> None:
    assert written("sin(x + 4)", is_fixed=True).expression.text() == "sin(x + 4)"
    found = written("sin(x + 69.42)", is_fixed=True)
    assert abs(found.expression.constants[0]) < pi and found.is_fixed == (False,)


@settings(max_examples=100, deadline=None)
@given(st.floats(-1e4, 1e4), st.sampled_from(["sin", "cos"]))
def test_every_phase_ends_within_half_a_turn(phase: float, name: str) -> None:
    tree = Node.operator(name, Node.operator("add", Node.variable("x"), Node.constant(phase)))
    expression = Expression.from_tree(PLAIN, tree)
    found = rewritten(Model.free(expression)).expression
    assert abs(found.constants[0]) <= pi + 1e-12
    same_values(expression, found)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        (f"exp({log(2)!r} * x)", "2^x"),
        (f"exp(x)^{log(2)!r}", "2^x"),
        (f"exp({-log(2)!r} * x / y)", "0.5^(x / y)"),
        (f"3.5 * exp(x * {log(10)!r})", "3.5 * 10^x"),
        ("2^x", "2^x"),
        ("2.0000000000000004^x", "2^x"),
        ("exp(0.6931 * x)", "exp(0.6931 * x)"),
        ("exp(-0.5 * x)", "exp(-0.5 * x)"),
    ],
)
def test_a_simple_base_is_kept(start: str, end: str) -> None:
    assert written(start).expression.text() == end


def test_a_fitted_base_is_an_exponential() -> None:
    assert written("1.7^x").expression.text() == f"exp({log(1.7)!r} * x)"


def test_without_powers_an_exponential_stays() -> None:
    vocabulary = Vocabulary(("x",), ("mul", "exp"))
    assert rewritten(Model.free(Expression.parse(f"exp({log(2)!r} * x)", vocabulary))).expression.text() == (
        f"exp({log(2)!r} * x)"
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("x * y * cos(-atan(y / z)) / z", "x * y / sqrt(z * z + y * y)"),
        ("y * sin(atan(x / z)) / x", "y / sqrt(z * z + x * x)"),
        ("x * sin(acos(y))", "x * sqrt(1 - y * y)"),
        ("cos(atan(x / y))", "cos(atan(x / y))"),  # the root would be longer
    ],
)
def test_functions_of_inverse_functions(start: str, end: str) -> None:
    expression = Expression.parse(start, PLAIN).simplified(positive=PLAIN.variables)
    found = as_roots(expression, positive=PLAIN.variables)
    assert found.simplified(PLAIN.variables) == Expression.parse(end, PLAIN).simplified(PLAIN.variables)
    same_values(Expression.parse(start, PLAIN), found)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("0.7 / (0.1 + 1 / x^2)", "7 * x^2 / (10 + x^2)"),
        ("y * 6 / (2 / x + 0.5)", "12 * x * y / (4 + x)"),
        ("3 / (0.5 - 2 / x)", "6 * x / (x - 4)"),
        ("3 / (2 / x - 0.5)", "6 * x / (4 - x)"),
        ("3 / (1 / x + y)", "3 / (1 / x + y)"),  # the other term is not a number
        ("1 / (0.5 + 1 / x)", "x / (1 + 0.5 * x)"),  # no second constant
        ("3 / (0.5 + y / x)", "6 * x / (2 * y + x)"),
        ("3 / (0.5 + 1 / sin(x))", "3 / (0.5 + 1 / sin(x))"),
    ],
)
def test_denominators_without_fractions(start: str, end: str) -> None:
    given = Expression.parse(start, PLAIN)
    model = rewritten(Model(given, tuple(value == 2.0 for value in given.constants)))
    same_values(given, model.expression)
    assert str(model.expression) == end


def test_a_fixed_number_in_a_denominator_stays_fixed() -> None:
    model = written("3 / (1 + 2 / x)", is_fixed=True)
    assert str(model.expression) == "3 * x / (2 + x)"
    assert all(model.is_fixed)


@settings(max_examples=200, deadline=None)
@given(expressions(FULL, 13, mild_floats), st.booleans())
def test_every_notation_keeps_values(expression: Expression, is_fixed: bool) -> None:
    same_values(expression, as_roots(expression, positive=FULL.variables))
    model = Model(expression, (is_fixed,) * expression.n_constants)
    for name in _core.NOTATION_RULES:
        same_values(expression, rewritten(model, rules=[name]).expression)
    same_values(expression, rewritten(model).expression)


@settings(max_examples=100, deadline=None)
@given(expressions(FULL, 13, mild_floats))
def test_signs_take_no_more_tokens(expression: Expression) -> None:
    found = rewritten(Model.free(expression), rules=["outer signs"])
    assert len(found.expression) <= len(expression)


def test_spellings_have_names() -> None:
    assert set(USUAL_RULES) == set(_core.NOTATION_RULES) - {"phases in a turn"}
    model = Model.free(Expression.parse("x * x", PLAIN))
    with pytest.raises(ValueError, match="there is no notation rule 'verse'"):
        rewritten(model, rules=["verse"])
    assert rewritten(model, rules=[]) is model


@pytest.mark.parametrize("text", ["1.0 * sin(x)", "sin(x) * 1.0"])
def test_a_fixed_factor_of_one_is_dropped(text: str) -> None:
    assert written(text, is_fixed=True).expression.text() == "sin(x)"
    assert len(written(text).expression) == 4


def test_flags_follow_their_constants() -> None:
    """The rules work in prefix order, while a model lists its constants breadth-first."""
    model = Model(Expression.parse("2.5 * x - sin(-0.5 * y) * 4.5", PLAIN), (False, True, True))
    fixed = {2.5: False, -0.5: True, 4.5: True}
    model = Model(model.expression, tuple(fixed[value] for value in model.expression.constants))
    found = rewritten(model)
    flags = dict(zip(found.expression.constants, found.is_fixed, strict=True))
    assert flags == {2.5: False, 0.5: True, 4.5: True}


def test_an_error_of_the_rules_is_passed_on() -> None:
    def refuse(expression: Expression) -> bool:
        raise RuntimeError(expression.text())

    with pytest.raises(RuntimeError, match="x\\^2"):
        rewritten(Model.free(Expression.parse("x * x", PLAIN)), refuse)


def test_deeply_nested_expressions_stay() -> None:
    expression = Expression.parse("sin(" * 1000 + "-x" + ")" * 1000, PLAIN)
    model = Model.free(expression)
    assert rewritten(model) is model
    assert as_roots(expression) is expression
    inverse = Expression.parse("sin(acos(" * 500 + "x" + "))" * 500, PLAIN)
    assert as_roots(inverse) is inverse


# A late choice is simplified, however little time is left


def chosen_late(text: str, truth: str, operators: tuple[str, ...] = PLAIN.operators) -> Expression:
    """The result for one candidate when the time is up before selection begins."""
    vocabulary = Vocabulary(("x", "y", "z"), operators)
    y = Expression.parse(truth, vocabulary).to_callable()(ROWS)
    y = y + 1e-3 * np.random.default_rng(1).normal(size=len(y))
    found = select([Expression.parse(text, vocabulary)], Engine(vocabulary, ROWS, y), deadline=LATE)
    return found[0].expression


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("-1.9e-07 * 2.565e+06 * x * y", "-0.48735 * x * y"),
        ("x * y * cos(-atan(x / z)) / z", "x * y / sqrt(x^2 + z^2)"),
        ("tanh(-x)", "-tanh(x)"),
        ("1 * x + 0 * y + 0.5", "x + 0.5"),
    ],
)
def test_a_late_choice_is_simplified(text: str, end: str) -> None:
    found = chosen_late(text, text)
    same_values(Expression.parse(text, PLAIN), found)
    assert len(found) <= len(Expression.parse(end, PLAIN))
    assert found.text() == end or sorted(found.text()) == sorted(end)


def test_a_late_phase_is_reduced() -> None:
    found = chosen_late("2.5 * cos(69.42 - 0.017 * x)", "2.5 * cos(69.42 - 0.017 * x)", DEFAULT_OPERATORS)
    assert all(abs(value) < pi for value in found.constants)


def test_a_late_choice_obeys_the_rules() -> None:
    text = "x * y / y + 0.5"
    y = Expression.parse(text, PLAIN).to_callable()(ROWS)

    def has_y(expression: Expression) -> bool:
        return "y" in expression.text()

    engine = Engine(PLAIN, ROWS, y)
    found = select([Expression.parse(text, PLAIN)], engine, deadline=LATE, is_allowed=has_y)
    assert has_y(found[0].expression)


def test_fitted_constants_stay_fitted_when_they_are_folded() -> None:
    rng = np.random.default_rng(1)
    y = -0.4873 * ROWS[:, 0] * ROWS[:, 1] + 0.01 * rng.normal(size=len(ROWS))
    candidate = Expression.parse("-1.9e-07 * 2.565e+06 * x * y", PLAIN)
    (found,) = select([candidate], Engine(PLAIN, ROWS, y), deadline=LATE)
    assert found.is_free == (True,)


def test_equations_are_written_well_only_while_there_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one always; others would cost time that is not available."""
    n_spelled = []

    def counted(model: Model, is_allowed: object = None) -> Model:
        n_spelled.append(model)
        return model

    monkeypatch.setattr("ddsr.selection.judged.rewritten", counted)
    candidates = [Expression.parse(text, PLAIN) for text in ("x", "x * y", "sin(x)", "x + y", "exp(z)")]
    y = ROWS[:, 0] * ROWS[:, 1]
    assert len(select(candidates, Engine(PLAIN, ROWS, y), deadline=LATE)) == 5
    assert len(n_spelled) == 1


def test_a_fixed_constant_stays_fixed_without_its_sign() -> None:
    model = Model(Expression.parse("x + sin(-2.5 * y)", PLAIN), (True,))
    assert rewritten(model).is_fixed == (True,)
