"""`ddsr fit --operators` with a definition: printed once, saved, shown and resumed."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_cases import ddsr

pytestmark = pytest.mark.usefixtures("brief_epochs")
OPERATORS = "+,*,mm(s, k) = s / (k + s)"
DEFINITION = "mm(s, k) = s / (k + s)"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    S = np.linspace(0.3, 12.0, 25)
    rows = [f"{a:.9g},{7.3 * a / (1.9 + a):.9g}" for a in S]
    Path("enzyme.csv").write_text("\n".join(["S,v", *rows]))
    return "enzyme.csv"


def test_the_definition_is_printed_and_kept(table: str) -> None:
    search = ("--operators", OPERATORS, "--epochs", 1, "--prior", "none", "--out", "run")
    done = ddsr("fit", table, "-t", "v", *search)
    assert done.exit_code == 0, done.output
    assert "mm(" in done.stdout
    assert [line for line in done.stdout.splitlines() if line == f"  {DEFINITION}"] == [f"  {DEFINITION}"]
    assert f"  {DEFINITION}" in ddsr("show", "run").stdout.splitlines()
    resumed = ddsr("resume", "run", "--epochs", 1, "--json")
    assert resumed.exit_code == 0, resumed.output
    assert json.loads(resumed.stdout)["definitions"] == {"mm": DEFINITION}


@pytest.mark.parametrize(
    ("definition", "reason"),
    [
        ("v2(x) = v2(x) + 1", "the operator itself"),
        ("S(x) = x^2", "has the name of a column"),
        ("f(x) = 1 + q", "unknown name 'q'"),
    ],
)
def test_a_wrong_definition_is_refused(table: str, definition: str, reason: str) -> None:
    done = ddsr("fit", table, "-t", "v", "--operators", f"+,{definition}", "--epochs", 1, "--no-save")
    assert done.exit_code == 1
    assert reason in done.stderr and "Traceback" not in done.stderr
