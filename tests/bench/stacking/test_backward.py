"""The whole backward process of a stack."""

import numpy as np
import pytest
import torch

from ddsr._core import MASK, PAD
from ddsr.generators.diffusion.generator import is_complete, keep_more
from stacking_cases import DEVICE, GRAMMARS, LENGTH, make_network, make_stack, needs_kernels

pytestmark = [
    needs_kernels,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # from NumPy, where the interpreter divides inf
]
N_ROWS = 60


@pytest.fixture(scope="module")
def networks():
    return [make_network(grammar, seed) for seed, grammar in enumerate(GRAMMARS[:2])]


@pytest.fixture(scope="module")
def stack(networks):
    return make_stack(GRAMMARS[:2], N_ROWS, networks)


@pytest.fixture(scope="module")
def drawn(stack):
    return stack.draw([3, 4], [0, 1], [True, True])


def test_expressions_are_complete_and_legal(drawn):
    for problem, grammar in enumerate(GRAMMARS[:2]):
        assert grammar.is_legal(drawn[problem]).all()
        assert len(np.unique(drawn[problem], axis=0)) > N_ROWS / 10


def test_steps_are_those_of_one_problem(stack, drawn, networks):
    """Repeat the generator's steps with the plain network and the native fill, in the kernel's orders."""
    for problem, (grammar, network) in enumerate(zip(GRAMMARS[:2], networks, strict=True)):
        order = stack.order[problem].cpu().numpy().astype(int)
        np.testing.assert_array_equal(np.sort(order, axis=1), np.tile(np.arange(LENGTH), (N_ROWS, 1)))
        seed, epoch = (3, 0) if problem == 0 else (4, 1)
        kept, expected = np.full((N_ROWS, LENGTH), MASK, np.int16), np.full((N_ROWS, LENGTH), PAD, np.int16)
        is_done = np.zeros(N_ROWS, bool)
        for step in range(LENGTH, 0, -1):
            with torch.no_grad():
                tokens = torch.from_numpy(kept).to(DEVICE)
                logits = network(tokens, torch.full((N_ROWS,), step, device=DEVICE)).cpu().numpy()
            filled = grammar.fill_tokens(logits, kept, seed, epoch * LENGTH + step - 1)
            expected[~is_done] = filled[~is_done]
            kept = keep_more(kept, filled, order[:, [LENGTH - step]])
            is_done |= is_complete(kept, filled)
        # in half precision a few draws fall on the other side of the border between two tokens
        assert (drawn[problem] == expected).all(axis=1).mean() > 0.8


def test_a_problem_draws_the_same_beside_others(drawn, networks):
    turned = make_stack(GRAMMARS[1::-1], N_ROWS, networks[::-1])
    again = turned.draw([4, 3], [1, 0], [True, False])
    np.testing.assert_array_equal(again[0], drawn[1])
    assert (again[1] == PAD).all()
