"""A run of the bench with every peer: the reported equation agrees with the predictions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ddsr.errors import BenchError
from ddsr_bench.peers import PEERS, Peer
from ddsr_bench.problems.formula import evaluate_formula
from ddsr_bench.problems.trial import make_data
from ddsr_bench.runner.methods import check_method, make_estimator
from ddsr_bench.runner.one import OWN_METHODS, Limits, run_one
from ddsr_bench.runner.slot import Slot

WRITTEN = ("gplearn", "operon", "ffx", "physo", "linear")
SLOW = {"physo"}  # because of its first epoch, which nothing interrupts
pytestmark = pytest.mark.filterwarnings("ignore:::gplearn", "ignore:::pyoperon", "ignore:::physo")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name for name in WRITTEN]
)
def test_the_text_is_the_model(name, template):
    pytest.importorskip(PEERS[name].package)
    data = make_data(template.problem, 0, 0.0)
    peer = make_estimator(name, 0, 1.0, None, 1, "cpu").fit(data.X_train, data.y_train)
    values = evaluate_formula(str(peer.sympy()).replace("^", "**"), ("x", "y"), data.X_test.to_numpy())
    np.testing.assert_allclose(values, peer.predict(data.X_test), rtol=1e-4, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["2*x**2 - y", "log(y) * Abs(x)", "Max(0, x - 1.2345) / (1 + y)"])
def test_all_of_ffxs_features_are_written(target):
    pytest.importorskip("ffx.core")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"y": rng.uniform(1, 3, 60), "x": rng.uniform(-1, 3, 60)})  # not in alphabetical order
    y = evaluate_formula(target, ("y", "x"), X.to_numpy())
    model = make_estimator("ffx", 0, None, None, 1, "cpu").fit(X, y)
    values = evaluate_formula(model.sympy(), ("y", "x"), X.to_numpy())
    np.testing.assert_allclose(values, model.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", sorted(set(PEERS) - set(WRITTEN)))
def test_models_without_a_formula_have_a_size(name, template):
    outcome = run_one(replace(template, method=name, factory=OWN_METHODS))
    assert outcome.expression is None and outcome.complexity > 100 and outcome.r2_test > 0.5


@pytest.mark.slow
def test_a_peer_is_a_row(template):
    slot = Slot()
    rows = [
        slot.perform(replace(template, method=name, factory=OWN_METHODS), Limits(seconds=60.0))
        for name in ("linear", "forest")
    ]
    slot.close()
    assert [row.solved_srbench for row in rows] == [True, False]
    assert rows[1].expression is None and rows[1].complexity > 100 and rows[1].error is None


def test_the_same_seed_gives_the_same_model(template):
    pytest.importorskip("gplearn")
    data = make_data(template.problem, 0, 0.0)
    texts = {
        make_estimator("gplearn", seed, 1e-9, None, 1, "cpu").fit(data.X_train, data.y_train).sympy()
        for seed in (0, 0, 1)
    }
    assert len(texts) == 2


def test_names_are_checked(monkeypatch):
    assert check_method("linear") == "linear"
    assert check_method("paper:memory=short") == "paper:memory=short"
    assert check_method("paper:objective=rspg:memory=long") == "paper:objective=rspg"
    for name in ("linear:foo=1", "linear:"):
        with pytest.raises(BenchError, match="the method linear takes no options"):
            check_method(name)
    with pytest.raises(BenchError, match=r"'paper:foo=1'.* no option 'foo'.*steps, reward, constants$"):
        check_method("paper:foo=1")
    with pytest.raises(BenchError, match="'operron'.*peers are: gplearn, operon"):
        check_method("operron")
    far = {"far": Peer("ddsr_bench.peers.far", "Far", "no_such_package")}
    monkeypatch.setattr("ddsr_bench.peers.PEERS", far)
    monkeypatch.setattr("ddsr_bench.runner.methods.PEERS", far)
    with pytest.raises(BenchError, match="no_such_package: pip install"):
        check_method("far")
