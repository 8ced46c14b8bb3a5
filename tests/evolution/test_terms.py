"""Coefficients of the terms of a sum are solved before a fit: seen where the fit itself may take no step."""

from __future__ import annotations

import numpy as np
import pytest

from ddsr.config import RefinerConfig
from ddsr.engine import Engine
from ddsr.expression import Expression
from ddsr.grammar import Grammar
from ddsr.refiner import HallOfFame, Refiner
from evolution_cases import XYZ, engine_of
from field_cases import covers


def unfitted(start: str, engine: Engine, **settings: object) -> HallOfFame:
    """The hall of fame after one seed whose constants no step of a fit may change."""
    config = RefinerConfig(fit_steps=0, polish_steps=0, **settings)
    refiner = Refiner(engine, Grammar(XYZ), config, seed=0)
    refiner.seed([Expression.parse(start, XYZ)])
    return refiner.hall_of_fame()


@pytest.mark.parametrize(
    ("truth", "start"),
    [
        ("y + 2.5 * sin(x) - 0.3 * (x * z)", "y + 1.1 * sin(x) - 1.2 * (x * z)"),
        ("y + 2.5 * sin(x) - 0.3 * (x * z)", "1.1 * sin(x) - (0.4 * (x * z) - y)"),
        ("3 * x - 2 * y + 0.5 * z", "0.9 * x + 0.8 * y + 0.7 * z"),  # no term without a coefficient
        ("(x + 0.7 * y) * exp(z)", "exp(z) * (x - 1.5 * y)"),
        ("(x + 0.7 * y + 0.2) * exp(z)", "exp(z) * (x - 1.5 * y + 2.5)"),  # 0.2 is a term there
        ("(x + 0.7 * y) / (3 + z)", "(x - 1.5 * y) / (3 + z)"),
        ("x * y + 4 / (5 + z)", "x * y + 0.5 / (5 + z)"),
        ("x * y - sin(z) * 0.2 + 7", "x * y + sin(z) * 3.5 - 2.5"),  # 7 is the offset's
    ],
)
def test_coefficients_are_those_of_least_squares(truth: str, start: str) -> None:
    engine = engine_of(truth)
    assert unfitted(start, engine, solves_terms=False).nrmse[-1] > 0.01
    assert unfitted(start, engine).nrmse[-1] < 1e-10


@covers("solves_terms", RefinerConfig)
def test_solves_terms() -> None:
    start = "y + 1.5 * sin(x)"
    engine = engine_of("y + 2.5 * sin(x)")
    assert unfitted(start, engine, solves_terms=False).batch.constants[0] == [1.5]
    assert unfitted(start, engine).batch.constants[0] == pytest.approx([2.5], abs=1e-9)


def test_rows_count_by_their_weights() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(300, 3))
    y = X[:, 1] + 2.5 * np.sin(X[:, 0])
    y[::2] = rng.normal(size=150)
    engine = Engine(XYZ, X, y, np.arange(300) % 2)
    found = unfitted("y + 1.5 * sin(x)", engine)
    assert found.batch.constants[0] == pytest.approx([2.5], abs=1e-9)


@pytest.mark.parametrize(
    "start",
    [
        "1.5 * sin(x) * y",  # no sum
        "sin(1.5 * x) + y",  # a sum without coefficients
        "sin(1.5 * x + y)",  # a sum that the whole is no multiple of
        "exp(1.5 + x) + 2.5",  # but for one that does not vary
    ],
)
def test_other_constants_stay(start: str) -> None:
    expected = Expression.parse(start, XYZ).constants
    found = unfitted(start, engine_of("sin(x) * y + z"))
    assert list(found.batch.constants[-1]) == pytest.approx(list(expected), abs=0)


def test_what_would_cancel_is_left_alone() -> None:
    found = unfitted("x + 2.5 * x + 1.5 * (x + y)", engine_of("sin(x) + y"))
    assert np.isfinite(found.nrmse).all() and np.abs(found.batch.constants).max() < 1e7
