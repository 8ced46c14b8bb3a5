"""`ddsr fit` with rules on values and with costs: read, kept, shown, and refused with a reason."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_cases import ddsr

pytestmark = pytest.mark.usefixtures("brief_epochs", "table")
BRIEF = ("--epochs", 1, "--prior", "none", "--selection", "best", "--preset", "ddsr:generator=none")


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    S = np.linspace(0.3, 15.0, 25)
    v = 7.3 * S / (1.9 + S) + 0.1 * rng.normal(size=25)
    Path("enzyme.csv").write_text(
        "\n".join(["S,v", *(f"{s:.6g},{w:.6g}" for s, w in zip(S, v, strict=True))])
    )


def test_a_run_keeps_rules_and_costs() -> None:
    rules = ("--rule", "increasing in S", "--rule", "y from 0 to 9", "--rule", "whole exponents")
    costs = ("--operator-cost", "sin=3", "--operator-cost", "+=0.5", "--variable-cost", "S=2")
    done = ddsr("fit", "enzyme.csv", "-t", "v", *rules, *costs, *BRIEF, "--out", "run", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["checked_on_grid"] == ["increasing in S", "y from 0 to 9"]
    assert ddsr("resume", "run", "--epochs", 1, "--json").exit_code == 0
    shown = ddsr("show", "run")
    assert "Checked on a grid" in shown.stdout and "increasing in S; y from 0 to 9" in shown.stdout
    assert ddsr("report", "run").exit_code == 0
    page = next(Path("run").glob("*.html")).read_text()
    assert "Checked on a grid" in page


def test_all_operators_of_the_search_are_known() -> None:
    options = ("--operator-cost", "asin=3", "--rule", "at most 1 of acos")
    done = ddsr("fit", "enzyme.csv", "-t", "v", *options, *BRIEF, "--no-save")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--rule", "increasing in S", "--rule", "decreasing in S"), "contradict each other"),
        (("--rule", "increasing in T"), "there is no column 'T'"),
        (("--rule", "constants from 5 to 1"), "ends below its beginning"),
        (("--rule", "y from 50 to 60"), "no value of y is in this range"),
        (("--operator-cost", "sin"), "'sin' is not a name and its cost in nats"),
        (("--operator-cost", "sin=-1"), "'sin=-1' is not a name and its cost in nats"),
        (("--operator-cost", "cosh=1"), "'cosh' is not an operator of the search"),
        (("--variable-cost", "T=1"), "variable_costs: there is no column 'T'"),
    ],
)
def test_wrong_options_are_refused(options: tuple[str, ...], said: str) -> None:
    done = ddsr("fit", "enzyme.csv", "-t", "v", *options, *BRIEF, "--no-save")
    assert done.exit_code in (1, 2)
    assert said in done.stderr and "Traceback" not in done.stderr
