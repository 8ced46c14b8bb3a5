import numpy as np
import torch
from scipy.stats import chisquare

from ddsr.generators.categorical import constrain, draw_tokens


def test_tokens_are_drawn_by_their_probability():
    probs = torch.tensor([0.1, 0.0, 0.6, 0.3]).expand(40_000, 1, 4)
    drawn = draw_tokens(probs, torch.rand(40_000, 1, generator=torch.Generator().manual_seed(0)))
    counts = np.bincount(drawn[:, 0].numpy(), minlength=4)
    assert counts[1] == 0
    assert chisquare(counts[[0, 2, 3]], 40_000 * np.array([0.1, 0.6, 0.3])).pvalue > 1e-3
    assert draw_tokens(probs[:1], torch.tensor([[0.0]])).item() == 0
    edges = torch.tensor([[0.0, 0.7, 0.3001, 0.0], [0.0, 0.7, 0.2999, 0.0]])
    almost_one = torch.full((2,), 1 - 2**-24)
    assert draw_tokens(edges, almost_one).tolist() == [2, 2]
    assert draw_tokens(edges, torch.zeros(2)).tolist() == [1, 1]
    assert draw_tokens(probs[:1] * 0.999, torch.tensor([[0.9999]])).item() == 3


def test_the_constrained_distribution_is_over_legal_tokens_or_over_all_where_none_is():
    is_legal = torch.tensor([[True, False, True], [False, False, False]])
    probs = constrain(torch.tensor([[1.0, 5.0, 1.0], [2.0, 2.0, 2.0]]), is_legal).exp()
    torch.testing.assert_close(probs, torch.tensor([[0.5, 0.0, 0.5], [1 / 3, 1 / 3, 1 / 3]]))
