"""DSR's network sees parent and sibling, both when it samples and when it is trained."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn.functional import one_hot

from ddsr.config import DSRConfig
from ddsr.generators.recurrent.generator import RecurrentGenerator
from ddsr.generators.recurrent.network import TokenLSTM
from ddsr.generators.recurrent.order import breadth_first_rows
from ddsr.grammar import Grammar

CONFIG = DSRConfig(operators=("add", "mul"), max_length=9, min_length=1, constants=False)
CERTAIN = 50.0


class Echo(nn.Module):
    """Writes the token shown to it as parent or sibling (`shown`), and any token if that is empty."""

    def __init__(self, shown, vocab_size):
        super().__init__()
        self.shown, self.vocab_size = shown, vocab_size

    def forward(self, parent, sibling, state=None):
        ids = {"parent": parent, "sibling": sibling}[self.shown]
        return CERTAIN * one_hot(ids, self.vocab_size + 1)[..., :-1].float(), state


def make_generator(shown):
    vocabulary = CONFIG.vocabulary(("x", "y"))
    grammar = Grammar(vocabulary, CONFIG.max_length, CONFIG.max_constants)
    generator = RecurrentGenerator(grammar, CONFIG, 0, torch.device("cpu"))
    generator.network = Echo(shown, len(vocabulary))
    return generator


def positions_that_see(generator, shown):
    """Drawn tokens, what was drawn, what the network saw there, and where it saw a legal token."""
    prefix, _ = generator.draw(200, epoch=0)
    view = generator.corrupt(
        breadth_first_rows(generator.grammar.vocabulary, prefix), np.random.default_rng(0)
    )
    seen = getattr(view, shown)
    is_token = (seen < len(generator.grammar.vocabulary)) & (prefix >= 0)
    legal = np.take_along_axis(view.is_legal, np.where(is_token, seen, 0)[..., None], -1)[..., 0]
    return view, seen, is_token & legal


@pytest.mark.parametrize("shown", ("parent", "sibling"))
def test_samples_follow_from_the_shown_tokens(shown):
    generator = make_generator(shown)
    view, seen, is_seen = positions_that_see(generator, shown)
    assert is_seen.sum() > 100
    assert (view.clean_tokens[is_seen] == seen[is_seen]).all()


@pytest.mark.parametrize("shown", ("parent", "sibling"))
def test_training_shows_the_same_inputs_as_sampling(shown):
    generator = make_generator(shown)
    view, seen, is_seen = positions_that_see(generator, shown)
    log_probs = generator.log_probs(
        generator.network, generator.inputs(view), torch.from_numpy(view.is_legal)
    ).numpy()
    chosen = np.take_along_axis(log_probs, np.where(is_seen, seen, 0)[..., None], -1)[..., 0]
    np.testing.assert_allclose(chosen[is_seen], 0.0, atol=1e-5)


@pytest.mark.parametrize("changed", ("parent", "sibling"))
def test_the_network_distinguishes_parents_and_siblings(changed):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        network = TokenLSTM(vocab_size=4, hidden_size=8)
        for parameter in network.parameters():
            nn.init.normal_(parameter)
    ids = {"parent": torch.tensor([[0, 1]]), "sibling": torch.tensor([[4, 2]])}
    with torch.no_grad():
        base, _ = network(**ids)
        other, _ = network(**ids | {changed: torch.tensor([[ids[changed][0, 0].item(), 3]])})
    assert torch.equal(base[:, 0], other[:, 0])
    assert not torch.allclose(base[:, 1], other[:, 1])
