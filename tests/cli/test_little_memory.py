"""Too little memory gives a one-line error."""

import errno
import os
import resource
import sys

import click
import pytest

from command_cases import line_data, start_ddsr
from ddsr.cli.failure import Command
from ddsr.cli.memory import LEAST_ADDRESS_SPACE, MODEST, NO_MEMORY, check_memory, is_lack_of_memory

MIB = 2**20


def limited(megabytes: int):
    """Limit the memory of the child process."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MIB, megabytes * MIB))

    return limit


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not heed the limit")
@pytest.mark.parametrize("megabytes", [250, 350, 450, 550])
def test_a_limit_on_memory_is_reported_in_one_line(tmp_path, megabytes):
    """Without the check, imports end in tracebacks of the linker and of CPython, or never end (350)."""
    path = line_data(tmp_path / "line.csv")
    process = start_ddsr("fit", path, "-t", "y", "--no-save", "--quiet", preexec_fn=limited(megabytes))
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 1 and printed == ""
    # with many cores NumPy's library ends the process during its import, with a line of its own
    assert said.startswith((f"Error: {NO_MEMORY}", "OpenBLAS error: Memory")) and said.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not heed the limit")
def test_just_above_the_limit_there_is_no_traceback(tmp_path):
    path = line_data(tmp_path / "line.csv")
    limit = limited(LEAST_ADDRESS_SPACE // MIB + 5)
    options = ("--preset", "uniform", "--max-size", 9, "--epochs", 1, "--no-save", "--quiet")
    process = start_ddsr("fit", path, "-t", "y", *options, preexec_fn=limit)
    printed, said = process.communicate(timeout=60)
    assert "Traceback" not in said
    assert process.returncode in (0, 1) and (process.returncode == 0) == bool(printed)


def chained() -> Exception:
    try:
        try:
            raise MemoryError
        except MemoryError as error:
            raise ValueError("partially initialised") from error
    except ValueError as error:
        return error


LACKS = [
    MemoryError(),
    OSError(errno.ENOMEM, "Cannot allocate memory"),
    ImportError("libscipy_openblas.so: failed to map segment from shared object"),
    RuntimeError("can't start new thread"),
    RuntimeError("std::bad_alloc"),
    RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory: you tried"),
    SystemError("error return without exception set"),
    chained(),
]


@pytest.mark.parametrize("error", LACKS, ids=repr)
def test_every_library_is_understood(error):
    assert is_lack_of_memory(error)

    @click.command(cls=Command)
    def command() -> None:
        raise error

    with pytest.raises(click.ClickException, match=NO_MEMORY):
        command.main([], standalone_mode=False)


@pytest.mark.parametrize("error", [ImportError("no module named x"), OSError(2, "gone"), ValueError("x")])
def test_other_errors_are_not(error):
    assert not is_lack_of_memory(error)


@pytest.mark.parametrize("gibibytes, is_modest", [(1, True), (3, True), (8, False)])
def test_under_a_limit_libraries_reserve_nothing_ahead(monkeypatch, gibibytes, is_modest):
    for name in MODEST:
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (gibibytes * 1024 * MIB, -1))
    check_memory()
    assert [os.environ.get(name) == value for name, value in MODEST.items()] == [is_modest] * len(MODEST)


def test_the_users_settings_are_kept(monkeypatch):
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    monkeypatch.setenv("ARROW_DEFAULT_MEMORY_POOL", "mimalloc")
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1024 * MIB, -1))
    check_memory()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "2"
    assert os.environ["ARROW_DEFAULT_MEMORY_POOL"] == "mimalloc"
