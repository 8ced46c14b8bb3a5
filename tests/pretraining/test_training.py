"""Training: masking, learning, and stages that add up to one run."""

from contextlib import closing
from itertools import count
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from ddsr._core import MASK
from ddsr.errors import DataError, MethodError
from ddsr_pretraining import training
from ddsr_pretraining.batches import batches_from, batches_of_chunk
from ddsr_pretraining.checkpoint import load_checkpoint, save_checkpoint
from ddsr_pretraining.training import Stage, Trainer, shift_some
from ddsr_pretraining.views import draw_views, masked_loss
from prior_cases import QUICK, TINY, PlainMaker

CPU = torch.device("cpu")


def make_trainer(**settings):
    return Trainer(TINY, QUICK, PlainMaker(**settings), {}, CPU)


def losses(trainer, steps, **stage):
    return [report.loss for report in trainer.run(Stage(steps=steps, **stage), report_every=1)]


def some_tokens(n=400, length=16):
    return torch.from_numpy(PlainMaker()(0, n).tokens)[:, :length]


def test_views_mask_in_both_ways():
    clean = some_tokens()
    views = draw_views(clean, 4, 16, torch.Generator().manual_seed(0))
    is_token = views.clean_tokens >= 0
    is_hidden = is_token & (views.noisy_tokens == MASK)
    assert is_hidden.any(dim=1).all()
    assert (views.noisy_tokens[~is_token] == MASK).all()
    assert (views.noisy_tokens[is_token & ~is_hidden] == views.clean_tokens[is_token & ~is_hidden]).all()
    assert ((views.weights > 0) == is_hidden).all()
    torch.testing.assert_close(views.weights.sum(dim=1), torch.ones(len(is_token)))
    shown_behind_hidden = (is_hidden.long().cumsum(dim=1) > 0) & is_token & ~is_hidden
    assert not shown_behind_hidden[::2].any()  # these show a prefix
    assert shown_behind_hidden[1::2].any()


def test_views_can_be_cut():
    views = draw_views(some_tokens(), 2, 4, torch.Generator().manual_seed(0))
    assert views.noisy_tokens.shape == (800, 4)
    assert views.weights.isfinite().all()


def test_loss_counts_only_masked_tokens():
    views = draw_views(some_tokens(8), 2, 16, torch.Generator().manual_seed(0))
    logits = torch.zeros((16, 16, 13))
    assert float(masked_loss(logits, views)) == pytest.approx(np.log(13))
    is_shown = views.noisy_tokens >= 0
    logits[is_shown] = torch.randn((int(is_shown.sum()), 13))
    assert float(masked_loss(logits, views)) == pytest.approx(np.log(13))


def test_offsets_shift_some_targets():
    y = torch.rand((1000, 5)) + 1.0
    is_row = torch.ones(y.shape, dtype=torch.bool)
    shifted = shift_some(y, is_row, 0.25, torch.Generator().manual_seed(0))
    is_shifted = (shifted != y).all(dim=1)
    assert 0.15 < is_shifted.float().mean() < 0.35
    torch.testing.assert_close(shifted - shifted[:, :1], y - y[:, :1], atol=1e-5, rtol=1e-5)


def test_batches_are_known_by_their_number():
    make = PlainMaker()
    in_a_row = [*batches_of_chunk(make, QUICK, 0), *batches_of_chunk(make, QUICK, 1)]
    with closing(batches_from(1, make, QUICK, is_pinned=False)) as stream:
        for expected, batch in zip(in_a_row[1:], stream, strict=False):
            assert torch.equal(batch.tokens, expected.tokens)
            assert torch.equal(batch.y, expected.y)


def test_failures_of_the_maker_are_raised():
    def fail(first_index, n):
        raise ValueError("no examples")

    with (
        closing(batches_from(0, fail, QUICK, False)) as stream,
        pytest.raises(ValueError, match="no examples"),
    ):
        next(iter(stream))


def test_training_resumes_to_the_same_loss(tmp_path):
    whole = make_trainer()
    expected = losses(whole, 9)
    first = make_trainer()
    beginning = losses(first, 5)
    save_checkpoint(tmp_path, first.checkpoint())
    second = Trainer.resumed(load_checkpoint(tmp_path), PlainMaker(), CPU)
    rest = losses(second, 4)
    assert second.progress.step == 9
    assert [*beginning, *rest] == pytest.approx(expected, rel=1e-6)
    for one, other in zip(whole.network.parameters(), second.network.parameters(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)


def test_learning_rate_warms_up_stays_and_anneals():
    trainer = make_trainer()
    rates = [report.learning_rate for report in trainer.run(Stage(steps=12), report_every=1)]
    assert rates[0] < rates[5] < rates[-1] == QUICK.learning_rate
    rates = [report.learning_rate for report in trainer.run(Stage(steps=4, final_share=0.5), report_every=1)]
    assert all(later < earlier for earlier, later in zip(rates, rates[1:], strict=False))
    assert trainer.checkpoint().progress.rate_share == 0.5


def test_a_stage_ends_in_time(monkeypatch):
    """The clock advances by a tenth of a second at each reading, which happens twice per step."""
    ticks = count()
    monkeypatch.setattr(training, "time", SimpleNamespace(monotonic=lambda: 0.1 * next(ticks)))
    trainer = make_trainer()
    monkeypatch.setattr(trainer, "held_out_loss", lambda: 1.0)
    reports = list(trainer.run(Stage(seconds=1.0)))
    assert 0 < trainer.progress.step <= 10
    assert 1.0 <= trainer.progress.seconds < 1.5
    assert reports[-1].held_out_loss == 1.0


@pytest.mark.slow
def test_a_little_training_lowers_the_loss():
    trainer = make_trainer()
    before = trainer.held_out_loss(256)
    losses(trainer, 30)
    assert trainer.held_out_loss(256) < before


def test_a_stopped_stage_can_be_resumed():
    trainer = make_trainer()
    for report in trainer.run(Stage(steps=50), report_every=1):
        if report.step == 3:
            trainer.stop()
    assert trainer.progress.step == 3
    again = Trainer.resumed(trainer.checkpoint(), PlainMaker(), CPU)
    assert losses(again, 2) == pytest.approx(losses(make_trainer(), 5)[3:], rel=1e-6)


def test_padded_latents_change_nothing():
    trainer = make_trainer()
    batch = batches_of_chunk(PlainMaker(), QUICK, 0)[0]
    expected = trainer.gradient.take(trainer._drawn(batch, trainer._generator(0)))
    gradients = [parameter.grad.clone() for parameter in trainer.network.parameters()]
    trainer._is_compiled = True  # this pads the latents
    found = trainer.gradient.take(trainer._drawn(batch, trainer._generator(0)))
    assert float(found) == pytest.approx(float(expected), rel=1e-5)
    for parameter, gradient in zip(trainer.network.parameters(), gradients, strict=True):
        torch.testing.assert_close(parameter.grad, gradient, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("numbers", [(float("nan"), 1.0), (1.0, float("inf"))])
def test_nonfinite_numbers_end_a_stage(monkeypatch, numbers):
    trainer = make_trainer()
    monkeypatch.setattr(trainer, "step", lambda *_: tuple(torch.tensor(number) for number in numbers))
    with pytest.raises(DataError, match=r"at step 2: restart with a learning_rate below 0\.003"):
        list(trainer.run(Stage(steps=5), report_every=2))


def test_graphs_are_refused_without_a_gpu():
    with pytest.raises(MethodError, match="--device cuda"):
        make_trainer().capture()


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_graphs_learn_what_plain_steps_learn():
    device = torch.device("cuda")
    plain, captured = (Trainer(TINY, QUICK, PlainMaker(n_variables=2), {}, device) for _ in range(2))
    captured.capture()
    assert losses(captured, 12) == pytest.approx(losses(plain, 12), rel=1e-2)
