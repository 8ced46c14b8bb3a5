"""The parameters θ of several networks in one row, and back."""

import numpy as np
import pytest
import torch

from ddsr.config import DenoiserConfig
from ddsr_bench.stacking.parameters import EMBEDDING, StackedParameters
from stacking_cases import CONFIG, GRAMMARS, LENGTH, make_network, weights_of

CPU = torch.device("cpu")


def test_networks_keep_their_weights():
    parameters = StackedParameters(3, 12, LENGTH, CONFIG, CPU)
    networks = [make_network(grammar, seed) for seed, grammar in enumerate(GRAMMARS)]
    for member, network in enumerate(networks):
        parameters.load_network(member, weights_of(network), network.vocab_size)
    stacked = parameters.named(parameters.current)
    for member, network in enumerate(networks):
        weights = weights_of(network)
        found = parameters.saved(member, network.vocab_size)["network"]
        assert found.keys() == weights.keys()
        for name in weights:
            np.testing.assert_array_equal(found[name], weights[name])
        np.testing.assert_array_equal(stacked[EMBEDDING][member, 12].numpy(), weights[EMBEDDING][-1])
    assert stacked["to_logits.weight"].shape == (3, 12, 16)


def test_a_smaller_vocabulary_leaves_nothing_of_a_larger_one():
    parameters = StackedParameters(1, 12, LENGTH, CONFIG, CPU)
    for grammar in (GRAMMARS[0], GRAMMARS[2]):
        network = make_network(grammar, 0)
        parameters.load_network(0, weights_of(network), network.vocab_size)
    assert not parameters.named(parameters.current)[EMBEDDING][0, network.vocab_size : 12].any()


def test_weights_that_do_not_fit_are_refused():
    network = make_network(GRAMMARS[0], 0)
    with pytest.raises(ValueError, match="the stack takes 1 to 4"):
        StackedParameters(1, 4, LENGTH, CONFIG, CPU).load_network(0, weights_of(network), network.vocab_size)
    deeper = make_network(GRAMMARS[2], 0, DenoiserConfig(feed_forward_width=64, n_encoder_layers=2))
    with pytest.raises(ValueError, match="do not belong together"):
        StackedParameters(1, 12, LENGTH, CONFIG, CPU).load_network(0, weights_of(deeper), deeper.vocab_size)


def test_making_a_stack_draws_no_random_number():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    StackedParameters(1, 4, LENGTH, CONFIG, CPU)
    assert torch.rand(1) == expected
