"""A small run, in this process or another, and what to compare in two runs."""

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
# Without the prior: its network takes seconds per epoch, and run folders do not save it.
DDSR = {"preset": "ddsr", "config": CONFIG, "random_state": 0, "device": "cpu", "prior": None}
# Also without shortening its equations.
BRIEF = DDSR | {"model_selection": "best"}
NAMES = ["a b", "sin", "z"]


def create(path, **parameters):
    return RunFolder.create(
        path, X, HARD, feature_names=NAMES, target="force", parameters=UNIFORM | parameters
    )


def account(model):
    """What must agree in two runs: equations, constants and curves, except seconds."""
    curves = model.curves_[[name for name in model.curves_.columns if not name.startswith("seconds")]]
    return model.front_, model.best_, model.stopped_by_, model.n_epochs_, curves.to_csv()


def start_process(code, *arguments):
    """Start a Python process with the tests' modules; its output can be waited for."""
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys, run_cases\n{code}", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": ":".join([os.path.dirname(__file__), *sys.path])},
    )


def fit_for_ever(path):
    """For the other process: save after every epoch and print a line, until killed."""
    import torch

    torch.set_num_threads(1)  # as in this process, because last bits depend on the number of threads
    run = RunFolder.open(path)
    run.fit(on_state=lambda state: print(state.epoch, flush=True), interval=0.0)
