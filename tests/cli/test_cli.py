import re
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from clock_cases import Clock
from ddsr.cli.demo import PLANETS
from ddsr.cli.entry import BESIDE, main
from ddsr.expression import Expression, Vocabulary
from docs_cases import search_little
from report_cases import full_store


def predicted_periods(output: str) -> np.ndarray:
    """Predictions of the last printed equation."""
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


@pytest.mark.parametrize("name, package", BESIDE.items())
def test_a_group_without_its_package_says_how_to_install_it(name, package, monkeypatch):
    assert f"  {name}" in CliRunner().invoke(main, ["--help"]).output
    monkeypatch.setitem(sys.modules, package, None)
    refused = CliRunner().invoke(main, [name, "--help"])
    assert refused.exit_code == 1 and len(refused.output.splitlines()) == 1
    assert package in refused.output and "pip install" in refused.output
    others = CliRunner().invoke(main, ["--help"])
    assert others.exit_code == 0 and f"  {name}" not in others.output and "  fit" in others.output


@pytest.mark.parametrize(
    "package, arguments",
    [
        ("matplotlib", ["bench", "plot", "{store}", "--kind", "rates", "--out", "{out}"]),
        ("jinja2", ["bench", "report", "{store}", "--out", "{out}"]),
        ("torch", ["prior", "train", "--steps", "1", "--out", "{out}"]),
    ],
)
def test_a_command_without_a_dependency_says_how_to_install_it(package, arguments, monkeypatch, tmp_path):
    places = {"store": full_store(tmp_path / "store"), "out": str(tmp_path / "out.svg")}
    monkeypatch.setitem(sys.modules, package, None)
    refused = CliRunner().invoke(main, [argument.format(**places) for argument in arguments])
    assert refused.exit_code == 1 and len(refused.output.splitlines()) == 1
    install = "'ddsr[torch]'" if package == "torch" else "ddsr"
    assert f"needs the package {package}," in refused.output
    assert refused.output.endswith(f"pip install {install}\n")
