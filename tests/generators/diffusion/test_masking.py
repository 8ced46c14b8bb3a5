import numpy as np
from scipy.stats import chisquare

from ddsr._core import MASK, PAD
from ddsr.generators.diffusion.masking import draw_unmask_order, mask, mask_at_random
from ddsr.grammar import Grammar
from strategies import PLAIN

TOKENS = Grammar(PLAIN, max_length=12).sample(400, seed=0)


def test_step_t_hides_t_positions():
    for step in (0, 1, 5, 12):
        masked = mask(TOKENS, np.full(400, step), np.random.default_rng(0))
        is_shown = masked.noisy_tokens != MASK
        assert (masked.noisy_tokens[is_shown] == TOKENS[is_shown]).all()
        assert (masked.noisy_tokens != PAD).all()
        n_hidden = (~is_shown & (TOKENS != PAD)).sum(axis=1)
        n_empty = (TOKENS == PAD).sum(axis=1)
        assert (n_hidden <= step).all() and (n_hidden >= step - n_empty).all()
        assert (masked.is_masked == (~is_shown & (TOKENS != PAD))).all()
    full = TOKENS[(TOKENS != PAD).all(axis=1)]
    assert (mask(full, np.full(len(full), 5), np.random.default_rng(0)).is_masked.sum(axis=1) == 5).all()


def test_every_position_and_step_is_as_likely():
    rng = np.random.default_rng(1)
    order = draw_unmask_order(6000, 12, rng)
    assert (np.sort(order, axis=1) == np.arange(12)).all()
    assert chisquare(np.bincount(order[:, 0], minlength=12)).pvalue > 1e-3
    masked = mask_at_random(np.repeat(TOKENS, 15, axis=0), rng)
    counts = np.bincount(masked.step, minlength=13)
    assert counts[0] == 0 and chisquare(counts[1:]).pvalue > 1e-3
