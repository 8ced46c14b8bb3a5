"""The move that looks up what a place in a tree lacks: inverse operators, the dictionary, the children."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ddsr import _core
from ddsr.engine import Engine, FitOptions, values
from ddsr.expression import OPERATORS, Batch, Expression, Vocabulary
from ddsr.expression.operators import numpy_function
from evolution_cases import XYZ, engine_of, options, refiner_of, rows_of

NUMBERS = st.floats(-3.0, 3.0).filter(lambda value: abs(value) > 0.05)


# Inverse operators


@given(st.sampled_from(sorted(OPERATORS)), st.booleans(), NUMBERS, NUMBERS)
def test_the_operand_of_a_value_is_recovered(name: str, is_first: bool, current: float, other: float) -> None:
    """Also for functions with several solutions, since the nearest to the present operand is taken."""
    row = OPERATORS[name]
    assume(is_first or row.arity == 2)
    operands = [current, other] if is_first else [other, current]
    with np.errstate(all="ignore"):
        made = float(numpy_function(row)(*map(np.float64, operands[: row.arity])))
    assume(np.isfinite(made) and abs(made) < 1e6 and abs(made) > 1e-6)
    found, slope = _core.needed_operand(name, is_first, made, other, current)
    assume(abs(slope) > 1e-3)  # where the function is flat, the operand cannot be recovered
    assert found == pytest.approx(current, rel=1e-6, abs=1e-6)


@given(st.sampled_from(sorted(OPERATORS)), st.booleans(), NUMBERS, NUMBERS)
def test_slopes_are_those_of_the_operators(name: str, is_first: bool, wanted: float, other: float) -> None:
    row = OPERATORS[name]
    assume(is_first or row.arity == 2)
    found, slope = _core.needed_operand(name, is_first, wanted, other, 0.3)
    assume(np.isfinite(found) and abs(found) < 50 and np.isfinite(slope) and abs(slope) < 1e3)
    step = 1e-6 * max(1.0, abs(found))

    def at(value: float) -> float:
        operands = [value, other] if is_first else [other, value]
        with np.errstate(all="ignore"):
            return float(numpy_function(row)(*map(np.float64, operands[: row.arity])))

    measured = (at(found + step) - at(found - step)) / (2 * step)
    assume(np.isfinite(measured))
    assert abs(slope) == pytest.approx(abs(measured), rel=1e-3, abs=1e-4)


@pytest.mark.parametrize(
    ("name", "wanted"), [("sin", 1.5), ("sqrt", -1.0), ("exp", -2.0), ("acos", 4.0), ("tanh", 1.2)]
)
def test_unreachable_values_have_no_operand(name: str, wanted: float) -> None:
    assert np.isnan(_core.needed_operand(name, True, wanted, 0.0, 0.0)[0])


# The dictionary


def dictionary_of(engine: Engine, **settings: object) -> Batch:
    vocabulary = engine.vocabulary
    return Batch(vocabulary, *_core.dictionary(vocabulary.core, engine.data, options(**settings), 0))


def test_the_dictionary_holds_what_is_brief_and_nothing_twice() -> None:
    engine = engine_of("x")
    batch = dictionary_of(engine, dictionary_size=3000)
    texts = {str(each) for each in batch}
    assert {"x", "sin(y)", "x * y", "x / z", "x^2", "x - y"} <= texts
    X = np.random.default_rng(5).uniform(0.5, 2.0, (40, 3))
    table, is_finite = values(list(batch), X)
    table = table[is_finite & (np.abs(table).max(axis=1) < 1e9)]
    standard = (table - table.mean(axis=1, keepdims=True)) / table.std(axis=1, keepdims=True)
    standard *= np.sign(standard[:, :1])
    rounded = {tuple(row) for row in np.round(standard, 7)}
    # Some entries differ only on rows with negative values, and are one function on positive ones.
    assert len(rounded) > 0.97 * len(table)


@pytest.mark.parametrize("size", [0, 500, 5000])
def test_the_dictionary_keeps_to_its_size(size: int) -> None:
    n = len(dictionary_of(engine_of("x"), dictionary_size=size))
    assert 0.8 * size <= n <= 1.1 * size


def test_operators_of_weight_zero_are_not_in_the_dictionary() -> None:
    weights = [0.0 if row["name"] in ("sin", "div") else 1.0 for row in _core.operators()]
    texts = " ".join(map(str, dictionary_of(engine_of("x"), dictionary_size=500, operator_weights=weights)))
    assert "cos" in texts and "sin" not in texts and "/" not in texts


# Children


def children(
    parent: str, truth: str, n: int = 300, vocabulary: Vocabulary = XYZ, **settings: object
) -> Batch:
    engine = engine_of(truth, vocabulary=vocabulary)
    found = _core.match(
        vocabulary.core,
        engine.data,
        *rows_of(Expression.parse(parent, vocabulary)),
        options(**{"dictionary_size": 3000} | settings),
        n,
    )
    return Batch(vocabulary, *found)


def errors(batch: Batch, truth: str) -> np.ndarray:
    """Errors of the models as returned, with a scale and an offset."""
    return engine_of(truth).score(batch, options=FitOptions(max_steps=0, is_scale_free=True)).nrmse


@pytest.mark.parametrize(
    ("parent", "truth"),
    [
        ("x * z", "x * sin(y) * exp(z)"),
        ("exp(x) * sin(z)", "exp(x) * sin(y * z)"),
        ("x / (z + 3)", "x / (y * y + 3)"),
        ("sin(x + z) + y", "sin(x + z) + y * z * z"),
        ("x + y", "2.5 * x - 0.7 * y"),
        ("cos(z)", "1 / (9 + 0.7 * x * y)"),
    ],
)
def test_one_lookup_finds_what_is_missing(parent: str, truth: str) -> None:
    assert errors(children(parent, truth), truth).min() < 1e-6
    assert errors(Batch.of([Expression.parse(parent, XYZ)]), truth)[0] > 0.05


def test_without_free_scale_and_offset_they_are_written_down() -> None:
    found = children("cos(z)", "1.7 * x * y - 0.6", is_scale_free=False)
    scores = engine_of("1.7 * x * y - 0.6").score(found, options=FitOptions(max_steps=0))
    assert scores.nrmse.min() < 1e-6


def test_a_refiner_may_only_match() -> None:
    refiner = refiner_of("sin(x * y) * z + 0.5 * exp(x)", moves={"match": 1.0}, crossover_rate=0.0)
    moves = refiner.run(evaluations=500).moves
    assert {name for name, count in moves.items() if count.tried} == {"match"}


@pytest.mark.parametrize("banned", ["div", "pow", "mul", "add", "sin"])
def test_operators_of_weight_zero_are_in_no_child(banned: str) -> None:
    weights = [0.0 if row["name"] == banned else 1.0 for row in _core.operators()]
    found = children("x - cos(y)", "x * exp(y) - z", operator_weights=weights)
    id_of_banned = XYZ.names.index(banned)
    assert len({str(each) for each in found}) > 10
    assert not (found.tokens == id_of_banned).any()


def test_a_grammar_without_constants_has_no_matches() -> None:
    bare = Vocabulary(("x", "y", "z"), has_constant=False)
    assert {str(each) for each in children("x * y", "x * sin(y)", vocabulary=bare)} == {"x * y"}
