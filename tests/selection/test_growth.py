"""Equations that explode just beyond the rows."""

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Expression, Vocabulary
from ddsr.price.model import Model
from ddsr.selection.guards.extrapolation import MOST_RANGES, nats_of_growth
from ddsr.selection.select import select

VOCABULARY = Vocabulary(["x", "y"])


def nats(text: str, engine: Engine, mean_square: float = 0.01) -> float:
    models = [Model.free(Expression.parse(text, VOCABULARY))]
    return float(nats_of_growth(models, np.array([mean_square]), engine)[0])


def far_row(n_rows: int = 100) -> tuple[np.ndarray, np.ndarray]:
    """Rows near 0 and one far out, whose target fits a tower of exponentials."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(n_rows, 2))
    X[0] = 2.3, 0.0
    return X, -X[:, 0] + 1e-4 * np.exp(np.exp(X[:, 0])) + 0.02 * rng.normal(size=n_rows)


def test_outer_rows_extend_by_the_gap_before_the_outermost_row() -> None:
    X = np.array([[0.0, 5.0], [1.0, 5.0], [4.0, 6.0], [0.5, 9.0]])
    outer = Engine(VOCABULARY, X, X[:, 0]).outer_rows()
    assert outer.tolist() == [[6.5, 6.0], [0.5, 11.0]]  # x begins like a grid, y with a repeated value


def test_grids_have_no_outer_rows() -> None:
    n = np.arange(3.0, 9.0)
    X = np.column_stack([n, 0.1 * n])
    engine = Engine(VOCABULARY, X, 1 / (0.25 - n**-2))
    assert engine.outer_rows().shape == (0, 2)
    assert nats("1 / (0.25 - x^-2)", engine) == 0.0


def test_rows_without_weight_are_not_outermost() -> None:
    X = np.array([[0.0, 5.0], [1.0, 5.0], [4.0, 6.0], [0.5, 9.0], [100.0, -100.0]])
    outer = Engine(VOCABULARY, X, X[:, 0], [1, 1, 1, 1, 0]).outer_rows()
    assert outer.tolist() == [[6.5, 6.0], [0.5, 11.0]]


def test_the_price_is_that_of_the_error_it_expects() -> None:
    X, y = far_row()
    engine = Engine(VOCABULARY, X, y)
    tower = "1e-4 * exp(exp(x))"
    at_the_end = Expression.parse(tower, VOCABULARY).to_callable()(engine.outer_rows())
    beyond = np.abs(at_the_end - 0.5 * (y.min() + y.max())) - MOST_RANGES * np.ptp(y)
    added = (np.maximum(beyond, 0.0) ** 2).sum() / 101
    assert added > 0
    assert nats(tower, engine) == pytest.approx(50.0 * np.log1p(added / 0.01))


@pytest.mark.parametrize("text", ["x^3", "2 * x + y", "exp(x)", "sqrt(y)", "log(x)", "1 / x"])
def test_laws_that_grow_within_reason_cost_nothing(text: str) -> None:
    X = np.random.default_rng(0).uniform(0.01, 1, size=(100, 2))
    X[0] = 2.3, 0.5
    y = Expression.parse(text, VOCABULARY).to_callable()(X)
    assert nats(text, Engine(VOCABULARY, X, y), 1e-4) == 0.0


@pytest.mark.parametrize("text", ["exp(exp(exp(x)))", "exp(10000 * x)", "-1 * exp(exp(exp(exp(x))))"])
def test_overflow_is_an_explosion(text: str) -> None:
    X, y = far_row()
    found = nats(text, Engine(VOCABULARY, X, y))
    assert 100.0 < found < np.inf


def test_evenly_filled_ranges_have_no_outer_rows() -> None:
    X = np.random.default_rng(0).uniform(0, 3, size=(5000, 2))
    engine = Engine(VOCABULARY, X, np.exp(np.exp(X[:, 0])))
    assert nats("exp(exp(x))", engine) == 0.0


def test_the_choice_avoids_a_tower_that_fits_one_far_row() -> None:
    X, y = far_row()
    engine = Engine(VOCABULARY, X, y)
    tower = Expression.parse("1e-4 * exp(exp(x)) - 1.01 * x", VOCABULARY)
    line = Expression.parse("-0.9 * x", VOCABULARY)
    assert engine.refit([tower]).nrmse[0] < 0.3 * engine.refit([line]).nrmse[0]
    assert "exp" not in select([tower, line], engine)[0].expression.text()


def test_an_exact_law_is_chosen_however_it_grows() -> None:
    X, _ = far_row()
    y = np.exp(np.exp(X[:, 0]))
    engine = Engine(VOCABULARY, X, y)
    assert (
        select([Expression.parse(text, VOCABULARY) for text in ("2 * exp(exp(x))", "x")], engine)[
            0
        ].expression.text()
        == "exp(exp(x))"
    )


def test_columns_that_no_equation_uses_are_ignored() -> None:
    """Thousands of columns would need as many rows, each as long."""
    rows = np.random.default_rng(0).normal(size=(20, 3000))
    vocabulary = Vocabulary([f"x{column}" for column in range(3000)], ("add", "mul", "exp"))
    engine = Engine(vocabulary, rows, rows[:, 7])
    assert not engine._outer_rows
    model = Model.free(Expression.parse("exp(x7) + x2999", vocabulary))
    nats_of_growth([model], np.ones(1), engine)
    assert set(engine._outer_rows) == {7, 2999}
    assert len(engine.outer_rows({7})) <= 2
