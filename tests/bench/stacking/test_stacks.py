"""Estimators whose searches share a stack."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ddsr import DDSRRegressor, RunFolder
from ddsr.search.paper import SHARED
from ddsr_bench.stacking.stacks import Stacks
from prior_cases import write_weights

CONFIG = {
    "max_length": 6,
    "batch_size": 20,
    "elite_fraction": 0.2,
    "updates_per_epoch": 2,
    "denoiser": {"feed_forward_width": 64},
}
PARAMETERS = {"preset": "paper", "max_epochs": 3, "config": CONFIG, "device": "cpu"}
VOCAB_SIZE = 20


def data(number):
    X = np.random.default_rng(number).uniform(0.5, 3.0, size=(30, 1 + number % 2))
    return X, np.log(X[:, 0]) * X[:, -1] + np.sin(3 * X[:, 0])


def together(work, n, n_places=2):
    stacks = Stacks(n_places, VOCAB_SIZE)

    def one(number):
        SHARED.set(stacks)
        return work(number)

    with ThreadPoolExecutor(n) as pool:
        found = list(pool.map(one, range(n)))
    return found, stacks


def fit(number):
    return DDSRRegressor(**PARAMETERS, random_state=number).fit(*data(number))


def test_estimators_share_a_stack_and_find_what_they_find_alone():
    found, stacks = together(fit, 3)
    assert len(stacks._made) == 1
    for number, model in enumerate(found):
        alone = fit(number)
        assert len(model.curves_) == len(alone.curves_) == 3
        assert model.curves_["best_reward"][0] == alone.curves_["best_reward"][0]
        assert model.curves_["loss"][0] == pytest.approx(alone.curves_["loss"][0], rel=0.01, abs=1e-4)


def test_other_settings_have_a_stack_of_their_own():
    def fit_by(number):
        preset = "paper:objective=rspg" if number else "paper"
        return DDSRRegressor(**PARAMETERS | {"preset": preset}, random_state=0).fit(*data(0))

    _, stacks = together(fit_by, 2)
    assert len(stacks._made) == 2


def test_a_run_is_resumed_in_a_stack_and_without_one(tmp_path):
    def begin(number):
        run = RunFolder.create(
            tmp_path / str(number), *data(number), parameters=PARAMETERS | {"random_state": number}
        )
        return run.fit(interval=0)

    def go_on(number):
        return RunFolder.open(tmp_path / str(number)).resume(more_epochs=2)

    together(begin, 2)
    stacked = go_on(0)
    (resumed,), _ = together(lambda _: go_on(1), 1)
    assert [len(model.curves_) for model in (stacked, resumed)] == [5, 5]


@pytest.mark.parametrize("name", ["paper:generator=d3pm", "paper:start=prior", "paper:steps=4"])
def test_a_generator_that_cannot_be_stacked_runs_alone(name, tmp_path):
    others = {}
    if name == "paper:start=prior":
        config = {key: value for key, value in CONFIG.items() if key != "denoiser"}
        others = {"config": config, "prior": write_weights(tmp_path / "tiny.safetensors")}

    def fit_other(number):
        return DDSRRegressor(**PARAMETERS | {"preset": name} | others, random_state=0).fit(*data(0))

    (model,), stacks = together(fit_other, 1)
    assert len(model.curves_) == 3 and not stacks._made
