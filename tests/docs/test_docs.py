"""The examples that newcomers copy run as printed."""

import contextlib
import inspect
import io
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from ddsr import DDSRRegressor
from ddsr.cli.entry import main
from ddsr.config import DefaultConfig
from ddsr.estimator.forms import EquationForms
from docs_cases import missing, said, said_equations, search_little

ROOT = Path(__file__).resolve().parents[2]
# The gallery's pages are run by docs/test_gallery.py, which draws their pictures from the same run.
EXAMPLES = {
    f"{path.relative_to(ROOT)} #{number}": code
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL), 1)
}


SEARCHES = ["little", pytest.param("as printed", marks=pytest.mark.slow)]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(example: str, search: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # the paths to the gallery's data are relative to it
    code = EXAMPLES[example]
    if search == "little":
        search_little(monkeypatch, said_equations(code), None if said(code) else "best")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, {})
    assert missing(code, printed.getvalue()) == []


@pytest.mark.parametrize("search", SEARCHES)
def test_shell_example_runs(search: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text below a command is its output; an ellipsis stands for lines that differ.

    The widths of columns depend on those lines.
    """
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)
    if search == "little":
        search_little(monkeypatch, ["1407 / volume"])
    for command, shown in re.findall(
        r"^\$ ddsr (.*)\n((?:(?!\$).*\n)*)", shell_example("README.md"), re.MULTILINE
    ):
        done = CliRunner().invoke(main, shlex.split(command), catch_exceptions=False)
        assert done.exit_code == 0
        printed = [line.split() for line in done.stdout.splitlines()]
        expected = [line.split() for line in shown.splitlines() if line != "…"]
        assert [line for line in expected if line not in printed] == []


def shell_example(page: str) -> str:
    return re.findall(r"```console\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)[0]


def test_the_quick_start_has_the_same_shell_example() -> None:
    assert shell_example("docs/index.md") == shell_example("README.md")


def test_readme_has_examples() -> None:
    assert any(name.startswith("README") for name in EXAMPLES)
    assert shell_example("README.md").count("$ ddsr ") == 3


def test_the_page_on_examples_has_every_motif_and_shape_with_its_weight() -> None:
    page = (ROOT / "docs" / "prior-data.md").read_text()
    motifs = (ROOT / "core" / "examples" / "motifs.cpp").read_text()
    names = re.findall(r"^  (\w+),", motifs.partition("enum Shape {")[2].partition("}")[0], re.MULTILINE)
    rows = re.findall(r"^\| `(\w+)` \|.*\| (\d+) % \|$", page, re.MULTILINE)
    assert rows == list(zip(names, weights_in(motifs, "SHAPE_WEIGHTS"), strict=True))
    composer = (ROOT / "core" / "examples" / "composer.cpp").read_text()
    shapes = re.findall(r"^\| .*\| (\d+) % \| (\d+) % \|$", page, re.MULTILINE)
    assert shapes == list(zip(weights_in(composer, "AT_ROOT"), weights_in(composer, "INSIDE"), strict=True))


def weights_in(source: str, name: str) -> list[str]:
    """The numbers of a C++ array, in percent."""
    numbers = re.findall(name + r"\{([^}]*)\}", source)[0]
    return [f"{100 * float(number):.0f}" for number in numbers.split(",")]


def test_the_estimators_page_has_every_parameter_setting_and_method() -> None:
    page = re.sub("```.*?```", "", (ROOT / "docs" / "estimator.md").read_text(), flags=re.DOTALL)
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", page))))
    settings = [each.name for each in fields(DefaultConfig)]
    methods = [name for name in vars(EquationForms) if not name.startswith("_")]
    missing = {*inspect.signature(DDSRRegressor).parameters, *settings, *methods, "predict"} - words
    assert missing == set()
