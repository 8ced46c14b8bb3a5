"""Rows that selection looks at beside all rows; the outermost ones are in test_growth.py."""

import numpy as np
import pytest

from ddsr.engine import Engine
from ddsr.expression import Vocabulary
from ddsr.selection.samples import Samples

THREE = Vocabulary(["x", "y", "z"])


@pytest.mark.parametrize(("n_rows", "n_kept"), [(7, 7), (1000, 1000), (3000, 1000)])
def test_shuffled_rows_keep_each_column(n_rows: int, n_kept: int) -> None:
    rows = np.random.default_rng(0).normal(size=(n_rows, 3))
    first, again, other = (Samples(Engine(THREE, rows, rows[:, 0], seed=seed)).shuffled for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.shape == (n_kept, 3) and not np.array_equal(first, other)
    for shuffled, column in zip(first.T, rows.T, strict=True):
        assert len(set(shuffled)) == n_kept and set(shuffled) <= set(column)
    assert not {tuple(row) for row in first} & {tuple(row) for row in rows} or n_rows == 7


def test_mixed_rows_keep_the_order_of_columns_and_whole_numbers() -> None:
    four = Vocabulary(["a", "b", "c", "d"], ["add"])
    rng = np.random.default_rng(0)
    lower, size = rng.integers(-5, 5, 60), rng.uniform(size=60)
    rows = np.column_stack([lower, lower + rng.integers(1, 9, 60), size, size + 0.1]).astype(float)
    first, again, other = (Samples(Engine(four, rows, rows[:, 0], seed=seed)).mixed for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert first.shape == rows.shape and not np.array_equal(first, other)
    assert (first[:, :2] == np.floor(first[:, :2])).all() and (first[:, 0] + 1.0 <= first[:, 1]).all()
    assert (first[:, 2] < first[:, 3]).all()
    assert (first.min(axis=0) >= rows.min(axis=0)).all() and (first.max(axis=0) <= rows.max(axis=0)).all()


def test_rows_to_inspect_have_weight_and_are_few() -> None:
    rows = np.random.default_rng(0).normal(size=(10_000, 3))
    engine = Engine(THREE, rows, rows[:, 0], np.arange(10_000) % 2)
    audited = Samples(engine).audited
    assert audited.rows.shape == (3000, 3) and audited.weights.all()
    np.testing.assert_array_equal(audited.target, audited.rows[:, 0])
    assert audited.n_counted == pytest.approx(3000.0)
