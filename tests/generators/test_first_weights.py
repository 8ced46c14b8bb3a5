"""Initial weights depend only on the seed."""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn

from ddsr.generators.first_weights import first_weights


def weights(seed):
    with first_weights(seed):
        layers = [nn.Linear(8, 8) for _ in range(20)]
    return torch.stack([layer.weight.detach() for layer in layers])


def test_threads_do_not_take_numbers_from_each_other():
    alone = [weights(seed) for seed in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert all(map(torch.equal, pool.map(weights, range(8)), alone))


def test_the_generator_of_torch_is_left_as_it_was():
    before = torch.random.get_rng_state()
    weights(0)
    assert torch.equal(torch.random.get_rng_state(), before)
