"""Every setting that the default search has beyond the paper's is changed once, and its effect is checked."""

from dataclasses import fields

import numpy as np
import pytest

from ddsr import DDSRRegressor, Expression, Vocabulary
from ddsr.config import DefaultConfig, PaperConfig, RefinerConfig
from ddsr.search import presets as methods
from ddsr.search.presets import parse_method, pose, settings
from ddsr.search.turns import Balance
from field_cases import CASES, covers
from prior_cases import write_weights

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 2))
Y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0])  # not found by a tiny search


def fitted(preset="ddsr", callback=None, max_time=None, **changes):
    small = {"evaluations_per_epoch": 100, "max_length": 12, "n_epochs": 4, "batch_size": 20}
    config = small | {"prior": None, "model_selection": "best"} | changes
    model = DDSRRegressor(
        preset, random_state=0, device="cpu", config=config, callback=callback, max_time=max_time
    )
    return model.fit(X, Y)


def balance_of(monkeypatch, **changes):
    """The balance of a fit with these settings."""
    balances = []

    class Watched(Balance):
        def __post_init__(self):
            super().__post_init__()
            balances.append(self)

    with monkeypatch.context() as patch:
        patch.setattr("ddsr.search.default.Balance", Watched)
        fitted(n_epochs=1, **changes)
    return balances[0]


@covers("is_scale_free", DefaultConfig)
@pytest.mark.parametrize("method", ["ddsr:refiner=none", "ddsr:generator=none"])
def test_is_scale_free(method):
    """Constants that only scale and shift an expression are fitted outside of it, or not at all."""
    y = 1234.5 * np.sin(X[:, 0]) + 67.8
    vocabulary = Vocabulary(["x0", "x1"])
    for is_free in (True, False):
        config = settings(parse_method(method), {"is_scale_free": is_free})
        engine = pose(parse_method(method), vocabulary, X, y, config=config).engine
        sine = engine.score([Expression.parse("sin(x0)", vocabulary)])
        assert (sine.nrmse[0] < 1e-9) == is_free
        assert (sine.scale[0], sine.offset[0]) == (pytest.approx((1234.5, 67.8)) if is_free else (1.0, 0.0))


@covers("symmetries", DefaultConfig)
def test_symmetries():
    """Symmetries are searched for from the third epoch on; test_reduced_search.py tests what they find."""
    with_them, without = (
        fitted("ddsr:generator=none", symmetries=is_on, evolution={"exact": 0.0}).curves_
        for is_on in (True, False)
    )
    assert (with_them["seconds_reduce"] > 0.0).tolist() == [False, False, True, True]
    assert without["seconds_reduce"].max() == 0.0 and without["gain_symmetries"].isna().all()


@covers("evolution", DefaultConfig)
def test_evolution():
    assert fitted().stopped_by_ == "max_epochs"
    assert fitted(evolution=RefinerConfig(exact=0.9)).stopped_by_ == "exact"


@covers("evaluations_per_epoch", DefaultConfig)
def test_evaluations_per_epoch():
    states = []
    fitted(callback=states.append, evaluations_per_epoch=123, symmetries=False)
    assert [state.n_scored for state in states] == [123, 246, 369, 492]


@covers("least_share", DefaultConfig)
def test_least_share():
    turns = [(fitted(least_share=share).curves_["seconds_propose"] > 0).tolist() for share in (0.0, 0.5)]
    assert turns == [[False] * 4, [False, True, False, True]]


@covers("most_share", DefaultConfig)
def test_most_share(monkeypatch):
    for most in (0.2, 0.7):
        balance = balance_of(monkeypatch, most_share=most)
        balance.credit("generator", gain=1e9, seconds=1.0)
        assert balance.share("generator") == most
    with pytest.raises(ValueError, match="above most_share"):
        fitted(least_share=0.5, most_share=0.4)


@covers("head_start", DefaultConfig)
def test_head_start(monkeypatch):
    """Until then the generator has no turn, however large its share is."""
    for head_start in (0.0, 1e6):
        balance = balance_of(
            monkeypatch, head_start=head_start, least_share=0.5, max_time=60.0, max_evaluations=1
        )
        balance.credit("refiner", gain=1.0, seconds=1000.0)
        assert balance.is_turn_of("generator") == (head_start == 0.0)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return write_weights(tmp_path_factory.mktemp("prior") / "tiny.safetensors")


def contributors_of(monkeypatch, **changes):
    """The contributors of a fit with these settings, by name."""
    parts, search = [], methods.refined_search

    def watched(evolution, contributors, **options):
        parts.append({each.name: each for each in contributors})
        return search(evolution, contributors, **options)

    with monkeypatch.context() as patch:
        patch.setattr(methods, "refined_search", watched)
        fitted(n_epochs=1, **changes)
    return parts[0]


def test_prior(monkeypatch, weights):
    for prior in (weights, "default"):
        assert contributors_of(monkeypatch, prior=prior)["prior"].primer.weights == prior
    assert contributors_of(monkeypatch, prior=None)["prior"].is_done  # has nothing to propose


@covers("prior_share", DefaultConfig)
def test_prior_share(monkeypatch, weights):
    limits = {"max_time": 2000.0, "max_evaluations": 1}
    for share in (0.1, 0.4):
        assert (
            contributors_of(monkeypatch, prior=weights, prior_share=share, **limits)["prior"].share == share
        )


@covers("prior_learning_rate", DefaultConfig)
def test_prior_learning_rate(monkeypatch, weights):
    generator = contributors_of(monkeypatch, prior=weights, prior_learning_rate=3e-5)["generator"]
    assert generator.make_proposer().policy.optimizer.param_groups[0]["lr"] == 3e-5


def test_every_field_has_a_case():
    inherited = {known.name for known in fields(PaperConfig)}
    assert {known.name for known in fields(DefaultConfig)} - inherited == CASES[DefaultConfig]
