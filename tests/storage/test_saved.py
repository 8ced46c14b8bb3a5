"""A search that is saved and continued in another process equals one that never stopped."""

import json
import os
import subprocess
import sys
from dataclasses import astuple, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ddsr.config import DefaultConfig, DenoiserConfig, DSRConfig, PaperConfig, RefinerConfig
from ddsr.errors import DDSRError, RunError
from ddsr.expression import Vocabulary
from ddsr.search.presets import parse_method, pose, start
from ddsr.search.prior_start import uses_prior
from ddsr.storage.saved import from_bytes, to_bytes, unwritable
from prior_cases import write_weights
from strategies import examples

NETWORK = DenoiserConfig(feed_forward_width=16)
SMALL = {"max_length": 7, "batch_size": 16, "updates_per_epoch": 2, "epochs_per_reference": 2}
DEFAULT = DefaultConfig(
    **SMALL,
    denoiser=NETWORK,
    evaluations_per_epoch=200,
    least_share=0.5,
    evolution=RefinerConfig(n_islands=2, island_size=30),
)
CONFIGS = {
    "ddsr": DEFAULT,
    "ddsr:generator=none": DEFAULT,
    "paper": PaperConfig(**SMALL, denoiser=NETWORK, elite_fraction=0.2),
    "paper:start=prior:steps=4": PaperConfig(**SMALL, elite_fraction=0.2, denoising_steps=4),
    "paper:generator=d3pm:memory=short": PaperConfig(**SMALL, denoiser=NETWORK),
    "dsr": DSRConfig(max_length=10, batch_size=16, hidden_size=8),
    "uniform": PaperConfig(**SMALL),
}
X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0]) / (0.3 + X[:, 1] ** 3)


@pytest.fixture(scope="module")
def prior(tmp_path_factory):
    """A small network instead of the shipped one, which takes seconds."""
    return write_weights(tmp_path_factory.mktemp("prior") / "prior.safetensors")


def begin(name, prior, saved=None):
    method, config = parse_method(name), CONFIGS[name]
    config = replace(config, prior=prior) if uses_prior(dict(method.options)) else config
    problem = pose(method, Vocabulary.of_size(3), X, HARD, config=config, seed=5, device="cpu")
    return start(method, replace(problem, saved=saved))


def account(state):
    """Everything in a state except seconds, in a form that can be passed as JSON."""
    stats = state.stats
    curves = [stats.best_reward, stats.mean_reward, stats.reward_floor, stats.distinct_share]
    entries = [[e.expression.text(), e.nrmse, e.scale, e.offset] for e in state.front]
    update = None if stats.update is None else list(astuple(stats.update))
    return json.loads(json.dumps([state.epoch, state.n_scored, entries, curves, update, stats.gains]))


def n_epochs(name):
    """Epochs before and after a search is saved; the default's generator has no turn in the first ones."""
    return (3, 4) if name == "ddsr" else (2, 2)


def go_on(folder, prior):
    """Return the other process's output; last bits of torch depend on the number of threads."""
    torch.set_num_threads(1)
    for number, name in enumerate(CONFIGS):
        states = begin(name, prior, from_bytes(Path(folder, f"{number}.npz").read_bytes()))
        print(json.dumps([account(state) for state in islice(states, n_epochs(name)[1])]))


@pytest.fixture(scope="module")
def searches(prior, tmp_path_factory):
    """For each search, what was saved, its next epochs, and the same epochs in another process."""
    folder, saved, uninterrupted = tmp_path_factory.mktemp("states"), {}, {}
    for number, name in enumerate(CONFIGS):
        states = begin(name, prior)
        n_before, n_after = n_epochs(name)
        saved[name] = list(islice(states, n_before))[-1].save()
        (folder / f"{number}.npz").write_bytes(to_bytes(saved[name]))
        uninterrupted[name] = [account(state) for state in islice(states, n_after)]
    command = [sys.executable, "-c", "import sys, test_saved; test_saved.go_on(*sys.argv[1:])"]
    environment = os.environ | {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [*command, str(folder), prior], capture_output=True, text=True, check=True, env=environment
    )
    return saved, uninterrupted, dict(zip(CONFIGS, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("name", CONFIGS)
def test_a_search_continues_exactly_in_a_new_process(name, searches):
    saved, uninterrupted, resumed = (each[name] for each in searches)
    # NaN is not equal to itself, but its text is
    assert json.dumps(resumed) == json.dumps(uninterrupted)
    if name == "ddsr":  # the generator had turns before and after saving
        assert saved["contributors"]["generator"]["proposer"] is not None
        assert sum(update is not None for *_, update, _ in uninterrupted) >= 2


def test_saving_changes_nothing(prior):
    saving, other = begin("ddsr", prior), begin("ddsr", prior)
    for _ in range(4):
        state = next(saving)
        state.save()
        assert json.dumps(account(state)) == json.dumps(account(next(other)))


def test_a_saved_state_does_not_change_later(prior):
    """The networks change in place; what was saved from them does not."""
    states = begin("paper", prior)
    saved = next(states).save()
    before = to_bytes(saved)
    next(states)
    assert to_bytes(saved) == before


def test_a_finished_search_stays_finished():
    method = parse_method("ddsr:generator=none")
    problem = pose(method, Vocabulary.of_size(3), X, X[:, 0] * X[:, 1], config=DEFAULT, device="cpu")
    *_, last = islice(start(method, problem), 200)
    saved = from_bytes(to_bytes(last.save()))
    assert saved["is_over"]
    assert list(start(method, replace(problem, saved=saved))) == []


def test_a_resumed_search_is_exhausted_at_the_same_epoch():
    """x and sin(x) are all there is; the number of epochs without progress is saved, too."""
    method = parse_method("ddsr:generator=none")
    vocabulary = Vocabulary(("x",), ("sin",), has_one=False, has_constant=False)
    config = replace(DEFAULT, evaluations_per_epoch=3)
    problem = pose(method, vocabulary, X[:, :1], HARD, config=config, device="cpu")
    states = list(islice(start(method, problem), 500))
    assert 4 < len(states) < 500
    middle = list(islice(start(method, problem), len(states) - 2))[-1]
    rest = list(start(method, replace(problem, saved=middle.save())))
    assert [state.epoch for state in rest] == [state.epoch for state in states[-2:]]


def test_a_state_of_another_search_is_refused(prior):
    saved = next(begin("uniform", prior)).save()
    for name in ("paper", "ddsr"):
        with pytest.raises(RunError, match="cannot read the saved search"):
            next(begin(name, prior, saved))
    method = parse_method("uniform")
    problem = pose(method, Vocabulary.of_size(2), X[:, :2], HARD, config=CONFIGS["uniform"])
    with pytest.raises(RunError, match="another vocabulary"):
        next(start(method, replace(problem, saved=saved)))


leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
names = st.text("abcdefgh.", min_size=1, max_size=5)
arrays = st.lists(st.floats(allow_nan=False)).map(np.array)
trees = st.recursive(
    st.dictionaries(names, leaves | st.lists(leaves) | arrays), partial(st.dictionaries, names), max_leaves=8
)


def plain(tree):
    if isinstance(tree, dict):
        return {name: plain(value) for name, value in tree.items()}
    return ("array", tree.dtype.str, tree.tolist()) if isinstance(tree, np.ndarray) else tree


@examples(50)
@given(trees)
def test_trees_come_back(tree):
    assert plain(from_bytes(to_bytes(tree))) == plain(tree)
    assert unwritable(tree) is None


WHOLE = to_bytes({"a": np.arange(300), "b": {"c": np.ones((3, 4)), "d": [1, "two", None]}})


@examples(200)
@given(st.data())
def test_damaged_bytes_are_refused_or_harmless(data):
    damaged = bytearray(WHOLE[: data.draw(st.integers(0, len(WHOLE)))])
    for _ in range(data.draw(st.integers(0, 3)) if damaged else 0):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        from_bytes(bytes(damaged))
    except DDSRError as error:
        assert "\n" not in str(error)


def test_nothing_pickled_is_read():
    with pytest.raises(RunError, match="cannot read the saved state"):
        from_bytes(to_bytes({"a": np.array([{}], dtype=object)}))
