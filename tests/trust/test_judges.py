"""How the trust campaigns judge results."""

import os
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
from benchmarks.trust.awkward import Clock, as_table, flaw_of_predictions
from benchmarks.trust.awkward_data import awkward_sets
from benchmarks.trust.commands import Ended, difference, flaw_of_error, session_of
from benchmarks.trust.exports import is_well_conditioned, random_expression
from benchmarks.trust.fuzz import flaw_of_text, random_text
from benchmarks.trust.kills import flaw_of_interrupted
from benchmarks.trust.mutations import Hangs, alarm, flaw_of_invocation, opens
from benchmarks.trust.soak import growth_of

from ddsr.errors import RunError
from ddsr.expression import Expression, Vocabulary

XY = Vocabulary(("x", "y"))


@pytest.mark.parametrize(
    "ended, flaw",
    [
        (Ended(0, "", ""), None),
        (Ended(1, "", "using a, b\nError: the disk is full\n"), None),
        (Ended(None, "", ""), "it hangs"),
        (Ended(1, "", "Traceback (most recent call last):\nMemoryError"), "traceback"),
        (Ended(1, "", ""), "no line"),
        (Ended(1, "", "Error: a\nError: b"), "2 errors"),
        (Ended(-11, "", ""), "exit code -11"),
    ],
)
def test_a_command_succeeds_or_prints_one_line(ended, flaw):
    found = flaw_of_error(ended)
    assert found is None if flaw is None else flaw in found


def test_an_interrupted_command_ends_by_its_signal():
    for code in (0, 130, 143, -15):
        assert flaw_of_interrupted(Ended(code, "", ""), signal.SIGTERM, was_sent=True) is None
    assert flaw_of_interrupted(Ended(1, "", "Error: x"), signal.SIGTERM, was_sent=True)
    assert flaw_of_interrupted(Ended(130, "", ""), signal.SIGINT, was_sent=False)
    assert "traceback" in flaw_of_interrupted(Ended(0, "", "Traceback"), signal.SIGINT, was_sent=True)


def test_an_invocation_in_this_process_is_judged_alike():
    assert flaw_of_invocation(0, None, "") is None
    assert flaw_of_invocation(1, SystemExit(1), "Error: no\n") is None
    assert flaw_of_invocation(1, KeyError("a"), "").startswith("KeyError")
    assert flaw_of_invocation(2, SystemExit(2), "Error: no\n")


def test_fronts_differ_by_a_single_bit():
    front = [{"equations": [1.0], "best": 0}]
    assert difference(front, [{"equations": [1.0], "best": 0}]) is None
    assert "equations differs" in difference([{"equations": [np.nextafter(1.0, 2)], "best": 0}], front)


def test_sessions_are_found_and_empty_once_they_end():
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, start_new_session=True
    )
    assert session_of(process.pid) == [process.pid]
    process.communicate(b"\n")
    assert session_of(process.pid) == []


def test_growth_is_a_slope_after_the_warm_up():
    steep_at_first = [[t, 100.0 + (10 * t if t < 100 else 1000 + 0.5 * t / 60)] for t in range(0, 600, 10)]
    assert growth_of(steep_at_first) == pytest.approx(0.5)
    assert growth_of([[0.0, 1.0], [1.0, 2.0]]) is None
    assert growth_of([]) is None


def test_conditioning_tells_cancellation_from_plain_arithmetic():
    rows = np.random.default_rng(0).uniform(1, 2, size=(5, 2))
    assert is_well_conditioned(Expression.parse("x * y + 1", XY), rows).all()
    assert not is_well_conditioned(Expression.parse("(x + 1000000) - 1000000 - x", XY), rows).any()


def test_texts_are_judged():
    assert flaw_of_text("sin(x) + ", XY) is None
    assert flaw_of_text("2 * x^2 - y", XY) is None
    rng = np.random.default_rng(0)
    assert all(isinstance(random_text(rng), str) for _ in range(50))
    assert len(random_expression(rng, ["a b", "sin"])) >= 1


def test_listed_equations_are_checked_too():
    class Model:
        n_outputs_ = 1

        class equations_:
            equation = __import__("pandas").Series(["1", "1 / x"])

            def __len__(self):
                return 2

        equations_ = equations_()

        def predict(self, X, index=0):
            return np.array([np.inf if index == 1 else 1.0])

    assert "1 / x" in flaw_of_predictions(Model(), None)


def test_awkward_sets_are_many_and_repeatable():
    sets = awkward_sets()
    assert len(sets) >= 300
    chosen = next(each for each in sets if each.name == "weights: all 16")
    first, again = chosen.data(), chosen.data()
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    table = as_table(*first)
    assert table.attrs["target"] == "target" and list(table.columns) == ["x0", "x1", "target", "w"]


def test_time_is_judged_by_the_limit_and_the_load(monkeypatch):
    monkeypatch.setattr("benchmarks.trust.awkward.load_factor", lambda: 2.0)
    now = iter([0.0, 3.9, 4.1])
    monkeypatch.setattr("time.perf_counter", lambda: next(now))
    clock = Clock()
    assert clock.flaw() is None
    assert "took 4.10 s" in clock.flaw()


def test_files_open_or_are_refused_by_an_error_of_ddsr():
    def raising(error):
        def use():
            raise error

        return opens("models", 3, 0, use).failures

    assert opens("models", 3, 0, lambda: None).failures == []
    assert raising(RunError("no model")) == []
    assert raising(RunError("")) == ["models case 3 (seed 0): an empty message"]
    assert raising(RecursionError("deep")) == ["models case 3 (seed 0): RecursionError: deep"]
    assert raising(Hangs()) == ["models case 3 (seed 0): hangs for 15 s"]
    assert "warning loud" in opens("models", 3, 0, lambda: warnings.warn("loud", stacklevel=1)).failures[0]


def test_an_alarm_interrupts_a_fifo(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(Hangs), alarm(1):
        (tmp_path / "fifo").read_bytes()
