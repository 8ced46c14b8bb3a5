"""Without torch, the default search works, and all else names what to install."""

import subprocess
import sys

import pytest

WITHOUT_TORCH = """
import sys
from importlib.machinery import PathFinder

find = PathFinder.find_spec
is_torch = lambda name: name.partition(".")[0] == "torch"
PathFinder.find_spec = lambda name, *others: None if is_torch(name) else find(name, *others)
import numpy as np
from ddsr import DDSRRegressor

X = np.random.default_rng(0).uniform(1, 3, size=(60, 2))
y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0]) / (0.3 + X[:, 1] ** 3)
small = dict(evaluations_per_epoch=300, model_selection="best")
"""

# Turns of a generator would begin at once.
SEARCH = """
model = DDSRRegressor(max_epochs=4, random_state=0, config={**small, "least_share": 0.5})
model.fit(X, y)
print(len(model.equations_) > 2, model.curves_["seconds_propose"].max(), "torch" in sys.modules)
"""


def run(code):
    command = [sys.executable, "-c", WITHOUT_TORCH + code]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_default_search_needs_no_torch():
    done = run(SEARCH)
    assert done.stdout.split() == ["True", "0.0", "False"], done.stderr


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("DDSRRegressor('paper', max_epochs=1).fit(X, y)", "the preset 'paper' needs PyTorch"),
        ("DDSRRegressor('dsr', max_epochs=1).fit(X, y)", "the preset 'dsr' needs PyTorch"),
        ("DDSRRegressor('ddsr:refiner=none', max_epochs=1).fit(X, y)", "this method needs PyTorch"),
        ("DDSRRegressor(device='cuda', max_epochs=1).fit(X, y)", "the device 'cuda' needs PyTorch"),
        (
            "DDSRRegressor(max_epochs=1, random_state=0, config=small).fit(X, y).to_torch()",
            "to_torch needs PyTorch",
        ),
    ],
)
def test_what_needs_torch_says_how_to_install_it(code, message):
    last = run(code).stderr.strip().splitlines()[-1]
    assert message in last and "pip install 'ddsr[torch]'" in last


def test_commands_say_how_to_install_torch():
    code = "from ddsr.cli import main\nmain(['prior', 'train', '--out', 'nowhere', '--seconds', '1'])"
    done = run(code)
    assert done.returncode == 1 and "pip install 'ddsr[torch]'" in done.stderr
