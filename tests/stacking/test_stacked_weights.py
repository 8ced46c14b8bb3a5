import pytest
import torch

from ddsr.config import DenoiserConfig
from ddsr.stacking.weights import StackedWeights
from stacking_cases import CONFIG, GRAMMARS, LENGTH, make_network

CPU = torch.device("cpu")


def test_weights_keep_names_and_shapes_and_come_back():
    weights = StackedWeights(3, 12, LENGTH, CONFIG, CPU)
    networks = [make_network(grammar, seed).to(CPU) for seed, grammar in enumerate(GRAMMARS)]
    for problem, network in enumerate(networks):
        weights.load(problem, network.state_dict(), network.vocab_size)
    for problem, network in enumerate(networks):
        state = network.state_dict()
        assert weights.tensors.keys() == state.keys()
        for name, tensor in weights.state_of(problem).items():
            torch.testing.assert_close(tensor, state[name], rtol=0, atol=0)
        mask = weights["embedding.weight"][problem, network.vocab_size]
        torch.testing.assert_close(mask, state["embedding.weight"][-1], rtol=0, atol=0)
    assert weights["encoder.0.feed_forward.widen.weight"].shape == (3, 64, 16)
    assert weights["to_logits.weight"].shape == (3, 12, 16)


def test_a_smaller_vocabulary_leaves_nothing_of_a_larger_one():
    weights = StackedWeights(1, 12, LENGTH, CONFIG, CPU)
    for grammar in (GRAMMARS[0], GRAMMARS[2]):
        network = make_network(grammar, 0).to(CPU)
        weights.load(0, network.state_dict(), network.vocab_size)
    assert not weights["embedding.weight"][0, network.vocab_size + 1 :].any()


def test_weights_that_do_not_fit_are_refused():
    weights = StackedWeights(1, 4, LENGTH, CONFIG, CPU)
    network = make_network(GRAMMARS[0], 0)
    with pytest.raises(ValueError, match="the stack takes 1 to 4"):
        weights.load(0, network.state_dict(), network.vocab_size)
    deeper = make_network(GRAMMARS[2], 0, DenoiserConfig(feed_forward_width=64, n_encoder_layers=2))
    with pytest.raises(ValueError, match="do not belong together"):
        StackedWeights(1, 12, LENGTH, CONFIG, CPU).load(0, deeper.state_dict(), deeper.vocab_size)


def test_making_a_stack_draws_no_random_number():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    StackedWeights(1, 4, LENGTH, CONFIG, CPU)
    assert torch.rand(1) == expected
