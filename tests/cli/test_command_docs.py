"""The examples of docs/command.md run as printed, one after the other."""

import csv
import json
import re
import shlex

import pytest

from clock_cases import Clock
from command_cases import ROOT, ddsr
from docs_cases import search_little

PAGE = (ROOT / "docs" / "command.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("search", ["little", pytest.param("as printed", marks=pytest.mark.slow)])
def test_the_examples_run(search, tmp_path, monkeypatch):
    if search == "little":
        search_little(monkeypatch, ["axis^1.5"])
        Clock(tick=0.1).install(monkeypatch)  # every reading of the clock takes time
    monkeypatch.chdir(tmp_path)
    (tmp_path / "planets.csv").write_text(blocks("csv")[0])
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    assert {shlex.split(line)[1] for line in lines} == {"fit", "show", "predict", "report", "resume", "demo"}
    for line in lines:
        program, *arguments = shlex.split(line)
        done = ddsr(*arguments)
        assert program == "ddsr" and done.exit_code == 0, (line, done.output)
        if "--json" in arguments:
            check_keys(arguments[0], json.loads(done.stdout))
    assert (tmp_path / "kepler" / "report.html").stat().st_size > 10_000
    rows = list(csv.DictReader((tmp_path / "predicted.csv").read_text().splitlines()))
    assert len(rows) == 8 and abs(float(rows[-1]["prediction"]) - 164.79) < 1.0


def check_keys(command: str, result: dict) -> None:
    """Check that the page names all keys."""
    assert all(f"`{key}`" in PAGE for key in result), (command, list(result))


def test_every_option_of_fit_is_on_the_page():
    options = re.findall(r"^  (?:-\w, )?(--[a-z-]+)", ddsr("fit", "--help").stdout, re.MULTILINE)
    assert len(options) > 15
    assert [option for option in options if option not in PAGE and option != "--help"] == []


def test_flags_show_no_default():
    assert "[default: True]" not in " ".join(ddsr("fit", "--help").stdout.split())
