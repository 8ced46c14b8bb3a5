"""The kernel agrees with the native grammar's fill."""

from collections import Counter

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from chance_cases import CHANCE
from ddsr._core import MASK
from ddsr.generators.diffusion.generator import is_complete, keep_more
from stacking_cases import DEVICE, GRAMMARS, LENGTH, make_stack, needs_kernels, random_tokens

pytestmark = [
    needs_kernels,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # from NumPy, where the interpreter divides inf
]
N_ROWS, STEP = 300, 5
SEEDS, EPOCHS = (5, 2**63 + 3, 7), (0, 9, 2**33)


class Filled:
    """One step of a stack from random tokens and logits."""

    def __init__(self, grammars=GRAMMARS, seeds=SEEDS, epochs=EPOCHS, numbers=(0, 1, 2), is_masked=False):
        self.stack = stack = make_stack(grammars, N_ROWS)
        asked = np.array([seeds, epochs, [1] * len(grammars)], np.uint64).T.astype(np.int64)
        stack.asked.copy_(torch.from_numpy(asked))
        for problem, (grammar, number) in enumerate(zip(grammars, numbers, strict=True)):
            rng = np.random.default_rng(number)  # a problem's inputs do not depend on its neighbours
            tokens = random_tokens(grammar, N_ROWS, rng)
            if is_masked:
                tokens[:] = MASK
            stack.kept[STEP % 2][problem] = torch.from_numpy(tokens)
            n_tokens = len(grammar.vocabulary)
            logits = 2.0 * rng.standard_normal((N_ROWS, LENGTH, n_tokens))
            logits[0], logits[1], logits[2, :3, 1] = np.nan, -np.inf, np.inf
            logits[3, :, : n_tokens // 2] = 200.0
            stack.logits[problem, :, :, :n_tokens] = torch.from_numpy(logits)
            order = rng.permuted(np.tile(np.arange(LENGTH, dtype=np.int8), (N_ROWS, 1)), axis=1)
            stack.order[problem] = torch.from_numpy(order)
        stack.rows[STEP % 2].copy_(torch.arange(N_ROWS, device=DEVICE).expand(len(grammars), -1))
        stack.n_active_rows[:, STEP] = N_ROWS
        self.kept = stack.kept[STEP % 2].cpu().numpy().copy()
        stack.fill_step(STEP)
        self.drawn = stack.drawn.cpu().numpy()
        self.next_kept = stack.kept[(STEP - 1) % 2].cpu().numpy()

    def logits(self, problem, grammar):
        return self.stack.logits[problem, :, :, : len(grammar.vocabulary)].cpu().numpy().copy()


@pytest.fixture(scope="module")
def filled():
    return Filled()


@pytest.mark.parametrize("problem", range(3))
def test_fills_are_those_of_the_native_grammar(filled, problem):
    grammar, kept, drawn = GRAMMARS[problem], filled.kept[problem], filled.drawn[problem]
    stream = EPOCHS[problem] * LENGTH + STEP - 1
    native = grammar.fill_tokens(filled.logits(problem, grammar), kept, SEEDS[problem], stream)
    # The random numbers are the same, but sums have another order, which changes about one draw in a million.
    is_same = (drawn == native).all(axis=1)
    assert is_same.mean() > 0.98
    assert grammar.is_legal(drawn).all()
    is_first_legal = grammar.legal_tokens(np.full((1, LENGTH), MASK, np.int16))[0, 0][kept[:, 0]] & (
        kept[:, 0] >= 0
    )
    np.testing.assert_array_equal(drawn[is_first_legal, 0], kept[is_first_legal, 0])

    order = filled.stack.order[problem].cpu().numpy().astype(int)
    next_kept = keep_more(kept, drawn, order[:, [LENGTH - STEP]])
    np.testing.assert_array_equal(filled.next_kept[problem], next_kept)
    n_left = int(filled.stack.n_active_rows[problem, STEP - 1])
    left = filled.stack.rows[(STEP - 1) % 2][problem, :n_left].cpu().numpy()
    np.testing.assert_array_equal(np.sort(left), np.flatnonzero(~is_complete(next_kept, drawn)))


def test_a_problem_does_not_depend_on_its_neighbours(filled):
    other = Filled((GRAMMARS[2], GRAMMARS[0]), (SEEDS[2], SEEDS[0]), (EPOCHS[2], EPOCHS[0]), (2, 0))
    np.testing.assert_array_equal(other.drawn[0], filled.drawn[2])
    np.testing.assert_array_equal(other.drawn[1], filled.drawn[0])


def test_a_seed_and_an_epoch_draw_other_expressions(filled):
    for seeds, epochs in (((6,), EPOCHS[:1]), (SEEDS[:1], (1,))):
        other = Filled(GRAMMARS[:1], seeds, epochs, (0,))
        assert (other.drawn[0] != filled.drawn[0]).any(axis=1).mean() > 0.1


def test_first_tokens_have_the_probabilities_of_the_softmax():
    stack = Filled(GRAMMARS[1:2], (11,), (0,), (1,), is_masked=True).stack
    stack.logits[:] = stack.logits[0, 10].clone()
    stack.n_active_rows[:, STEP - 1] = 0
    stack.fill_step(STEP)
    grammar = GRAMMARS[1]
    logits = stack.logits[0, 0, 0, : len(grammar.vocabulary)].cpu().numpy().astype(float)
    legal = grammar.legal_tokens(np.full((1, LENGTH), MASK, np.int16))[0, 0]
    expected = np.where(legal, np.exp(logits), 0.0)
    expected *= N_ROWS / expected.sum()
    counts = Counter(stack.drawn[0, :, 0].cpu().tolist())
    observed = np.array([counts[token] for token in range(len(legal))])
    assert observed[~legal].sum() == 0
    is_often = expected >= 5  # the others count as one outcome
    pooled = [np.append(each[is_often], each[~is_often].sum()) for each in (observed, expected)]
    keep = pooled[1] > 0
    assert chisquare(pooled[0][keep], pooled[1][keep]).pvalue > CHANCE
