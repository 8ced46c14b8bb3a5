"""scripts/check_pins: what it requests from the package index, by constraints.txt and pyproject.toml."""

import importlib.util
import re
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "check_pins"
VERSIONS = ("3.10", "3.11", "3.12", "3.13", "3.14")


@pytest.fixture(scope="module")
def check_pins():
    pytest.importorskip("pip")
    loader = SourceFileLoader("check_pins", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_pins", loader))
    loader.exec_module(module)
    return module


def normal(name: str) -> str:
    """The form in which names of packages are compared."""
    return re.sub("[-_.]+", "-", name).lower()


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_of_python_has_one_pin_of_a_package(check_pins, version, machine):
    names = [normal(pin.name) for pin in check_pins.pins(version, machine)]
    assert len(names) == len(set(names)) > 90


def test_markers_choose_the_pin(check_pins):
    def pinned(name, version, machine="x86_64"):
        return [str(pin.specifier) for pin in check_pins.pins(version, machine) if pin.name == name]

    assert pinned("numpy", "3.10") != pinned("numpy", "3.14") and len(pinned("numpy", "3.14")) == 1
    assert pinned("pyoperon", "3.12") and not pinned("pyoperon", "3.12", "aarch64")
    assert not pinned("pyoperon", "3.14")  # pyproject.toml does not require it there


def test_requirements_are_pinned(check_pins):
    asked = {normal(re.match(r"[\w.-]+", line)[0]) for line in check_pins.requirements().splitlines()}
    assert {"numpy", "torch", "pytest", "mkdocs-material", "gplearn"} <= asked
    assert asked - {normal(pin.name) for pin in check_pins.pins("3.12", "x86_64")} == set()


def test_an_invalid_version_is_refused(check_pins, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["check_pins", "3.12.1"])
    with pytest.raises(SystemExit):
        check_pins.main()
    assert "is not a version such as 3.12" in capsys.readouterr().err
