"""Every hyperparameter is changed once, and its own effect on a run is checked.

A case is a function named after a field; a field without a case fails the last test.
"""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pytest
import torch

from ddsr import DDSRRegressor
from ddsr._core import PAD
from ddsr.config import DenoiserConfig, DSRConfig, ObjectiveConfig, PaperConfig
from ddsr.generators.prior.weights import load_weights
from ddsr.generators.recurrent.order import prefix_rows
from field_cases import CASES, covers
from prior_cases import write_weights
from watched_run import Run

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 2))
Y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0])  # not found by a tiny search
TINY = {"max_length": 14, "batch_size": 40, "elite_fraction": 0.25, "n_epochs": 1, "updates_per_epoch": 1}
TINY_OF = {
    "paper": TINY | {"max_length": 10, "denoiser": DenoiserConfig(feed_forward_width=16)},
    "dsr": TINY,
}
BOTH = pytest.mark.parametrize("preset", TINY_OF)


@pytest.fixture(scope="module")
def run():
    """Fit a tiny model with some settings changed. Fits are cached."""

    @cache
    def fit(preset="paper", **changes):
        config = TINY_OF.get(preset, TINY) | changes
        return Run.of(DDSRRegressor(preset, random_state=0, device="cpu", config=config), X, Y)

    return fit


def same(left, right):
    return all(torch.equal(left[name], right[name]) for name in left)


def operators_in(batch):
    vocabulary = batch.vocabulary
    present = set(np.unique(batch.tokens[batch.tokens != PAD]).tolist())
    return {name for name in vocabulary.operators if vocabulary.token(name) in present}


# Settings of every search


@BOTH
@covers("operators", PaperConfig, DSRConfig)
def test_operators(run, preset):
    assert operators_in(run(preset).batches[0]) - {"add", "mul"}
    assert operators_in(run(preset, operators=("add", "mul")).batches[0]) == {"add", "mul"}


@BOTH
@covers("constants", PaperConfig, DSRConfig)
def test_constants(run, preset):
    assert max(e.n_constants for e in run(preset).batches[0]) > 0
    without = run(preset, constants=False)
    assert max(e.n_constants for e in without.batches[0]) == 0
    assert not without.batches[0].vocabulary.has_constant


@BOTH
@covers("max_length", PaperConfig, DSRConfig)
def test_max_length(run, preset):
    assert run(preset).sizes.max() > 5
    assert run(preset, max_length=5, batch_size=20).sizes.max() == 5


@BOTH
@covers("max_constants", PaperConfig, DSRConfig)
def test_max_constants(run, preset):
    assert max(e.n_constants for e in run(preset).batches[0]) > 1
    assert max(e.n_constants for e in run(preset, max_constants=1).batches[0]) == 1


@BOTH
@covers("fit_steps", PaperConfig, DSRConfig)
def test_fit_steps(run, preset):
    """Constants start at 1 and stay there without steps."""
    unfitted, fitted = (run(preset, fit_steps=steps).pools[0].batch for steps in (0, 10))
    assert any(expression.n_constants for expression in unfitted)
    assert all(set(expression.constants) <= {1.0} for expression in unfitted)
    assert any(set(expression.constants) - {1.0} for expression in fitted)
    assert PaperConfig().fit_steps == DSRConfig().fit_steps == 10


@BOTH
@covers("batch_size", PaperConfig, DSRConfig)
def test_batch_size(run, preset):
    assert len(run(preset).batches[0]) == 40
    assert len(run(preset, batch_size=24).batches[0]) == 24


@BOTH
@covers("elite_fraction", PaperConfig, DSRConfig)
def test_elite_fraction(run, preset):
    assert len(run(preset).pools[0]) == 10
    less = run(preset, elite_fraction=0.1, n_epochs=3)
    # the long short-term memory joins kept and new expressions; DSR's starts afresh
    most = 8 if preset == "paper" else 4
    assert len(less.pools[0]) == 4 and max(map(len, less.pools)) <= most


@BOTH
@covers("learning_rate", PaperConfig, DSRConfig)
def test_learning_rate(run, preset):
    """Adam's first step equals the rate for every weight with a gradient."""
    for rate in (1e-3, 2e-2):
        before, after = run(preset, learning_rate=rate).weights
        longest = max((after[name] - before[name]).abs().max().item() for name in before)
        assert longest == pytest.approx(rate, rel=1e-2)


@BOTH
@covers("n_epochs", PaperConfig, DSRConfig)
def test_n_epochs(run, preset):
    found = run(preset, n_epochs=3)
    assert found.model.n_epochs_ == 3 and found.model.stopped_by_ == "max_epochs"


@BOTH
@covers("updates_per_epoch", PaperConfig, DSRConfig)
def test_updates_per_epoch(run, preset):
    found = run(preset, updates_per_epoch=3, n_epochs=2)
    assert len(found.views) == 6
    assert {int(state["step"]) for state in found.policy.optimizer.state.values()} == {6}


@BOTH
@covers("epochs_per_reference", PaperConfig, DSRConfig)
def test_epochs_per_reference(run, preset):
    settings = {"n_epochs": 4, "learning_rate": 1e-2}
    found = run(preset, epochs_per_reference=2, **settings)
    for epoch, reference in enumerate(found.references):
        assert same(reference, found.weights[epoch - epoch % 2])
        assert not same(reference, found.weights[epoch + 1])
    if preset == "paper":  # with one step per epoch, θ is θ_ref where that was renewed
        kl = found.updates("kl")
        assert max(abs(kl[0]), abs(kl[2])) < 1e-6 and min(kl[1], kl[3]) > 1e-5
        assert (run(preset, epochs_per_reference=9, **settings).updates("kl")[1:] > 1e-5).all()


@BOTH
@covers("objective", PaperConfig, DSRConfig)
def test_objective(run, preset):
    """After the same first step, the losses differ by the additional weight of the entropy."""
    less, more = (run(preset, objective=ObjectiveConfig(entropy_weight=w)) for w in (0, 2))
    expected = less.updates("loss")[0] - 2 * less.updates("entropy")[0]
    assert more.updates("loss")[0] == pytest.approx(expected, rel=1e-5)


# Settings of the paper's search


@covers("oversampling", PaperConfig)
def test_oversampling(run):
    assert run(batch_size=20).n_drawn == [60]
    assert run(batch_size=20, oversampling=5).n_drawn == [100]


@covers("denoising_steps", PaperConfig)
def test_denoising_steps(run):
    """Few steps draw other expressions from the same weights."""
    every, few = run(), run(denoising_steps=2)
    assert same(every.weights[0], few.weights[0])
    assert list(every.batches[0].keys()) != list(few.batches[0].keys())
    assert list(every.batches[0].keys()) == list(run(denoising_steps=10).batches[0].keys())


@covers("prior", PaperConfig)
def test_prior(run, tmp_path):
    path = write_weights(tmp_path / "tiny.safetensors")
    first = run("paper:start=prior", prior=path).weights[0]
    for name, weight in load_weights(path)[0].denoiser.state_dict().items():
        assert torch.equal(first[f"denoiser.{name}"], weight)


@covers("denoiser", PaperConfig)
def test_denoiser(run):
    network = run(denoiser=DenoiserConfig(width=8, feed_forward_width=24)).generator.network
    assert network.embedding.embedding_dim == 8
    assert network.encoder[0].feed_forward.widen.weight.shape == (24, 8)


def network_with(run, **changes):
    return run(denoiser=replace(TINY_OF["paper"]["denoiser"], **changes)).generator.network


@covers("width", DenoiserConfig)
def test_width(run):
    network = network_with(run, width=20)
    assert network.embedding.weight.shape[1] == network.to_logits.weight.shape[1] == 20
    assert network.position_codes.shape[1] == network.step_codes.shape[1] == 10


@covers("n_encoder_layers", DenoiserConfig)
@covers("n_decoder_layers", DenoiserConfig)
@pytest.mark.parametrize("part, other", [("encoder", "decoder"), ("decoder", "encoder")])
def test_n_layers(run, part, other):
    """The loss reaches all layers."""
    network = network_with(run, **{f"n_{part}_layers": 3})
    layers = getattr(network, part)
    assert (len(layers), len(getattr(network, other))) == (3, 1)
    assert all(layer.feed_forward.narrow.weight.grad.any() for layer in layers)


@covers("n_heads", DenoiserConfig)
def test_n_heads(run):
    """Each slice of the width attends separately."""
    attention = network_with(run, n_heads=4).encoder[0].self_attention
    x = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(0))
    query, key, value = (layer(x) for layer in (attention.query, attention.key, attention.value))
    slices = [slice(start, start + 4) for start in range(0, 16, 4)]
    heads = [(query[..., s] @ key[..., s].mT / 2).softmax(-1) @ value[..., s] for s in slices]
    torch.testing.assert_close(attention(x, x), attention.out(torch.cat(heads, dim=-1)))


@covers("first_arities", DenoiserConfig)
def test_first_arities(run):
    leafy, branchy = (
        run(max_length=14, denoiser=DenoiserConfig(feed_forward_width=16, first_arities=odds)).sizes.mean()
        for odds in ((0.8, 0.1, 0.1), (0.1, 0.1, 0.8))
    )
    assert leafy < branchy - 3


@covers("feed_forward_width", DenoiserConfig)
def test_feed_forward_width(run):
    network = network_with(run, feed_forward_width=40)
    for layer in (*network.encoder, *network.decoder):
        assert layer.feed_forward.widen.weight.shape == (40, 16)
        assert layer.feed_forward.narrow.weight.shape == (16, 40)


# Settings of its objective


def updated_with(run, n_updates, **changes):
    objective = replace(ObjectiveConfig(entropy_weight=0.0), **changes)
    return run(updates_per_epoch=n_updates, learning_rate=1e-2, objective=objective)


@covers("clip_range", ObjectiveConfig)
def test_clip_range(run):
    """No ratio leaves a wide range; in a narrow one nearly all steps but the first are clipped."""
    assert updated_with(run, 4, clip_range=1e6).updates("clip_share")[0] == 0
    assert updated_with(run, 4, clip_range=1e-9).updates("clip_share")[0] > 0.5


@covers("kl_weight", ObjectiveConfig)
def test_kl_weight(run):
    """β has no gradient in the first of two steps, where θ is θ_ref, so losses differ only by its term."""
    free, held = (updated_with(run, 2, kl_weight=weight) for weight in (0.0, 0.5))
    n_tokens = (free.views[0].clean_tokens != PAD).sum()
    term = 0.5 * free.updates("kl")[0] * n_tokens / len(free.pools[0])
    assert term > 0
    assert held.updates("loss")[0] - free.updates("loss")[0] == pytest.approx(term, rel=1e-2)


@covers("entropy_weight", ObjectiveConfig)
def test_entropy_weight(run):
    none, much = (updated_with(run, 1, entropy_weight=weight) for weight in (0.0, 3.0))
    entropy = none.updates("entropy")[0]
    assert much.updates("entropy")[0] == entropy > 0
    assert much.updates("loss")[0] == pytest.approx(none.updates("loss")[0] - 3 * entropy, rel=1e-5)


@covers("sums_entropy", ObjectiveConfig)
def test_sums_entropy(run):
    """The mean over tokens times the number of masked tokens of an expression."""
    mean, total = (updated_with(run, 1, entropy_weight=3.0, sums_entropy=sums) for sums in (False, True))
    entropy, n_masked = mean.updates("entropy")[0], mean.views[0].is_masked.sum(axis=1)
    gain = 3.0 * entropy * (n_masked[n_masked > 0].mean() - 1.0)
    assert total.updates("loss")[0] == pytest.approx(mean.updates("loss")[0] - gain, rel=1e-4)


@covers("counts_masked_only", ObjectiveConfig)
def test_counts_masked_only(run):
    """In the first step every ratio is 1, so the loss is the advantage times the number of counted tokens."""
    for masked_only in (False, True):
        found = updated_with(run, 1, counts_masked_only=masked_only)
        view, pool = found.views[0], found.pools[0]
        n_counted = (view.is_masked if masked_only else view.clean_tokens != PAD).sum(axis=1)
        expected = -(pool.advantage * n_counted).sum() / len(pool)
        assert found.updates("loss")[0] == pytest.approx(expected, rel=1e-4)


# Settings of DSR's search


@covers("hidden_size", DSRConfig)
def test_hidden_size(run):
    network = run("dsr", hidden_size=12).generator.network
    assert network.lstm.weight_hh_l0.shape == (4 * 12, 12) and network.to_logits.in_features == 12


@covers("min_length", DSRConfig)
def test_min_length(run):
    shortest = [run("dsr", preferred_length=1.0, min_length=least).sizes.min() for least in (1, 4, 6)]
    assert shortest[0] < 4 and shortest[1:] == [4, 6]


@covers("preferred_length", DSRConfig)
def test_preferred_length(run):
    """Expressions do not end before it, and in prefix order no operator comes after it."""
    for preferred in (5, 9):
        batch = run("dsr", batch_size=200, preferred_length=float(preferred), length_scale=0.01).batches[0]
        arities = np.append(batch.vocabulary.arities, 0)  # the last one is PAD's
        is_operator = arities[prefix_rows(batch.vocabulary, batch.tokens)] > 0
        last = is_operator.shape[1] - 1 - is_operator[:, ::-1].argmax(axis=1)
        assert last.max() == preferred and batch.sizes.min() == preferred + 1


@covers("length_scale", DSRConfig)
def test_length_scale(run):
    """A smaller scale keeps lengths closer to the preferred one."""
    near, far = (
        run("dsr", batch_size=200, max_length=24, preferred_length=9.0, length_scale=scale).sizes
        for scale in (0.3, 1e3)
    )
    assert near.std() < 0.7 * far.std()


# Settings of the end of any search


@BOTH
@covers("max_evaluations", PaperConfig, DSRConfig)
def test_max_evaluations(run, preset):
    model = run(preset, n_epochs=9, max_evaluations=70).model
    assert model.stopped_by_ == "max_evaluations" and model.n_epochs_ == 2


@BOTH
@covers("patience", PaperConfig, DSRConfig)
def test_patience(run, preset):
    """With few possible expressions, all are found at once."""
    few = {"max_length": 3, "operators": ("add",), "constants": False}
    if preset == "dsr":
        few |= {"min_length": 1}
    model = run(preset, n_epochs=50, patience=2, **few).model
    assert model.stopped_by_ == "no_progress" and model.n_epochs_ < 50


@BOTH
@covers("reward", PaperConfig, DSRConfig)
def test_reward(run, preset):
    """The elites are other expressions, whose rewards count their price."""
    by_error, by_length = (run(preset, reward=name) for name in ("error", "description_length"))
    assert by_length.model.curves_["best_reward"].iloc[-1] < by_error.model.curves_["best_reward"].iloc[-1]


@BOTH
@covers("model_selection", PaperConfig, DSRConfig)
def test_model_selection(run, preset):
    accurate, brief = (run(preset, model_selection=name).model for name in ("accuracy", "best"))
    assert accurate.front_ == brief.front_
    assert accurate.best_ == accurate.front_.most_accurate()
    assert brief.best_ == brief.front_.best(len(X)) != accurate.best_


@BOTH
@covers("operator_costs", PaperConfig, DSRConfig)
def test_operator_costs(run, preset):
    """Where every operator costs more than it can explain, the choice has none."""
    operators = run(preset).batches[0].vocabulary.operators
    costs = dict.fromkeys(operators, 1e6)
    model = run.__wrapped__(preset, model_selection="description_length", operator_costs=costs).model
    assert len(model.best_.equation) == 1


@BOTH
@covers("variable_costs", PaperConfig, DSRConfig)
def test_variable_costs(run, preset):
    """Rewards that count the price are lower."""
    costs = {"x0": 9.0, "x1": 9.0}
    plain = run(preset, reward="description_length").model
    charged = run.__wrapped__(preset, reward="description_length", variable_costs=costs).model
    assert charged.curves_["best_reward"].iloc[-1] < plain.curves_["best_reward"].iloc[-1]


@pytest.mark.parametrize("kind", [PaperConfig, DSRConfig, DenoiserConfig, ObjectiveConfig])
def test_every_field_has_a_case(kind):
    assert {known.name for known in fields(kind)} == CASES[kind]
