"""The paper's policy that starts from the prior, with a small untrained network."""

from dataclasses import fields
from itertools import islice

import numpy as np
import pytest
import torch

from ddsr.config import PaperConfig
from ddsr.engine import Engine
from ddsr.errors import MethodError
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.generators.diffusion.schedule import step_levels
from ddsr.generators.prior.conditioned import ConditionedDiffusion
from ddsr.search import paper as learned_search
from ddsr.search.presets import assemble, parse_method, pose, settings, start
from ddsr.search.prior_start import start_from_prior
from prior_cases import TINY, write_weights

NAME = "paper:start=prior"
SMALL = {"max_length": 10, "batch_size": 20, "elite_fraction": 0.2, "updates_per_epoch": 2}
RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0]) / (0.3 + X[:, 1] ** 3)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return write_weights(tmp_path_factory.mktemp("prior") / "tiny.safetensors")


def posed(weights, X=X, vocabulary=None, name=NAME, **changes):
    method = parse_method(name)
    config = settings(method, SMALL | {"prior": weights} | changes)
    vocabulary = vocabulary or Vocabulary.of_size(X.shape[1])
    return method, pose(method, vocabulary, X, HARD[: len(X)], config=config, device="cpu")


def make_generator(weights, **options):
    problem = posed(weights, **options)[1]
    return start_from_prior(problem, problem.config)


def test_it_learns_as_the_paper_does(weights, monkeypatch):
    made, search = {}, learned_search.search

    def watched(generator, engine, memory, policy, *rest):
        made.update(generator=generator, policy=policy)
        return search(generator, engine, memory, policy, *rest)

    monkeypatch.setattr(learned_search, "search", watched)
    method, problem = posed(weights)
    states = start(method, problem)
    network, policy = made["generator"].network, made["policy"]
    before = [weight.detach().clone() for weight in network.parameters()]
    first, second = (state.stats for state in islice(states, 2))
    assert first.update is not None and second.update is not None
    assert isinstance(made["generator"], ConditionedDiffusion)
    assert all(
        getattr(policy.config, each.name) == getattr(settings(parse_method("paper"), SMALL), each.name)
        for each in fields(PaperConfig)
        if each.name != "prior"
    )
    assert policy.optimizer.param_groups[0]["lr"] == PaperConfig().learning_rate
    moved = [not torch.equal(*pair) for pair in zip(before, network.parameters(), strict=True)]
    assert sum(moved) > len(moved) / 2


@pytest.mark.parametrize("n_steps", [None, 3])
def test_it_draws_by_the_papers_backward_process(weights, n_steps, monkeypatch):
    generator = make_generator(weights, denoising_steps=n_steps)
    asked, predict = [], generator.predictor.start
    monkeypatch.setattr(
        generator.predictor, "start", lambda part, kept, step: asked.append(step) or predict(part, kept, step)
    )
    batch = generator.sample(20, epoch=0)
    assert asked == step_levels(10, n_steps)[:-1][: len(asked)] and len(asked) > 1
    assert type(generator).draw is MaskedDiffusion.draw
    assert generator.grammar.is_legal(batch.tokens).all()
    drawn = generator.draw(60, epoch=0)  # with repetition, of which `sample` keeps the first
    assert len(drawn) == 60 and len(np.unique(drawn, axis=0)) < 60


def test_unknown_tokens_and_many_columns_are_searched_as_well(weights):
    wide = RNG.uniform(0.5, 3.0, size=(60, TINY.max_variables + 3))
    vocabulary = Vocabulary([f"v{column}" for column in range(wide.shape[1])], ("add", "mul", "tanh", "sin"))
    method, problem = posed(weights, wide, vocabulary)
    generator = start_from_prior(problem, problem.config)
    assert len(generator.view.columns) == TINY.max_variables
    unknown = generator.network.unknown_logits
    assert generator.network.vocab_size == len(vocabulary) and (unknown < 0).sum() >= 4  # tanh, three columns
    states = list(islice(start(method, problem), 2))
    assert all(np.isfinite(state.stats.update.loss) for state in states)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prior": None}, "start=prior needs weights, but there is no prior"),
        ({"prior": "nowhere.safetensors"}, r"no file 'nowhere\.safetensors'"),
        ({"max_length": 17}, "max_length can be at most 16, .* not 17"),
        ({"denoiser": {"width": 32}}, "denoiser has no effect with start=prior"),
    ],
)
def test_what_it_cannot_start_from_is_refused_before_any_work(weights, changes, message, monkeypatch):
    def touched(*_, **__):
        raise AssertionError("data were looked at")

    monkeypatch.setattr(Engine, "__init__", touched)
    with pytest.raises(MethodError, match=message):
        assemble(NAME, Vocabulary.of_size(3), X, HARD, config=SMALL | {"prior": weights} | changes)


def test_damaged_weights_are_refused_before_any_work(weights, tmp_path):
    broken = tmp_path / "broken.safetensors"
    with open(weights, "rb") as file:
        broken.write_bytes(file.read()[:-1000])
    with pytest.raises(MethodError, match=r"broken\.safetensors"):
        assemble(NAME, Vocabulary.of_size(3), X, HARD, config=SMALL | {"prior": broken})


@pytest.mark.parametrize("name", ["paper:generator=d3pm:start=prior", "paper:start=prior:generator=d3pm"])
def test_d3pm_cannot_start_from_it(name):
    with pytest.raises(MethodError, match="generator=d3pm and start=prior exclude each other"):
        parse_method(name)


def test_a_prior_of_the_default_search_does_not_change_the_preset(weights):
    """`ddsr:refiner=none` is the paper's loop with an untrained network, whatever the prior."""
    small = SMALL | {"denoiser": {"feed_forward_width": 16}}
    drawn = []
    for prior in (weights, None):
        states, _ = assemble(
            "ddsr:refiner=none", Vocabulary.of_size(3), X, HARD, config=small | {"prior": prior}, device="cpu"
        )
        drawn.append(next(states).stats.mean_reward)
    assert drawn[0] == drawn[1]
