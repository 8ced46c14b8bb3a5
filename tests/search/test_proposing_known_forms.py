"""Known forms within the default search: proposed once, on large tables only."""

import time
from dataclasses import replace

import numpy as np
import pytest

from ddsr import DDSRRegressor
from ddsr.deadline import Deadline
from ddsr.engine import FitOptions
from ddsr.search.contributors import known_forms
from ddsr.search.contributors.contract import SearchView, TurnBudget
from ddsr.search.contributors.evolution import Refiner
from ddsr.search.contributors.known_forms import N_PROPOSED, KnownForms, sample_of
from ddsr.search.presets import parse_method, pose, settings

RNG = np.random.default_rng(0)
X = RNG.uniform(1.0, 4.0, size=(300, 2))
BUDGET = TurnBudget(evaluations=1500)


def make_problem(y, X=X, noise=0.0, config=None, **given):
    method = parse_method("ddsr")
    config = settings(method, {"evaluations_per_epoch": 1500} | (config or {}))
    names = [f"x{column}" for column in range(X.shape[1])]
    noisy = y + noise * RNG.normal(size=len(y))
    return pose(method, config.vocabulary(names), X, noisy, config=config, **given)


def in_parallel(X=X):
    return X[:, 0] * X[:, 1] / (X[:, 0] + X[:, 1])


def view_of(problem, epoch=1):
    engine, grammar = problem.engine, problem.grammar
    return SearchView(epoch, problem.front, engine, grammar, lambda: None, lambda: None)


def test_a_law_of_the_corpus_is_proposed_first():
    problem = make_problem(in_parallel())
    proposals = KnownForms(problem).propose(view_of(problem), BUDGET)
    assert 0 < len(proposals.expressions) <= N_PROPOSED
    scores = problem.engine.score(proposals.expressions[:1])
    assert scores.nrmse[0] < 1e-6


def test_evolution_has_the_first_epoch_alone_and_there_is_one_proposal():
    problem = make_problem(in_parallel())
    forms = KnownForms(problem)
    assert forms.propose(view_of(problem, epoch=0), BUDGET) is None
    assert forms.propose(view_of(problem), BUDGET) is not None
    assert forms.n_scored > 0
    assert forms.propose(view_of(problem, epoch=2), BUDGET) is None
    resumed = KnownForms(problem)
    resumed.restore(forms.saved())
    assert resumed.propose(view_of(problem), BUDGET) is None and resumed.n_scored == forms.n_scored


@pytest.mark.parametrize(
    ("n_rows", "n_columns", "config"), [(200, 2, {}), (300, 7, {}), (300, 2, {"constants": False})]
)
def test_other_tables_have_no_proposals(n_rows, n_columns, config):
    rows = RNG.uniform(1.0, 4.0, size=(n_rows, n_columns))
    problem = make_problem(rows[:, 0] * rows[:, 1] + rows[:, 0], rows, noise=0.1, config=config)
    assert KnownForms(problem).propose(view_of(problem), BUDGET) is None


def test_y_that_hardly_ever_differs_has_no_proposals():
    y = np.zeros(len(X))
    problem = make_problem(y + (np.arange(len(y)) == np.setdiff1d(np.arange(300), rows_of(X))[0]))
    assert KnownForms(problem).propose(view_of(problem), BUDGET) is None


def rows_of(X):
    """Rows that the sample of a table has."""
    sample = sample_of(make_problem(np.arange(len(X), dtype=float), X))
    return sample.target.astype(int)


def test_the_sample_keeps_weights_and_counts():
    weights = RNG.uniform(0.5, 2.0, len(X))
    counts = RNG.integers(1, 4, len(X))
    data = sample_of(make_problem(np.arange(300.0), sample_weight=weights, counts=counts)).dataset
    rows = data.y.astype(int)
    np.testing.assert_array_equal(data.counts, counts[rows])
    np.testing.assert_array_equal(data.sample_weight, weights[rows])


def test_a_short_deadline_still_gives_proposals():
    problem = replace(make_problem(in_parallel(), noise=0.1), deadline=Deadline(time.monotonic()))
    forms = KnownForms(problem)
    found = forms.propose(view_of(problem), TurnBudget(10, 0.0, Deadline(time.monotonic() + 60.0)))
    assert found is not None and len(found.expressions) == N_PROPOSED


@pytest.mark.parametrize("is_scale_free", [True, False])
def test_a_scale_is_part_of_a_form_or_of_the_search(is_scale_free):
    problem = make_problem(2.345 * X[:, 0] / X[:, 1], config={"is_scale_free": is_scale_free})
    best = KnownForms(problem).propose(view_of(problem), BUDGET).expressions[0]
    assert problem.engine.score([best]).nrmse[0] < 1e-6


def test_proposals_enter_the_shortlist_though_evolution_knows_better_fits_on_its_rows():
    problem = make_problem(in_parallel(), noise=0.2)
    config = replace(problem.config.evolution, is_scale_free=True)
    refiner = Refiner(problem.engine, problem.grammar, config, seed=0)
    refiner.run(1500)
    proposed = KnownForms(problem).propose(view_of(problem), BUDGET).expressions
    refiner.seed(proposed[:1])
    # evolution may know the same function in another order
    law = problem.engine.score(proposed[:1], options=FitOptions(is_scale_free=True, max_steps=0))
    assert np.isclose(refiner.shortlist().nrmse, law.nrmse[0], rtol=1e-5).any()


def test_a_search_takes_them_as_a_contributor(monkeypatch):
    monkeypatch.setattr(known_forms, "UNTIMED", 300)
    model = DDSRRegressor(
        max_epochs=2, random_state=0, config={"evaluations_per_epoch": 400}, contributors=[KnownForms]
    )
    y = in_parallel() + 0.1 * RNG.normal(size=len(X))
    curves = model.fit(X, y).curves_
    assert (curves["seconds_known_forms"] > 0.0).tolist() == [False, True]
    assert curves["gain_known_forms"].iloc[1] >= 0.0
