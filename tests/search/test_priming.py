"""The prior within the default search, with a small untrained network."""

import subprocess
import sys

import numpy as np
import pytest

from clock_cases import PATIENT
from ddsr import DDSRRegressor
from ddsr.config import DefaultConfig, RefinerConfig
from ddsr.deadline import Deadline
from ddsr.engine import Engine, FitOptions
from ddsr.errors import MethodError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.generators.prior.network import PriorNetwork
from ddsr.generators.prior.screen import choose_view
from ddsr.grammar import Grammar
from ddsr.search.contributors import prior as priming
from ddsr.search.contributors.contract import SearchView, TurnBudget
from ddsr.search.contributors.prior import (
    BATCH,
    UNTIMED_BATCH,
    UNTIMED_EPOCHS,
    Primer,
    Priming,
    tuning_config,
)
from ddsr.search.contributors.proposals import fit_proposals, write_scales
from ddsr.search.front import ParetoFront
from ddsr.search.presets import parse_method, pose, settings
from ddsr.search.prior_start import SHOWN_ROWS
from prior_cases import write_weights

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, size=(80, 2))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0]) / (0.3 + X[:, 1] ** 3)


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return write_weights(tmp_path_factory.mktemp("prior") / "tiny.safetensors")


def make_primer(weights, X=X, y=HARD):
    vocabulary = Vocabulary.of_size(X.shape[1])
    engine = Engine(vocabulary, X, y, options=FitOptions(is_scale_free=True))
    config = DefaultConfig(max_length=14, evolution=RefinerConfig(n_islands=2, island_size=20))
    return Primer(weights, (X, y), engine, Grammar(vocabulary, 14), config, 0, "cpu", 1)


def test_proposals_are_fitted_and_the_best_come_first(weights):
    primer = make_primer(weights)
    proposed, n_drawn = primer.propose(256)
    assert n_drawn == 256 and 10 < len(proposed) <= 200
    assert primer.grammar.is_legal(proposed.tokens).all()
    nrmse = primer.engine.score(proposed, options=FitOptions(max_steps=0, is_scale_free=True)).nrmse
    worth = np.log(nrmse) + primer.config.evolution.parsimony * proposed.sizes
    assert (np.diff(worth) > -0.05).mean() > 0.9


def test_nothing_is_proposed_after_the_end(weights):
    proposed, n_drawn = make_primer(weights).propose(32, Deadline(0.0))
    assert n_drawn == len(proposed) == 0


def proposed(due, epoch):
    """Proposals of the prior in an epoch."""
    view = SearchView(epoch, ParetoFront(), due.primer.engine, due.primer.grammar, None, None)
    found = due.propose(view, TurnBudget(100))
    return None if found is None else found.expressions


def test_without_a_limit_there_are_proposals_every_few_epochs(weights):
    due = Priming(make_primer(weights))
    numbers = [epoch for epoch in range(2 * UNTIMED_EPOCHS) if proposed(due, epoch) is not None]
    assert numbers == [UNTIMED_EPOCHS - 1, 2 * UNTIMED_EPOCHS - 1]
    assert due.n_drawn == 2 * UNTIMED_BATCH


def test_it_ends_when_the_grammar_has_no_more(weights):
    primer = make_primer(weights)
    primer.grammar = Grammar(primer.grammar.vocabulary, 3)
    due = Priming(primer)
    assert proposed(due, UNTIMED_EPOCHS - 1) is not None and due.is_done
    assert proposed(due, 2 * UNTIMED_EPOCHS - 1) is None


def test_with_a_limit_there_is_a_head_start_and_then_a_share(weights, clock):
    due = Priming(make_primer(weights), Deadline(clock.now + PATIENT), share=0.1)
    assert proposed(due, 9) is None  # the refiner begins alone
    clock.advance(2.0)
    propose = due.primer.propose

    def in_a_second(n, deadline):
        clock.advance(1.0)
        return propose(n, deadline)

    due.primer.propose = in_a_second
    assert proposed(due, 10) is not None and due.seconds == 1.0
    clock.advance(6.5)
    assert proposed(due, 11) is None  # a second of 9.5
    clock.advance(1.0)
    assert proposed(due, 12) is not None
    assert due.n_drawn == 2 * BATCH


def test_few_rows_of_large_data_are_shown_and_none_without_weight(weights):
    rows = RNG.uniform(1.0, 2.0, size=(30_000, 2))
    target, sample_weight = rows.sum(axis=1), np.arange(30_000) % 2
    posed = {"config": DefaultConfig(prior=weights), "device": "cpu"}
    problem = pose(parse_method("ddsr"), Vocabulary.of_size(2), rows, target, sample_weight, **posed)
    X_shown, y_shown = priming.make_primer(problem, posed["config"]).rows
    assert X_shown.shape == (SHOWN_ROWS, 2) and np.allclose(X_shown.sum(axis=1), y_shown)
    assert np.isin(y_shown, target[sample_weight == 1]).all()


def test_gains_of_the_prior_are_counted_separately(weights):
    config = {"prior": weights, "evaluations_per_epoch": 1, "max_length": 14, "model_selection": "best"}
    model = DDSRRegressor(max_epochs=6, random_state=0, device="cpu", config=config).fit(X, HARD)
    assert (model.curves_["gain_prior"] > 0.0).tolist() == [False] * 4 + [True, False]
    assert (model.curves_["seconds_prime"] > 0.0).tolist() == [False] * 4 + [True, False]


def test_a_saved_search_continues_the_sample(weights):
    first, later = Priming(make_primer(weights)), Priming(make_primer(weights))
    proposed(first, UNTIMED_EPOCHS - 1)
    later.restore(first.saved())
    for due in (first, later):
        due.then = proposed(due, 2 * UNTIMED_EPOCHS - 1)
    np.testing.assert_array_equal(first.then.tokens, later.then.tokens)


def test_a_search_that_was_primed_by_an_earlier_version_is_not_primed_again(weights):
    due = Priming(make_primer(weights))
    due.restore({"is_done": True})
    assert proposed(due, UNTIMED_EPOCHS - 1) is None


@pytest.mark.slow
def test_a_search_with_the_prior_gives_the_same_for_the_same_seed(weights):
    config = {
        "prior": weights,
        "evaluations_per_epoch": 100,
        "max_length": 14,
        "least_share": 0.5,
        "model_selection": "best",
        "evolution": RefinerConfig(n_islands=2, island_size=20),
    }
    one, other = (
        DDSRRegressor(max_epochs=6, random_state=1, device="cpu", config=config).fit(X, HARD)
        for _ in range(2)
    )
    assert one.equations_["equation"].tolist() == other.equations_["equation"].tolist()
    assert np.isfinite(one.curves_["loss"]).any()  # the prior was trained


def test_scales_are_written_into_expressions():
    vocabulary = Vocabulary.of_size(2)
    batch = Batch.of([Expression.parse("sin(2 * x0) * x1", vocabulary)])
    written = write_scales(batch, {"x0": 1e-6}, Grammar(vocabulary))
    assert written is not None
    rows = np.array([[2e6, 3.0], [1e5, 1.0]])
    np.testing.assert_allclose(written[0].to_callable()(rows), np.sin(2e-6 * rows[:, 0]) * rows[:, 1])
    assert write_scales(batch, {"x0": 1e-6}, Grammar(vocabulary, max_length=5)) is None


def test_proposals_for_extreme_inputs_are_fitted_on_the_data_as_they_are():
    small = X * [1e-9, 1.0]
    y = np.exp(-1.3 * X[:, 0]) * X[:, 1]
    vocabulary = Vocabulary.of_size(2)
    grammar = Grammar(vocabulary)
    engine = Engine(vocabulary, small, y)
    proposed = Batch.of([Expression.parse("exp(-0.5 * x0) * x1", vocabulary)])
    view = choose_view(small, y, 10, 128, 1, 0)
    options = FitOptions(max_steps=50, is_scale_free=True)
    scores = fit_proposals(proposed, engine, (small, y), view, grammar, options)
    assert scores.nrmse.min() < 1e-6


def test_teaching_keeps_the_prior_as_reference():
    config = tuning_config(DefaultConfig(), is_on_processor=True)
    assert config.epochs_per_reference > 10**6
    assert config.learning_rate == DefaultConfig().prior_learning_rate
    assert config.batch_size < DefaultConfig().batch_size
    assert tuning_config(DefaultConfig(), is_on_processor=False).batch_size == DefaultConfig().batch_size


def test_the_prior_is_an_option_of_the_method():
    assert settings(parse_method("ddsr:prior=default")).prior == "default"
    assert settings(parse_method("ddsr:prior=none")).prior is None
    assert settings(parse_method("ddsr")).prior == "default"
    with pytest.raises(MethodError, match="choose from: default, none; to use a file, pass prior="):
        parse_method("ddsr:prior=a.safetensors")


def test_a_prior_that_is_not_there_is_refused_at_once():
    with pytest.raises(MethodError, match="nowhere"):
        DDSRRegressor(max_epochs=1, config={"prior": "nowhere.safetensors"}).fit(X, HARD)
    with pytest.raises(MethodError, match="prior must be"):
        DefaultConfig(prior=3)


def test_the_shipped_size_is_small_enough():
    from ddsr.generators.prior.config import NetworkConfig

    n = PriorNetwork(NetworkConfig()).n_parameters
    assert 2 * n < 30e6  # bytes of a weights file
    assert 12 * n < 60e6  # bytes of a checkpoint


WITH_OR_WITHOUT_TORCH = """
import sys
from importlib.machinery import PathFinder

if sys.argv[1] == "without":
    find = PathFinder.find_spec
    is_torch = lambda name: name.partition(".")[0] == "torch"
    PathFinder.find_spec = lambda name, *others: None if is_torch(name) else find(name, *others)
import numpy as np
from ddsr import DDSRRegressor

X = np.random.default_rng(0).uniform(1, 3, size=(60, 2))
y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0]) / (0.3 + X[:, 1] ** 3)
config = dict(evaluations_per_epoch=500, model_selection="best", least_share=0.0, most_share=0.0)
model = DDSRRegressor(max_epochs=6, random_state=0, config=config).fit(X, y)
assert model.curves_["seconds_prime"].max() > 0.0
print(model.equations_["equation"].tolist(), "torch" in sys.modules)
"""


def test_a_search_with_the_prior_needs_no_torch():
    """As long as no generator is trained."""
    one, other = (
        subprocess.check_output([sys.executable, "-c", WITH_OR_WITHOUT_TORCH, kind], text=True)
        for kind in ("with", "without")
    )
    assert one == other and one.endswith("False\n")
