import gzip
import os
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curve_cases import curve
from ddsr.errors import RunError
from ddsr.learning.curves import SHARES
from ddsr_bench.problems.suites import load_suite
from ddsr_bench.runner.curves import (
    COLUMNS,
    MAX_POINTS,
    curve_of,
    curve_path,
    read_curve,
    thinned,
    write_curve,
)
from ddsr_bench.runner.one import Limits, Task, keep_curve, run_one
from ddsr_bench.runner.store import Key

KEY = Key("feynman_I_6_2", "paper:memory=short", 0.01, 3)
TASK = Task(problem=load_suite("nguyen")[0], method="uniform", noise=0.0, seed=0, epochs=3)


def test_a_curve_survives_its_file(tmp_path):
    written = curve(7).assign(kl=np.full(7, np.nan))
    write_curve(tmp_path / "deep" / "a.csv.gz", written)
    read = read_curve(tmp_path / "deep" / "a.csv.gz")
    for name in COLUMNS:
        np.testing.assert_allclose(getattr(read, name), getattr(written, name), rtol=1e-5)
    assert os.listdir(tmp_path / "deep") == ["a.csv.gz"]  # no incomplete file is left


def test_an_invalid_curve_is_read_as_none(tmp_path):
    path = tmp_path / "a.csv.gz"
    assert read_curve(path) is None
    write_curve(path, curve(5))
    whole = path.read_bytes()
    for broken in (whole[:-9], b"", b"epoch\n1\n"):
        path.write_bytes(broken)
        assert read_curve(path) is None


def test_a_curve_without_the_later_columns_is_read(tmp_path):
    path = tmp_path / "a.csv.gz"
    names = [name for name in COLUMNS if name not in SHARES]
    path.write_bytes(gzip.compress(f"{','.join(names)}\n{','.join('1' * len(names))}\n".encode()))
    read = read_curve(path)
    assert read[["invalid_share", "repeated_share"]].isna().to_numpy().all() and read.seconds.tolist() == [
        1.0
    ]


def test_a_write_that_fails_leaves_the_old_curve(tmp_path, monkeypatch):
    path = tmp_path / "a.csv.gz"
    write_curve(path, curve(5))
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "no space left")))
    with pytest.raises(RunError):
        write_curve(path, curve(6))
    assert len(read_curve(path).epoch) == 5 and os.listdir(tmp_path) == ["a.csv.gz"]


def test_runs_have_names_of_their_own(tmp_path):
    others = [KEY._replace(seed=4), KEY._replace(noise=0.1), KEY._replace(method="paper:memory_short")]
    names = {curve_path(tmp_path, key).name for key in (KEY, *others)}
    assert len(names) == 4
    assert all(set(name) <= set(map(chr, range(33, 127))) - set(':/\\*?"<>|') for name in names)


@given(st.integers(1, 3 * MAX_POINTS), st.integers(1, MAX_POINTS))
def test_thinning_keeps_the_end_and_the_best(n_epochs, most):
    whole = curve(n_epochs)
    thin = thinned(whole, most)
    assert len(thin.epoch) == min(n_epochs, most)
    assert thin.epoch.iloc[-1] == n_epochs and thin.seconds.iloc[-1] == whole.seconds.iloc[-1]
    assert thin.best_reward.max() == whole.best_reward.max()
    assert (np.diff(thin.epoch) > 0).all()


def test_columns_of_the_estimators_table():
    table = pd.DataFrame(
        {"best_reward": [0.1, 0.2], "seconds_sample": [1.0, 2.0], "seconds_score": [0.5, 0.5]}
    )
    made = curve_of(table)
    assert made.epoch.tolist() == [1, 2] and made.seconds.tolist() == [1.5, 4.0]
    assert made.best_reward.tolist() == [0.1, 0.2] and np.isnan(made.entropy).all()


def test_a_run_keeps_its_curve(tmp_path, warm_slot):
    task = replace(TASK, curves_dir=str(tmp_path / "curves"))
    outcome, reason = warm_slot.run(task, Limits())
    assert reason is None and outcome is not None
    kept = read_curve(curve_path(tmp_path / "curves", task.key))
    assert kept.epoch.tolist() == [1, 2, 3]
    assert ((kept.best_reward > 0) & (kept.best_reward <= 1)).all() and (np.diff(kept.seconds) > 0).all()


def test_a_curve_that_cannot_be_written_costs_no_result(tmp_path, capsys):
    (tmp_path / "curves").write_text("a file is in the way")
    outcome = run_one(replace(TASK, curves_dir=str(tmp_path / "curves")))
    assert outcome.expression and "learning curve is lost" in capsys.readouterr().err


def test_methods_without_curves_write_nothing(tmp_path):
    keep_curve(replace(TASK, curves_dir=str(tmp_path / "curves")), object())
    assert os.listdir(tmp_path) == []
