import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Expression, Vocabulary
from ddsr.price.model import Model
from ddsr.selection.guards.leverage import nats_of_leverage
from ddsr.selection.samples import Samples
from ddsr.selection.select import select

VOCABULARY = Vocabulary(["x", "y"])


def nats(models, engine, *more):
    return nats_of_leverage(models, Samples(engine), *more)


def fitted(text: str, engine: Engine) -> Expression:
    return engine.refit([Expression.parse(text, VOCABULARY)]).batch[0]


def noisy(n_rows: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n_rows, 2))
    return X, X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.normal(size=n_rows)


def left_out_nats(text: str, X: np.ndarray, y: np.ndarray) -> float:
    """n log(RMSE / RMSE in the sample), each row predicted by a fit to the others, less the constants."""
    rows = np.arange(len(y))
    expression = fitted(text, Engine(VOCABULARY, X, y))
    errors = []
    for row in rows:
        without = fitted(expression.text(17), Engine(VOCABULARY, X[rows != row], y[rows != row]))
        errors.append(y[row] - without.to_callable()(X[row : row + 1])[0])
    inside = y - expression.to_callable()(X)
    return 0.5 * len(y) * np.log(np.mean(np.square(errors)) / np.mean(inside**2)) - expression.n_constants


def test_agrees_with_leaving_out_each_row() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 2))
    X[0] = 12.0, -9.0  # far out: it determines the slopes almost alone
    y = X[:, 0] + 0.3 * rng.normal(size=40)
    y[0] += 4.0
    engine = Engine(VOCABULARY, X, y)
    text = "0.9 * x + 0.1 * y + 0.1"
    expected = left_out_nats(text, X, y)
    assert expected > 5.0
    assert nats([Model.free(fitted(text, engine))], engine)[0] == pytest.approx(expected, rel=1e-6)


def test_even_leverages_cost_almost_nothing() -> None:
    X, y = noisy(500)
    engine = Engine(VOCABULARY, X, y)
    assert nats([Model.free(fitted("x + 0.5 * y + 0.1", engine))], engine)[0] < 1.0


def test_moderate_leverage_costs_nothing() -> None:
    """The largest row of a decay almost determines the amplitude, which is acceptable."""
    t = np.arange(10.0)
    y = 12.4 * np.exp(-0.37 * t) * (1.0 + 0.05 * np.random.default_rng(0).normal(size=10))
    engine = Engine(VOCABULARY, np.column_stack([t, t]), y)
    model = Model.free(fitted("12.4 * exp(-0.37 * x)", engine))
    strict, lenient = (nats([model], engine, (), share * engine.spread)[0] for share in (0.0, 0.2))
    assert lenient <= strict and lenient < 1.0
    spike = f"x + 4.9 * exp(-1000000 * (x - {t[7]:.17g})^2)"
    bent = Model.free(Expression.parse(spike, VOCABULARY))
    X, target = np.column_stack([t, t]), t + 5.0 * (t == 7.0) + 0.1 * np.random.default_rng(1).normal(size=10)
    assert nats([bent], Engine(VOCABULARY, X, target), (), 0.2 * target.std())[0] > 5.0


def test_a_constant_determined_by_one_row_is_detected() -> None:
    X, y = noisy(60)
    y[7] += 5.0
    spike = f"x + 0.5 * y + 4.9 * exp(-1000000 * (x - {X[7, 0]:.17g})^2)"
    engine = Engine(VOCABULARY, X, y)
    models = [Model.free(fitted(text, engine)) for text in ("x + 0.5 * y", spike)]
    assert nats(models, engine)[1] > 20.0
    assert nats(models[:1], engine)[0] < 20.0


def test_truncated_decimals_count_as_fitted_and_integers_do_not() -> None:
    X, y = noisy(40)
    X[0], y[0] = (30.0, -30.0), 20.0
    engine = Engine(VOCABULARY, X, y)
    model = Expression.parse("0.731 * x + 0.217 * y", VOCABULARY)
    free = nats([Model.free(model)], engine)[0]
    assert free > 1.0
    assert nats([Model(model, (True, True))], engine)[0] == free
    whole = Expression.parse("2 * x + 3 * y", VOCABULARY)
    assert nats([Model(whole, (True, True))], engine)[0] == 0.0


def test_a_large_integer_counts_as_a_truncated_decimal() -> None:
    """The factor of exp alone would be known from all rows, through 5,000,000 times it."""
    X, y = noisy(60)
    X[7, 0], y[7] = 2.4, 6.0
    engine = Engine(VOCABULARY, X, y)
    tree = Expression.parse("2e-7 * (exp(7 * x) + 5000000 * x)", VOCABULARY)
    model = Model(tree, tuple(value in (7.0, 5_000_000.0) for value in tree.constants))
    fixed = Model(tree, tuple(value == 7.0 for value in tree.constants))
    assert nats([model], engine)[0] == nats([fixed], engine)[0] > 5.0


def test_rows_of_weight_zero_have_no_leverage() -> None:
    X, y = noisy(40)
    X[0], y[0] = (30.0, -30.0), 20.0
    weights = np.ones(40)
    weights[0] = 0.0
    weighted, without = Engine(VOCABULARY, X, y, weights), Engine(VOCABULARY, X[1:], y[1:])
    model = Model.free(Expression.parse("0.731 * x + 0.217 * y", VOCABULARY))
    assert nats([model], weighted) == pytest.approx(nats([model], without))


def test_an_exact_fit_costs_nothing() -> None:
    X, _ = noisy(50)
    engine = Engine(VOCABULARY, X, 2.5 * X[:, 0])
    assert nats([Model.free(Expression.parse("2.5 * x", VOCABULARY))], engine).tolist() == [0.0]


def test_the_choice_does_not_follow_one_row() -> None:
    X, y = noisy(60)
    y[7] += 8.0
    spike = f"x + 0.5 * y + 8.1 * exp(-100000 * (x - {X[7, 0]:.17g})^2)"
    candidates = [Expression.parse(text, VOCABULARY) for text in ("0.9 * x + 0.6 * y", spike)]
    best = select(candidates, Engine(VOCABULARY, X, y))[0].expression
    assert "exp" not in best.text()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_rows", [30, 100])
def test_a_power_is_chosen_whatever_row_is_far_out(n_rows: int, seed: int) -> None:
    """With x over several magnitudes, one row almost determines the exponent."""
    rng = np.random.default_rng(seed)
    X = rng.lognormal(size=(n_rows, 2))
    y = X[:, 0] ** 4
    y += 0.05 * y.std() * rng.normal(size=n_rows)
    engine = Engine(VOCABULARY, X, y)
    candidates = [Expression.parse(text, VOCABULARY) for text in ("x^4.1", "x^3", "x", "10 * x^3")]
    assert select(candidates, engine)[0].expression.text().endswith("x^4")


def test_a_truncated_decimal_costs_as_much_as_a_fitted_constant() -> None:
    rng = np.random.default_rng(2)
    X = rng.lognormal(size=(30, 2))
    y = 0.731 * X[:, 0] ** 4.13
    y += 0.05 * y.std() * rng.normal(size=30)
    engine = Engine(VOCABULARY, X, y)
    free = Model.free(fitted("0.7 * x^4.05", engine))
    cut = Model(Expression.parse("0.731 * x^4.13", VOCABULARY), (False, True))
    assert nats([cut], engine)[0] == pytest.approx(nats([free], engine)[0], rel=0.2, abs=1.0)
