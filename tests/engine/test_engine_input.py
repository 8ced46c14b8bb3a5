"""What the engine accepts, and what it refuses and how."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ddsr import _core
from ddsr.engine import Engine, FitOptions
from ddsr.errors import DataError, ExpressionError
from ddsr.expression import Batch, Expression, Vocabulary
from engine_cases import GOOD_X, GOOD_Y
from strategies import PLAIN as DEFAULT


def spoil(array: np.ndarray, at: object, value: float) -> np.ndarray:
    copy = array.copy()
    copy[at] = value
    return copy


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.empty((0, 3)), []), "X is empty: 0 rows"),
        ((GOOD_X[:, :2], GOOD_Y), "X has 2 columns, but the vocabulary has 3 variables"),
        ((np.ones((4, 5)), GOOD_Y), "X has 5 columns, but the vocabulary has 3 variables"),
        ((GOOD_X[0], GOOD_Y), "1 dimension"),
        ((GOOD_X, GOOD_Y[:3]), "y has 3 rows, but X has 4"),
        ((GOOD_X, GOOD_X), "y must be one column"),
        ((spoil(GOOD_X, (2, 1), np.nan), GOOD_Y), "X has NaN in row 2, column 'y'"),
        ((spoil(GOOD_X, (3, 2), np.inf), GOOD_Y), "X has an infinite value in row 3, column 'z'"),
        ((GOOD_X, spoil(GOOD_Y, 1, np.nan)), "y has NaN in row 1"),
        ((GOOD_X, spoil(GOOD_Y, 0, -np.inf)), "y has an infinite value in row 0"),
        ((GOOD_X, np.full(4, 2.5)), "y is constant \\(2.5"),
        ((GOOD_X, 1e-200 * GOOD_Y), "rescale"),
        ((GOOD_X, 1e200 * GOOD_Y), "rescale"),
        ((GOOD_X[:1], GOOD_Y[:1]), "only one row"),
        ((GOOD_X.astype(str), GOOD_Y), "X cannot be read as numbers: it has the type"),
        ((np.full((4, 3), "a", dtype=object), GOOD_Y), "X cannot be read as a table of numbers"),
        ((GOOD_X + 1j, GOOD_Y), "X cannot be read as numbers: it has the type complex"),
        (([[1.0, 2.0], [1.0]], GOOD_Y), "X cannot be read"),
        ((GOOD_X.astype("datetime64[D]"), GOOD_Y), "X contains dates"),
        ((np.ma.masked_less(GOOD_X, 2), GOOD_Y), "X has masked values"),
        ((GOOD_X, [1, 2, 3, 10**400]), "y cannot be read as a table of numbers"),
        ((GOOD_X.astype(np.longdouble) * np.longdouble("1e4000"), GOOD_Y), "X has an infinite value"),
        ((pd.DataFrame(GOOD_X, columns=["x", "z", "y"]), GOOD_Y), "column 1 of X is named 'z', but .* 'y'"),
        ((GOOD_X, GOOD_Y, [1.0, -1.0, 1.0, 1.0]), "sample_weight is negative in row 1"),
        ((GOOD_X, GOOD_Y, np.zeros(4)), "sample_weight is zero in every row"),
        ((GOOD_X, GOOD_Y, [1.0]), "sample_weight has 1 rows"),
        ((GOOD_X, [1.0, 1.0, 1.0, 2.0], [1.0, 1.0, 1.0, 0.0]), "all the same"),
    ],
)
def test_bad_data_is_named(arguments: tuple, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Engine(DEFAULT, *arguments)


@pytest.mark.parametrize(
    "options",
    [
        *({"max_steps": bad} for bad in (-1, 2.5, 2**40, None, True)),
        *({"n_starts": bad} for bad in (0, 1.5)),
        *({"tolerance": bad} for bad in (-1.0, np.nan, "small")),
        {"is_scale_free": 1},
    ],
)
def test_bad_options_are_named(options: dict) -> None:
    with pytest.raises(DataError, match=next(iter(options))):
        FitOptions(**options)


@pytest.mark.parametrize(
    "setting",
    [
        *({"seed": bad} for bad in (-1, 0.5, 2**64)),
        *({"n_threads": bad} for bad in (0, 2.5, 2**31)),
        *({"fit_rows": bad} for bad in (0, 2.5, None)),
        {"options": {"max_steps": 3}},
    ],
)
def test_bad_settings_are_named(setting: dict) -> None:
    with pytest.raises(DataError, match=next(iter(setting))):
        Engine(DEFAULT, GOOD_X, GOOD_Y, **setting)


def test_tables_with_names_are_taken() -> None:
    table = pd.DataFrame(GOOD_X, columns=["x", "y", "z"])
    expression = Expression.parse("? * x + y", DEFAULT)
    expected = Engine(DEFAULT, GOOD_X, GOOD_Y).score([expression]).nrmse
    assert Engine(DEFAULT, table, pd.Series(GOOD_Y)).score([expression]).nrmse == expected


def test_signs_of_columns_are_those_of_all_rows() -> None:
    rows = np.random.default_rng(0).uniform(0.5, 2.0, size=(5000, 3))
    rows[4321, 1], rows[1234, 2] = 0.0, -1e-9
    engine = Engine(DEFAULT, rows, rows[:, 0], fit_rows=10)
    assert engine.positive_variables == ("x",)
    assert engine.nonnegative_variables == ("x", "y")


def test_bad_batches_are_named() -> None:
    engine = Engine(DEFAULT, GOOD_X, GOOD_Y)
    good = Expression.parse("x + ? * y", DEFAULT)
    with pytest.raises(ExpressionError, match="at least one"):
        engine.score([])
    for slip in (good, "x", 3):
        with pytest.raises(ExpressionError, match="expressions must be a list of expressions"):
            engine.score(slip)  # type: ignore[arg-type]
    with pytest.raises(ExpressionError, match="'x' is not an Expression"):
        engine.score(["x"])  # type: ignore[list-item]
    assert len(engine.score(expression for expression in (good, good))) == 2
    with pytest.raises(ExpressionError, match="different vocabulary"):
        engine.score([Expression.parse("x", Vocabulary(("x", "y", "q")))])
    with pytest.raises(ExpressionError, match="share one vocabulary"):
        engine.score([good, Expression.parse("x", Vocabulary(("x",)))])
    incomplete = Batch.from_tokens(DEFAULT, np.array([[0, 13, 14], [0, 13, -1]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="expression 1.*missing"):
        engine.score(incomplete)
    unknown = Batch.from_tokens(DEFAULT, np.array([[99, -1]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="expression 0, position 0: token 99"):
        engine.score(unknown)
    trailing = Batch.from_tokens(DEFAULT, np.array([[13, 14]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="follow a complete expression"):
        engine.score(trailing)
    padded = Batch.from_tokens(DEFAULT, np.array([[13, -1, 13]], dtype=np.int16))
    with pytest.raises(ExpressionError, match="position 2: a token stands behind the padding"):
        engine.score(padded)
    sin, x = DEFAULT.token("sin"), DEFAULT.token("x")
    with pytest.raises(ExpressionError, match="more than 4096 tokens"):
        engine.score(Batch.from_tokens(DEFAULT, np.array([[sin] * 4096 + [x]])))
    with pytest.raises(ExpressionError, match="1-D"):
        Batch.from_tokens(DEFAULT, np.array([13], dtype=np.int16))
    short = Batch(DEFAULT, Batch.of([good]).tokens, np.ones((1, 0)))
    with pytest.raises(ExpressionError, match="more constants"):
        engine.score(short)


def test_the_instruction_set_is_one_of_those_built() -> None:
    assert _core.instruction_set() in ("baseline", "avx2", "avx512")
