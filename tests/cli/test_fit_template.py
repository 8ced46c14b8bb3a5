"""`ddsr fit --template` and `--formula`: what they print, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest

from command_cases import ddsr

pytestmark = pytest.mark.usefixtures("brief_epochs")


@pytest.fixture
def enzyme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    S = np.linspace(0.3, 12.0, 25)
    v = 7.3 * S / (1.9 + S) + 0.05 * np.random.default_rng(0).normal(size=25)
    rows = [f"{a:.6g},{b:.6g},400" for a, b in zip(S, v, strict=True)]
    Path("enzyme.csv").write_text("\n".join(["S,v,w", *rows]))
    return "enzyme.csv"


def test_a_formula_prints_constants_with_their_errors(enzyme: str) -> None:
    done = ddsr("fit", enzyme, "-t", "v", "--formula", "Vmax * S / (Km + S)", "--weights", "w", "--no-save")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert any(line.startswith("  Vmax = 7.") and " ± 0.0" in line for line in lines)
    assert any(line.startswith("  Km   = 1.") and " ± 0.0" in line for line in lines)
    assert any(line.startswith("χ² = ") and "per degree of freedom (23); R² = 0.99" in line for line in lines)


def test_a_misspelt_column_is_suggested(enzyme: str) -> None:
    done = ddsr("fit", enzyme, "-t", "v", "--formula", "Vmax * s", "--ignore", "w", "--no-save")
    assert "constants to fit: Vmax, s (did you mean 'S'?)" in done.stderr.splitlines()


def test_chi_squared_is_of_the_given_weights(enzyme: str) -> None:
    options = ("--formula", "Vmax * S / (Km + S)", "--weights", "w", "--no-save", "--quiet", "--json")
    done = ddsr("fit", enzyme, "-t", "v", *options)
    result = json.loads(done.stdout)
    assert [row["constant"] for row in result["constants"]] == ["Vmax", "Km"] and result["functions"] == {}
    assert result["degrees_of_freedom"] == 23
    assert 5.0 < result["chi2"] < 60.0  # each row has an error of 0.05, and the weight 400


def test_a_template_prints_its_functions_and_can_be_shown_again(enzyme: str) -> None:
    search = ("--epochs", 1, "--max-size", 7, "--prior", "none", "--out", "run")
    done = ddsr("fit", enzyme, "-t", "v", "--ignore", "w", "--template", "Vmax * f(S)", *search)
    assert done.exit_code == 0, done.output
    assert "  f(S) = " in done.stdout and "  Vmax = " in done.stdout and "χ² = " in done.stdout
    shown = ddsr("show", "run").stdout
    assert "  f(S) = " in shown and "  Vmax = " in shown
    resumed = ddsr("resume", "run", "--epochs", 1, "--json")
    assert resumed.exit_code == 0, resumed.output
    assert [*json.loads(resumed.stdout)["functions"]] == ["f(S)"]
    page = ddsr("report", "run")
    assert page.exit_code == 0 and "f(S)" in Path("run", "report.html").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--formula", "A * f(S)"), "has the unknown function f(S). Pass it with --template"),
        (("--formula", "A * S", "--template", "A * f(S)"), "cannot be combined"),
        (("--template", "A * f(S"), "never closed"),
        (("--template", "S * w"), "nothing to fit"),
        (("--formula", "A * `Sx`"), "'`Sx`' at position 4 is not a column (did you mean 'S'?)"),
        (("--formula", "A * v"), "'v' is a column of the file, but not an input"),
        (("--formula", "A * S + w", "--ignore", "w"), "'w' is a column of the file, but not an input"),
        (("--template", "A * f(S)", "--guess", "S"), "guess"),
    ],
)
def test_bad_templates_are_refused_before_the_search(
    enzyme: str, options: tuple[str, ...], said: str
) -> None:
    done = ddsr("fit", enzyme, "-t", "v", *options)
    assert done.exit_code != 0 and said in done.stderr
    assert not Path("ddsr-runs").exists()
