"""scripts/check_machine says in one line what to install, before anything else can fail."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "scripts" / "check_machine"
SHELL_TOOLS = ("sh", "mktemp", "rm", "head")


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder to use as PATH: the shell's tools, this Python, a compiler that accepts everything."""
    for tool in SHELL_TOOLS:
        found = shutil.which(tool)
        assert found
        (tmp_path / tool).symlink_to(found)
    add_program(tmp_path, "python3", f'exec "{sys.executable}" "$@"')
    add_program(tmp_path, "c++", "exit 0")
    return tmp_path


def add_program(machine: Path, name: str, body: str) -> None:
    program = machine / name
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)


def check(machine: Path, **variables: str) -> tuple[int, list[str]]:
    """Exit status and printed lines of the check on that machine."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CXX", "PYTHON")}
    done = subprocess.run(
        ["sh", str(SCRIPT)],
        env={**kept, "PATH": str(machine), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def test_silent_if_nothing_is_missing(machine: Path) -> None:
    assert check(machine) == (0, [])


def test_no_python(machine: Path) -> None:
    (machine / "python3").unlink()
    status, [line] = check(machine)
    assert status == 1
    assert "no 'python3' here: install Python 3.10" in line


def test_old_python(machine: Path) -> None:
    add_program(machine, "python3.8", '[ "$1" = --version ] && echo Python 3.8.18; exit 1')
    status, [line] = check(machine, PYTHON="python3.8")
    assert status == 1
    assert "'python3.8' is Python 3.8.18: install Python 3.10" in line


def test_python_without_venv(machine: Path) -> None:
    add_program(machine, "python3", 'case "$2" in *venv*) exit 1 ;; esac')
    status, [line] = check(machine)
    assert status == 1
    assert "lacks the module venv" in line


def test_python_without_headers(machine: Path) -> None:
    add_program(machine, "python3", 'case "$2" in *Python.h*) exit 1 ;; esac')
    status, [line] = check(machine)
    assert status == 1
    assert "lacks its C headers" in line


def test_no_compiler(machine: Path) -> None:
    (machine / "c++").unlink()
    status, [line] = check(machine)
    assert status == 1
    assert "no C++ compiler here: install g++" in line


def test_old_compiler(machine: Path) -> None:
    add_program(machine, "c++", "exit 1")
    status, [line] = check(machine)
    assert status == 1
    assert "'c++' does not compile C++20" in line


def test_named_compiler_is_the_one_checked(machine: Path) -> None:
    add_program(machine, "old-compiler", "exit 1")
    status, [line] = check(machine, CXX="old-compiler")
    assert status == 1
    assert "'old-compiler' does not compile C++20" in line


def test_named_compiler_may_carry_arguments(machine: Path) -> None:
    add_program(machine, "c++", "exit 1")
    add_program(machine, "cache", '[ "$1" = the-compiler ]')
    assert check(machine, CXX="cache the-compiler") == (0, [])


def test_each_missing_thing_has_its_line(machine: Path) -> None:
    (machine / "python3").unlink()
    (machine / "c++").unlink()
    status, lines = check(machine)
    assert status == 1
    assert len(lines) == 2
