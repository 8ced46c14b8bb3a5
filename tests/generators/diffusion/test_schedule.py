"""Fewer denoising steps: their sizes, the positions that they keep, and what is drawn."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from ddsr._core import MASK, PAD
from ddsr.config import PaperConfig
from ddsr.errors import DDSRError
from ddsr.expression import Expression
from ddsr.generators.categorical import SAMPLING
from ddsr.generators.diffusion.generator import Backward, is_complete, keep_more
from ddsr.generators.diffusion.masking import draw_unmask_order, order_behind
from ddsr.generators.diffusion.schedule import step_levels
from ddsr.generators.diffusion.variation import mask_parts
from diffusion_cases import (
    SMALL,
    VOCABULARY,
    assert_drawn_from,
    exact_distribution,
    make_generator,
    make_tiny_generator,
)

LONGER = replace(SMALL, max_length=12)


@pytest.mark.parametrize("max_length", [1, 2, 7, 10, 32])
def test_steps_are_as_equal_as_whole_numbers_allow(max_length):
    for n_steps in range(1, max_length + 1):
        levels = step_levels(max_length, n_steps)
        sizes = [before - after for before, after in pairwise(levels)]
        assert levels[0] == max_length and levels[-1] == 0 and len(sizes) == n_steps
        assert min(sizes) >= 1 and max(sizes) - min(sizes) <= 1
    assert step_levels(max_length, None) == list(range(max_length, -1, -1))
    assert step_levels(max_length, max_length + 5) == step_levels(max_length, None)


def paper_draw(generator, n_rows, epoch):
    """Draw position by position, all rows together, as the paper's Algorithm 2 does."""
    max_length = generator.grammar.max_length
    order = draw_unmask_order(n_rows, max_length, np.random.default_rng((generator.seed, SAMPLING, epoch)))
    kept = np.full(order.shape, MASK, np.int16)
    drawn, is_done = np.full(order.shape, PAD, np.int16), np.zeros(n_rows, bool)
    for step in range(max_length, 0, -1):
        active = np.flatnonzero(~is_done)  # the grammar's random numbers go by row among these
        stream = epoch * max_length + step - 1
        logits = generator.predict(kept[active], step)
        filled = generator.grammar.fill_tokens(logits, kept[active], generator.seed, stream)
        drawn[active] = filled
        kept[active] = keep_more(kept[active], filled, order[active, max_length - step, None])
        is_done[active] = is_complete(kept[active], filled)
    return drawn


@pytest.mark.parametrize("n_steps", [None, 12, 100])
def test_a_step_per_position_draws_what_the_paper_draws(n_steps):
    generator = make_generator(config=replace(LONGER, denoising_steps=n_steps))
    np.testing.assert_array_equal(generator.draw(300, epoch=2), paper_draw(generator, 300, 2))


@pytest.mark.parametrize("n_steps", [1, 3, 5])
def test_each_step_is_one_prediction_and_every_draw_is_legal(n_steps, monkeypatch):
    generator = make_generator(config=replace(LONGER, denoising_steps=n_steps), n_threads=2)
    asked, start = [], generator.predictor.start
    monkeypatch.setattr(
        generator.predictor, "start", lambda part, kept, step: asked.append(step) or start(part, kept, step)
    )
    drawn = generator.draw(300, epoch=0)
    assert asked == step_levels(12, n_steps)[:-1]
    assert generator.grammar.is_legal(drawn).all()
    assert len(np.unique(drawn, axis=0)) > 30


@pytest.mark.parametrize("n_steps", [1, 2])
def test_sampled_frequencies_match_the_enumerated_distribution(n_steps):
    generator = make_tiny_generator(3, n_steps)
    expected = exact_distribution(generator, np.full(3, MASK, np.int16))
    assert_drawn_from(expected, generator.draw(20_000, epoch=0))


@pytest.mark.parametrize(("hole", "n_steps"), [((1, 2, 3), 2), ((1, 3), 3), ((1, 3), 1)])
def test_refilled_frequencies_match_the_enumerated_distribution(hole, n_steps):
    """With holes of a size between two steps of the schedule, too."""
    generator = make_tiny_generator(4, n_steps)
    given = Expression.parse("sin(x) + y", generator.grammar.vocabulary).tokens
    given = np.array(given, np.int16)
    given[list(hole)] = MASK
    rows = np.tile(given, (20_000, 1))
    order = order_behind(rows != MASK, np.random.default_rng(0))
    assert_drawn_from(exact_distribution(generator, given), generator.unmask(rows, order, stream=0))


def test_the_network_is_told_how_many_positions_of_a_row_are_masked():
    """Rows join with any number of masked positions, and then meet at the steps of the schedule."""
    generator = make_generator(config=replace(LONGER, denoising_steps=4))
    levels, rng = step_levels(12, 4), np.random.default_rng(1)
    masked = mask_parts(generator.draw(200, epoch=0), VOCABULARY.arities, (0.1, 0.9), rng)
    given, order = masked.noisy_tokens, order_behind(masked.noisy_tokens != MASK, rng)
    backward = Backward(generator, 0, given, order, stream=0)
    n_between, last_step = 0, np.full(len(given), 13)
    for step in range(12, 0, -1):
        if step not in backward.steps:
            continue
        active, before = backward.active, backward.kept.copy()
        joins = masked.step[active] == step
        assert (joins | (masked.step[active] > step) & (step in levels)).all()
        # no position that the order keeps later is shown
        ranks = np.argsort(order[active], axis=1)
        assert (before[active][ranks >= 12 - step] == MASK).all()
        n_between += joins.sum() if step not in levels else 0
        last_step[active] = step
        backward.take_step(step)
    assert n_between > 0  # otherwise nothing was tested
    finished = ~backward.is_done & (masked.step > 0)
    assert (last_step[finished] <= np.maximum(levels[-2], 0)).all()
    assert generator.grammar.is_legal(backward.drawn[masked.step > 0]).all()


def test_variations_in_few_steps_are_new_and_legal():
    generator = make_generator(config=replace(LONGER, denoising_steps=3))
    batch = generator.sample(40, epoch=0)
    varied = generator.vary(batch, 80, epoch=0)
    assert len(varied) and generator.grammar.is_legal(varied.tokens).all()
    assert not set(varied.keys()) & set(batch.keys())


def test_two_parts_draw_as_separate_batches():
    config = replace(LONGER, denoising_steps=3)
    generator, whole = make_generator(config=config), make_generator(config=config)
    generator.predictor.n_parts = 2  # as on a GPU
    order = draw_unmask_order(40, 12, np.random.default_rng(0))
    given = np.full(order.shape, MASK, np.int16)
    drawn = generator.unmask(given, order, stream=0)
    np.testing.assert_array_equal(drawn[::2], whole.unmask(given[::2], order[::2], stream=0))


def test_training_does_not_depend_on_the_steps():
    one, other = (make_generator(config=replace(SMALL, denoising_steps=n)) for n in (None, 2))
    clean = one.draw(50, epoch=0)
    views = [each.corrupt(clean, np.random.default_rng(0)) for each in (one, other)]
    assert np.array_equal(views[0].noisy_tokens, views[1].noisy_tokens)
    assert all(
        torch.equal(first, second)
        for first, second in zip(
            one.network.state_dict().values(), other.network.state_dict().values(), strict=True
        )
    )


@pytest.mark.parametrize("n_steps", [0, -1, 1.5, "8", True])
def test_a_bad_number_of_steps_is_refused(n_steps):
    with pytest.raises(DDSRError, match="denoising_steps"):
        PaperConfig(denoising_steps=n_steps)
