"""How soon something is seen, and what large data cost. Slow: they need a machine to themselves."""

import os
import pty
import subprocess
import sys
import time

import numpy as np
import pytest

from command_cases import ROOT, line_data, start_ddsr

FIRST_OUTPUT_S, FIRST_EQUATION_S = 1.0, 3.0
MOST_MEMORY = 1.5e9
N_ROWS, N_COLUMNS = 100_000, 20


def first_lines(path: str) -> tuple[float, float]:
    """Seconds until the first output, and until the first equation of the search."""
    began = time.monotonic()
    process = start_ddsr("fit", path, "-t", "noise", "--time", 30, "--no-save")
    try:
        process.stderr.readline()
        first_output = time.monotonic() - began
        while " epoch " not in (line := process.stderr.readline()):
            assert line, "it has ended"
        return first_output, time.monotonic() - began
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(os.getloadavg()[0] > (os.cpu_count() or 1), reason="others use this machine")
def test_something_is_seen_soon(tmp_path):
    """The best of a few: another process that takes the cores is not ddsr's doing."""
    path = line_data(tmp_path / "line.csv")
    times = [first_lines(path) for _ in range(4)]
    assert min(output for output, _ in times) < FIRST_OUTPUT_S, times
    assert min(equation for _, equation in times) < FIRST_EQUATION_S, times


@pytest.fixture(scope="module")
def large_table(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("large") / "large.csv"
    X = np.random.default_rng(0).uniform(0.5, 3.0, (N_ROWS, N_COLUMNS))
    y = X[:, 0] * np.sin(X[:, 1]) + X[:, 2] / X[:, 3] + 0.1 * np.random.default_rng(1).normal(size=N_ROWS)
    names = ",".join([*(f"x{k}" for k in range(N_COLUMNS)), "y"])
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=names, comments="", fmt="%.9g")
    return str(path)


MEASURED = """
import resource, sys
from ddsr.cli import main
try:
    main(sys.argv[1:], prog_name="ddsr")
finally:
    print("peak", 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


@pytest.mark.slow
def test_large_data_keep_the_time_and_little_memory(large_table, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", MEASURED, "fit", large_table, "-t", "y", "--time", "40"]
    began = time.monotonic()
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "run")], capture_output=True, text=True, env=environment
    )
    seconds = time.monotonic() - began
    assert done.returncode == 0, done.stderr
    peak = float(done.stderr.rpartition("peak ")[2])
    assert peak < MOST_MEMORY, f"{peak / 1e9:.2f} GB"
    assert seconds < 40 + 15, seconds  # imports, reading, writing the data
    assert "sin(x1)" in done.stdout


def test_on_a_terminal_the_view_stays_in_place(tmp_path):
    """A real terminal, as the program sees it; the result is printed under the view's place."""
    path = line_data(tmp_path / "line.csv")
    ours, theirs = pty.openpty()
    process = start_ddsr(
        "fit", path, "-t", "noise", "--time", 3, "--no-save", stdout=theirs, stderr=theirs, stdin=theirs
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not chunk:
            break
        shown += chunk
    os.close(ours)
    assert process.wait(timeout=60) == 0
    text = shown.decode()
    assert "of 3 s" in text and "improvements by: refiner" in text and "Ctrl-C ends the search" in text
    assert "\x1b[2K" in text and text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # the cursor is back
    assert "Ended after" in text.rpartition("\x1b[?25h")[2]
