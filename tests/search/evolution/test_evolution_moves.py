"""Each move on its own: the result is a tree, and changes as the move's name says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ddsr import _core
from ddsr.engine import values
from ddsr.expression import Batch, Expression, Vocabulary
from evolution_cases import XYZ, moved, rows_of
from strategies import expressions, mild_floats

SEEDS = st.integers(0, 2**32)
MOVES = st.sampled_from(_core.MOVES)
SIZES_ADDED = {"grow": 4, "wrap_binary": 6, "wrap_unary": 1}
PARENT = Expression.parse("sin(x - 2.5) / (y + 0.5 * exp(z))", XYZ)


def texts(name: str, parent: str, n: int = 300, donor: str | None = None) -> set[str]:
    """Skeletons of many children of one parent."""
    read = Expression.parse(parent, XYZ)
    other = Expression.parse(donor, XYZ) if donor else None
    return {moved(name, read, seed, other).skeleton() for seed in range(n)}


@given(MOVES, expressions(constants=mild_floats), SEEDS)
@settings(max_examples=150)
def test_every_child_is_a_tree_within_limits(name: str, parent: Expression, seed: int) -> None:
    # Batch and Expression check that the tokens are one tree with a constant for each of its places
    child = moved(name, parent, seed)
    assert all(map(np.isfinite, child.constants))
    # point may replace an operand by an exponent, which shrinks the tree
    assert len(child) <= len(parent) + SIZES_ADDED.get(name, 0)


@given(MOVES, SEEDS)
def test_a_move_is_a_function_of_its_seed(name: str, seed: int) -> None:
    assert moved(name, PARENT, seed) == moved(name, PARENT, seed)


@given(expressions(XYZ, constants=mild_floats), expressions(XYZ, constants=mild_floats), SEEDS)
def test_crossover_takes_a_subtree_with_its_constants(
    parent: Expression, donor: Expression, seed: int
) -> None:
    parent = parent.with_constants([1000.0 + k for k in range(parent.n_constants)])
    donor = donor.with_constants([2000.0 + k for k in range(donor.n_constants)])
    child = moved("crossover", parent, seed, donor)
    assert len(child) <= len(parent) + len(donor) - 1
    assert set(child.constants) <= set(parent.constants) | set(donor.constants)
    assert len(set(child.constants)) == child.n_constants


def test_point_changes_one_token() -> None:
    found = texts("point", "x * sin(y)")
    assert {"x / sin(y)", "z * sin(y)", "x * exp(y)", "x * sin(?)", "x^?"} <= found
    assert all(len(Expression.parse(text, XYZ)) <= 4 for text in found)


def test_wraps_put_operators_on_top_of_subtrees() -> None:
    assert {"exp(x)", "sin(x)"} <= texts("wrap_unary", "x")
    assert {"x + y", "y - x", "x^?", "x * ?"} <= texts("wrap_binary", "x", 600)


def test_hoist_keeps_something_below() -> None:
    assert texts("hoist", "sin(x) * y") == {"sin(x)", "x", "y", "x * y"}


def test_swap_leaves_commutative_operators_alone() -> None:
    assert texts("swap_operands", "x / (y + z)") == {"(y + z) / x"}
    assert texts("swap_operands", "x + y") == {"x + y"}


def test_constants_are_perturbed_and_nothing_else() -> None:
    parent = Expression.parse("2 * x + 3", XYZ)
    children = [moved("perturb_constants", parent, seed) for seed in range(30)]
    assert {child.tokens for child in children} == {parent.tokens}
    assert len({child.constants for child in children}) > 20


@pytest.mark.parametrize("name", _core.MOVES)
def test_moves_that_have_nothing_to_work_on_return_the_parent(name: str) -> None:
    lonely = Vocabulary(("x",), (), has_one=False, has_constant=False)
    parent = Expression(lonely, [0])
    assert moved(name, parent, 1) == parent


@given(expressions(constants=mild_floats))
@settings(max_examples=100)
def test_folding_keeps_the_function(parent: Expression) -> None:
    folded = Batch(parent.vocabulary, *_core.fold_constants(parent.vocabulary.core, *rows_of(parent)))[0]
    assert len(folded) <= len(parent)
    X = np.random.default_rng(0).uniform(0.5, 2.0, (8, len(parent.vocabulary.variables)))
    before, is_finite = values([parent], X)
    after, _ = values([folded], X)
    if is_finite[0]:
        np.testing.assert_allclose(after[0], before[0], rtol=1e-9, atol=1e-12)


def test_folding_leaves_no_operator_on_constants_alone() -> None:
    parent = Expression.parse("x * sin(2 + 3 * 4) + exp(1)", XYZ)
    folded = Batch(XYZ, *_core.fold_constants(XYZ.core, *rows_of(parent)))[0]
    assert folded.skeleton() == "x * ? + ?"
    assert sorted(folded.constants) == pytest.approx(sorted([np.sin(14), np.e]))


def test_structures_differ_by_whole_exponents_and_not_by_other_constants() -> None:
    def structure(text: str) -> int:
        return _core.structure_hash(XYZ.core, *rows_of(Expression.parse(text, XYZ)))

    assert structure("x^2.5 + 3 * y") == structure("y * 0.1 + x^1.7")
    assert structure("x^2 + y") != structure("x^3 + y")
    assert structure("x - y") != structure("y - x")


def test_the_memory_counts_and_forgets_the_oldest() -> None:
    memory = _core.StructureMemory(1000)
    for structure in [5, 6, 5]:
        memory.add(structure)
    assert (memory.count(5), memory.count(6), memory.count(7)) == (2, 1, 0)
    for structure in range(100, 1700):
        memory.add(structure)
    assert memory.count(5) == 0
    assert all(memory.count(structure) == 1 for structure in range(1300, 1700))
