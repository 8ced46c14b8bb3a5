"""`ddsr fit --units`: read, used and kept, and refused with a reason."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from command_cases import ddsr

pytest.importorskip("pint")
pytestmark = pytest.mark.usefixtures("brief_epochs")
BRIEF = ("--epochs", 1, "--prior", "none", "--selection", "best")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    lines = [f"{m:.9g},{v:.9g},a,{0.5 * m * v**2:.9g}" for m, v in rng.uniform(1.0, 3.0, size=(25, 2))]
    Path("plain.csv").write_text("\n".join(["mass,v,note,E", *lines]))
    Path("named.csv").write_text("\n".join(["m [kg],v [m/s],note,E [J]", *lines]))


@pytest.mark.usefixtures("tables")
def test_units_are_kept_by_a_run() -> None:
    done = ddsr(
        "fit", "plain.csv", "-t", "E", "--units", "mass=kg,v=m/s,E=J", *BRIEF, "--out", "run", "--json"
    )
    assert done.exit_code == 0, done.output
    assert "* v^2" in str(json.loads(done.stdout))
    resumed = ddsr("resume", "run", "--epochs", 1, "--json")
    assert resumed.exit_code == 0, resumed.output
    assert ddsr("show", "run").exit_code == 0


@pytest.mark.usefixtures("tables")
def test_units_are_read_from_names() -> None:
    done = ddsr("fit", "named.csv", "-t", "E [J]", "--units", "names", *BRIEF, "--no-save")
    assert done.exit_code == 0, done.output
    assert "`v [m/s]`^2" in done.stdout


@pytest.mark.usefixtures("tables")
def test_constants_of_a_formula_are_printed_with_their_units() -> None:
    units = ("--units", "mass=kg,v=m/s,E=J", "--no-save")
    done = ddsr("fit", "plain.csv", "-t", "E", "--formula", "A * mass * v^2 - B", *units)
    assert done.exit_code == 0, done.output
    assert re.search(r"A += 0\.5 ± \S+\n +B += \S+ ± \S+ J\n", done.stdout), done.stdout
    wrong = ddsr("fit", "plain.csv", "-t", "E", "--template", "mass + f(v)", *units)
    assert wrong.exit_code == 1 and "the whole has the unit kg, but y has J" in wrong.stderr


@pytest.mark.usefixtures("tables")
def test_units_of_names_with_commas_are_quoted() -> None:
    table = Path("plain.csv").read_text().replace("mass,v,", '"mass, dry",v=w,', 1)
    Path("comma.csv").write_text(table)
    command = ("fit", "comma.csv", "-t", "E", *BRIEF)
    done = ddsr(*command, "--units", '"mass, dry=kg",v=w=m/s', "--units", "E=J", "--no-save")
    assert done.exit_code == 0, done.output
    assert "* `v=w`^2" in done.stdout
    twice = ddsr(*command, "--units", "E=J,E=N", "--no-save")
    assert twice.exit_code == 2 and "'E' has two units" in twice.stderr


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("units", "said"),
    [
        ("mass=kg,E=J", "units has no unit for 'v'"),
        ("mass=kg,v=m/s", "y_units is missing"),
        ("mass=kg,v=m/s,E=N", "no expression of the columns has the unit 'N' of y"),
        ("mass=kg,v=m/s,w=m,E=J", "units has 'w', which is not a column"),
        ("mass=kg,v=qwerty,E=J", "cannot read the unit 'qwerty' of column 'v'"),
        ("mass", "'mass' is not a column and its unit"),
        ("names", "the name 'E' has no unit in brackets"),
    ],
)
def test_wrong_units_are_refused(units: str, said: str) -> None:
    done = ddsr("fit", "plain.csv", "-t", "E", "--units", units, *BRIEF, "--no-save")
    assert done.exit_code in (1, 2)
    assert said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.usefixtures("tables")
def test_known_constants_are_kept_by_a_run() -> None:
    law = ("--guess", "G * mass^2 / v", "--constant", "G=3 m^2/kg/s^3", "--constant", "kB")
    units = ("--units", "mass=kg,v=m/s,E=kg*m/s^2")
    done = ddsr("fit", "plain.csv", "-t", "E", *units, *law, *BRIEF, "--out", "run", "--json")
    assert done.exit_code == 0, done.output
    assert "G * mass^2 / v" in str(json.loads(done.stdout)["equations"]) or "G" in done.stdout
    predicted = ddsr("predict", "run", "plain.csv", "--json")
    assert predicted.exit_code == 0, predicted.output
    assert np.isfinite(json.loads(predicted.stdout)["predictions"]).all()
    assert ddsr("resume", "run", "--epochs", 1).exit_code == 0
    assert ddsr("report", "run").exit_code == 0
    page = Path("run/report.html").read_text()
    assert "E [kg*m/s^2]" in page and "<td>v [m/s]</td>" in page and "<td>G = 3</td>" in page


@pytest.mark.usefixtures("tables")
def test_a_formula_may_use_known_constants() -> None:
    done = ddsr(
        "fit", "plain.csv", "-t", "E", "--formula", "k * g * mass * v^2", "--constant", "g", "--no-save"
    )
    assert done.exit_code == 0, done.output
    assert "constants to fit: k\n" in done.stderr and "g" in done.stdout
