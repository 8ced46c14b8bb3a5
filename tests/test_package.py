"""The installed package: names, metadata, and a quick import."""

import importlib.metadata
import importlib.resources
import os
import re
import subprocess
import sys
import types
from collections.abc import Sequence
from pathlib import Path

import pytest

import ddsr

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = (ROOT / "pyproject.toml").read_text()

# The sanitizers also slow down NumPy's allocations; the limit that counts is that of `make test`.
LONGEST_START_S = 2.0 if "ASAN_OPTIONS" in os.environ else 0.5
HEAVY_MODULES = ("torch", "sympy", "pandas", "sklearn", "matplotlib", "scipy", "numpy", "rich", "ddsr._core")
IMPORT_PACKAGE = "import ddsr"
SHOW_HELP = "from ddsr.cli.entry import main; main(['--help'], standalone_mode=False)"
SHOW_MISSING = """
import click
from ddsr.cli.entry import main
try:
    main(['show', 'missing'], standalone_mode=False)
except click.ClickException as error:
    print(error)
"""
STARTS = pytest.mark.parametrize("code", [IMPORT_PACKAGE, SHOW_HELP, SHOW_MISSING])


def run_python(arguments: Sequence[str]) -> str:
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


def processor_seconds_of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def pyproject_version() -> str:
    # Python 3.10 has no tomllib, so the few values needed are read as text.
    found = re.search(r'^version = "(.+)"$', PYPROJECT, re.MULTILINE)
    assert found
    return found.group(1)


def runtime_dependency_lines() -> list[str]:
    found = re.search(r"^dependencies = \[\n(.*?)^\]", PYPROJECT, re.MULTILINE | re.DOTALL)
    assert found
    return found.group(1).splitlines()


def test_all_lists_the_exports_sorted() -> None:
    public = {
        name
        for name, value in vars(ddsr).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    assert public - set(ddsr.__all__) == set()
    assert list(ddsr.__all__) == sorted(set(ddsr.__all__))


def test_every_name_in_all_can_be_had() -> None:
    assert [name for name in ddsr.__all__ if not hasattr(ddsr, name)] == []


@STARTS
def test_start_leaves_heavy_modules_alone(code: str) -> None:
    loaded = run_python(["-c", f"{code}\nimport sys; print('loaded:', *sys.modules)"])
    names = set(loaded.rpartition("loaded:")[2].split())
    assert "ddsr" in names
    assert names.intersection(HEAVY_MODULES) == set()


@STARTS
def test_start_is_quick(code: str) -> None:
    durations: list[float] = []
    # Processor time, the best of a few, so that other programs do not matter. The only wait is for the disk,
    # so on an idle machine the clock shows the same.
    while len(durations) < 5 and min(durations, default=LONGEST_START_S) >= LONGEST_START_S:
        began = processor_seconds_of_children()
        run_python(["-c", code])
        durations.append(processor_seconds_of_children() - began)
    assert min(durations) < LONGEST_START_S, durations


def test_command_line_names_its_version() -> None:
    assert run_python(["-m", "ddsr", "--version"]).split() == ["ddsr", pyproject_version()]


def test_help_names_the_demo() -> None:
    assert "demo" in run_python(["-m", "ddsr", "--help"])


def test_installed_version_is_that_of_the_sources() -> None:
    assert importlib.metadata.version("ddsr") == pyproject_version()


def test_types_are_shipped() -> None:
    assert importlib.resources.files("ddsr").joinpath("py.typed").is_file()


def test_every_runtime_dependency_has_its_reason() -> None:
    with_reason = re.compile(r'^  "[a-z0-9-]+>=[0-9.]+", +# \S.*$')
    assert [line for line in runtime_dependency_lines() if not with_reason.match(line)] == []


def test_changelog_leads_to_this_version() -> None:
    titles = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert titles[0] in ("Unreleased", pyproject_version())


def test_every_tested_version_is_pinned_once() -> None:
    pins = [
        line
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    inexact = [pin for pin in pins if not re.fullmatch(r"[\w.-]+==[\w.]+( ; python_version .+)?", pin)]
    assert inexact == []
    assert len(pins) == len({pin.lower() for pin in pins})


def test_every_requirement_is_pinned() -> None:
    constraints = (ROOT / "constraints.txt").read_text().lower().replace("_", "-")
    pinned = set(re.findall(r"^([a-z0-9.-]+)==", constraints, re.MULTILINE))
    required = set(re.findall(r'"([a-z][a-z0-9-]*)(?:\[[a-z]+\])?>=', PYPROJECT))
    assert required - pinned == set()
