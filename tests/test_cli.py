import re

import numpy as np
import pytest
from click.testing import CliRunner

from clock_cases import Clock
from ddsr.cli.demo import PLANETS
from ddsr.cli.entry import main
from ddsr.expression import Expression, Vocabulary
from docs_cases import search_little


def predicted_periods(output: str) -> np.ndarray:
    """Of the equation that was printed last."""
    chosen = re.findall(r"^period = (.+)$", output, re.MULTILINE)[-1]
    axes = np.array([[axis] for axis, _ in PLANETS.values()])
    return Expression.parse(chosen, Vocabulary(("axis",))).to_callable()(axes)


@pytest.mark.parametrize("search", ["little", pytest.param("as it is", marks=pytest.mark.slow)])
def test_demo_finds_keplers_third_law(search, monkeypatch):
    if search == "little":
        search_little(monkeypatch, ["axis^1.5"])
        Clock(tick=0.1).install(monkeypatch)
    done = CliRunner().invoke(main, ["demo"])
    assert done.exit_code == 0, done.output
    periods = [period for _, period in PLANETS.values()]
    np.testing.assert_allclose(predicted_periods(done.output), periods, rtol=0.02)
    assert "Kepler, 1619" in done.output


def test_demo_takes_a_seed(monkeypatch):
    search_little(monkeypatch, [])
    Clock(tick=0.1).install(monkeypatch)
    runs = [CliRunner().invoke(main, ["demo", "--time", "2", "--seed", str(seed)]) for seed in (1, 2)]
    assert all(run.exit_code == 0 for run in runs)


def test_a_mistake_gets_one_line_and_no_traceback():
    for option, value in (("--time", "soon"), ("--time", "-1"), ("--time", "nan"), ("--seed", "-1")):
        done = CliRunner().invoke(main, ["demo", option, value])
        assert done.exit_code == 2, (option, value)
        assert value in done.output and "Traceback" not in done.output
