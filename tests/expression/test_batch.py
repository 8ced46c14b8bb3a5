import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from ddsr import _core
from ddsr.errors import ExpressionError
from ddsr.expression import Batch, Expression, Vocabulary
from strategies import PLAIN, examples, expressions


@examples(100)
@given(st.lists(expressions(PLAIN, 12), min_size=1, max_size=6))
def test_expressions_come_back_from_a_batch(written):
    batch = Batch.of(written)
    assert list(batch) == written
    assert batch.sizes.tolist() == [len(expression) for expression in written]


def test_constants_that_are_not_known_start_at_one():
    tokens = np.array([Expression.parse("? * x + ?", PLAIN).tokens])
    batch = Batch.from_tokens(PLAIN, tokens)
    assert batch[0].constants == (1.0, 1.0)
    bare = Vocabulary(("x",), ("add",), has_constant=False)
    row = [[*Expression.parse("x + x", bare).tokens, _core.PAD]]
    assert str(Batch.from_tokens(bare, np.array(row))[0]) == "x + x"


def test_a_batch_needs_expressions_of_one_vocabulary():
    with pytest.raises(ExpressionError, match="at least one"):
        Batch.of([])
    with pytest.raises(ExpressionError, match="share one vocabulary"):
        Batch.of([Expression.parse("x", PLAIN), Expression.parse("x", Vocabulary(("x",)))])
    with pytest.raises(ExpressionError, match="got 1-D"):
        Batch.from_tokens(PLAIN, np.array([1]))


def test_first_distinct_keeps_the_first_of_each_key_in_order():
    texts = ("x + y", "y + x", "x", "sin(x)", "x", "y")
    batch = Batch.of(Expression.parse(text, PLAIN) for text in texts)
    assert [str(expression) for expression in batch.first_distinct(3)] == ["x + y", "x", "sin(x)"]
    assert len(batch.first_distinct(10)) == 4
    assert [batch.first_distinct(n).n_drawn for n in (0, 1, 2, 3, 4, 10)] == [6, 1, 3, 4, 6, 6]


@examples(50)
@given(st.lists(st.lists(expressions(PLAIN, 9), max_size=4), min_size=1, max_size=4))
def test_joined_batches_keep_their_rows_in_order(parts):
    empty = Batch(PLAIN, np.zeros((0, 0), np.int16), np.zeros((0, 0)))
    joined = Batch.joined([Batch.of(part) if part else empty for part in parts])
    assert list(joined) == [each for part in parts for each in part]


@given(arrays(np.int16, st.tuples(st.integers(0, 60), st.integers(0, 3)), elements=st.integers(-2, 1)))
def test_distinct_rows_are_the_first_of_equal_ones(rows):
    first, number = _core.distinct_rows(rows)
    assert len(first) == len({row.tobytes() for row in rows}) and (np.diff(first) > 0).all()
    np.testing.assert_array_equal(rows[first][number], rows)
