"""The prior within the default search, with a small untrained network."""

import subprocess
import sys
import time
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from ddsr import DDSRRegressor
from ddsr.config import DefaultConfig, RefinerConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, FitOptions
from ddsr.errors import MethodError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.generators.prior.network import PriorNetwork
from ddsr.generators.prior.screen import choose_view
from ddsr.grammar import Grammar
from ddsr.search.contributors import prior as priming
from ddsr.search.contributors.contract import SearchView, TurnBudget
from ddsr.search.contributors.evolution import Evolution, Refiner
from ddsr.search.contributors.prior import UNTIMED_EPOCHS, Primer, Priming, tuning_config
from ddsr.search.contributors.proposals import fit_proposals, write_scales
from ddsr.search.default import refined_search
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
    proposed = primer.propose(NEVER)
    assert 10 < len(proposed) <= 200
    assert primer.grammar.is_legal(proposed.tokens).all()
    nrmse = primer.engine.score(proposed, options=FitOptions(max_steps=0, is_scale_free=True)).nrmse
    worth = np.log(nrmse) + primer.config.evolution.parsimony * proposed.sizes
    assert (np.diff(worth) > -0.05).mean() > 0.9


@pytest.mark.parametrize(("until", "sizes"), [(Deadline(0.0), [32]), (NEVER, [32, 224])])
def test_as_many_are_drawn_as_there_is_time_for(weights, until, sizes):
    """There is always a first small batch; without a limit the number is fixed."""
    primer, drawn = make_primer(weights), []
    primer.generator = primer.make_generator(primer.config, NEVER)
    draw = primer.generator.draw_distinct

    def noted(n, stream):
        drawn.append(n)
        return draw(n, stream)

    primer.generator.draw_distinct = noted
    primer.propose(until)
    assert drawn == sizes


def proposed(due, epoch):
    """Proposals of the prior in an epoch, which depend on the number of the epoch alone."""
    view = SearchView(epoch, ParetoFront(), due.primer.engine, due.primer.grammar, None, None)
    found = due.propose(view, TurnBudget(100))
    return None if found is None else found.expressions


def test_proposals_are_made_once(weights):
    due = Priming(make_primer(weights))
    assert proposed(due, UNTIMED_EPOCHS - 2) is None and not due.is_done
    assert len(proposed(due, UNTIMED_EPOCHS - 1)) > 10
    assert due.is_done and proposed(due, UNTIMED_EPOCHS) is None


def test_with_a_time_limit_weights_are_loaded_in_the_background(weights):
    due = Priming(make_primer(weights), Deadline(time.monotonic() + 3600.0), share=1e-9)
    assert proposed(due, 9) is None and not due.is_done  # the refiner begins alone
    due._begins = 0.0
    assert proposed(due, 10) is None and not due.is_done  # now they are loaded
    due._loading.join()
    assert len(proposed(due, 11)) > 0
    assert due.is_done and proposed(due, 12) is None


@pytest.mark.parametrize(("seconds", "has_prior"), [(3.0, False), (3600.0, True)])
def test_short_time_limits_have_no_prior(weights, seconds, has_prior):
    vocabulary, config = Vocabulary.of_size(2), DefaultConfig(prior=weights)
    problem = pose(parse_method("ddsr"), vocabulary, X, HARD, config=config, device="cpu")
    problem = replace(problem, deadline=Deadline(time.monotonic() + seconds))
    assert (priming.make_primer(problem, config) is not None) == has_prior


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


def test_a_search_is_primed_once_though_it_was_saved(weights):
    primer = make_primer(weights)
    parts = {"evaluations": 50, "front": ParetoFront()}

    def search(priming, saved=None):
        refiner = Refiner(primer.engine, primer.grammar, primer.config.evolution)
        return refined_search(Evolution(refiner, 5), [priming], **parts, saved=saved)

    *_, state = islice(search(Priming(primer)), UNTIMED_EPOCHS)
    later = Priming(primer)
    after = next(search(later, state.save()))
    assert "prior" in state.stats.gains and "prior" not in after.stats.gains
    assert later.is_done


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


@pytest.mark.slow
def test_a_process_may_end_while_the_prior_is_loaded(weights):
    script = (
        "import time, numpy as np\n"
        "from ddsr import DDSRRegressor\n"
        "X = np.random.default_rng(0).uniform(1, 3, size=(50, 1))\n"
        "def stop(state):\n"
        "    if state.stats.seconds['refine'] and time.monotonic() - began > 1.0: raise KeyboardInterrupt\n"
        "began = time.monotonic()\n"
        "y = np.sin(9 * X[:, 0]) + np.random.default_rng(1).normal(size=50)\n"
        f"config = dict(prior={str(weights)!r}, evaluations_per_epoch=500, model_selection='best')\n"
        "DDSRRegressor(max_time=20, config=config, callback=stop).fit(X, y)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stderr
