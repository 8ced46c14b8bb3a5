"""A small run, in this process or in another, and what to compare of two."""

import os
import subprocess
import sys

import numpy as np

from ddsr.config import DefaultConfig, DenoiserConfig, RefinerConfig
from ddsr.runs import RunFolder

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0]) / (0.3 + X[:, 1] ** 3)
CONFIG = DefaultConfig(
    max_length=8,
    batch_size=20,
    updates_per_epoch=2,
    denoiser=DenoiserConfig(feed_forward_width=16),
    evaluations_per_epoch=300,
    least_share=0.5,
    evolution=RefinerConfig(n_islands=2, island_size=30),
)
UNIFORM = {"preset": "uniform", "config": {"batch_size": 40, "max_length": 9}, "random_state": 0}
# Without the prior: its network takes seconds per epoch, and a run folder does not save it.
DDSR = {"preset": "ddsr", "config": CONFIG, "random_state": 0, "device": "cpu", "prior": None}
# Without making its equations shorter either.
BRIEF = DDSR | {"model_selection": "best"}
NAMES = ["a b", "sin", "z"]


def create(path, **parameters):
    return RunFolder.create(
        path, X, HARD, feature_names=NAMES, target="force", parameters=UNIFORM | parameters
    )


def account(model):
    """What has to be the same in two runs: equations, constants and curves, but for seconds."""
    curves = model.curves_[[name for name in model.curves_.columns if not name.startswith("seconds")]]
    return model.front_, model.best_, model.stopped_by_, model.n_epochs_, curves.to_csv()


def start_process(code, *arguments):
    """A Python process with these tests' modules; what it prints can be waited for."""
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys, run_cases\n{code}", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": ":".join([os.path.dirname(__file__), *sys.path])},
    )


def fit_for_ever(path):
    """In the other process: saves after every epoch and says so, until it is killed."""
    import torch

    torch.set_num_threads(1)  # as here: its last bits depend on their number
    run = RunFolder.open(path)
    run.fit(on_state=lambda state: print(state.epoch, flush=True), interval=0.0)
