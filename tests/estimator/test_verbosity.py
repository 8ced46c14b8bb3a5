"""`verbose=1` shows the search and then the chosen equation."""

import io
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from ddsr import DDSRRegressor
from ddsr.errors import MethodError

X = pd.DataFrame({"a": np.linspace(1.0, 3.0, 30), "b": np.linspace(2.0, 1.0, 30) ** 2})
Y = pd.Series(np.sin(3.0 * X["a"]) * X["b"] + np.exp(X["b"]), name="power")
LITTLE = {"batch_size": 40, "max_length": 9}


class Terminal(io.StringIO):
    def isatty(self):
        return True


class ZMQInteractiveShell:
    """What IPython's shell is called in a notebook."""


def little(**parameters):
    return DDSRRegressor("uniform", max_epochs=2, random_state=0, config=LITTLE, **parameters)


def test_nothing_is_shown_by_default(capsys):
    little().fit(X, Y)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("verbose", [1, True, np.int64(2)])
def test_elsewhere_there_are_lines(verbose, capsys):
    states = []
    model = little(verbose=verbose, callback=states.append).fit(X, Y)
    shown = capsys.readouterr()
    first, *_, last = shown.out.splitlines()
    assert "epoch 1" in first and "power = " in first
    assert last.startswith("power = ") and shown.out.endswith(f"{model}\n") and shown.err == ""
    assert len(states) == 2


def test_a_terminal_has_a_table_that_vanishes(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    model = little(verbose=1).fit(X, Y)
    table, _, end = terminal.getvalue().rpartition("\x1b[2K")
    assert "equation for power" in table and end == f"{model}\n"


def test_a_notebook_has_a_table_under_its_cell(monkeypatch, capsys):
    shown = []
    ipython = SimpleNamespace(get_ipython=ZMQInteractiveShell)
    display = SimpleNamespace(display=lambda view, display_id: shown.append(view._repr_html_()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    little(verbose=1).fit(X, Y)
    assert "equation for power" in shown[-1] and "font-weight:bold" in shown[-1]
    assert capsys.readouterr().out == ""


def test_outputs_are_shown_one_after_the_other(capsys):
    both = pd.DataFrame({"power": Y, "force": Y**2})
    little(verbose=1).fit(X, both)
    lines = capsys.readouterr().out.splitlines()
    assert [name for name in ("power", "force") for line in lines if f" · {name} = " in line][:1] == ["power"]
    assert [line.split()[0] for line in lines[-2:]] == ["power", "force"]


def test_a_failing_callback_leaves_the_terminal_as_it_was(monkeypatch):
    def fail(state):
        raise RuntimeError("stop")

    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    with pytest.raises(RuntimeError, match="stop"):
        little(verbose=1, callback=fail).fit(X, Y)
    assert terminal.getvalue().endswith("\x1b[2K")


def test_it_is_kept_and_cloned(tmp_path, capsys):
    model = little(verbose=1).fit(X, Y)
    model.save(tmp_path / "model.json")
    assert DDSRRegressor.load(tmp_path / "model.json").verbose == clone(model).verbose == 1


@pytest.mark.parametrize("verbose", [-1, "yes", None, 1.5])
def test_other_values_are_refused(verbose):
    with pytest.raises(MethodError, match="verbose must be 0"):
        little(verbose=verbose).fit(X, Y)
