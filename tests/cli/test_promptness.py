"""Work done before the first output, and the cost of large data."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest

from command_cases import ROOT, line_data, start_brief_ddsr, start_ddsr
from ddsr.price.description_length import FEW_ROWS

MOST_MEMORY = 1.5e9
N_ROWS, N_COLUMNS = 100_000, 20

# Records slow imports; the first output and the first equation do not wait for all of them.
NOTES_IMPORTS = """
import sys
write = sys.stderr.write
def noting(text):
    if isinstance(text, bytes):  # click tries what the stream takes
        raise TypeError
    slow = [name for name in ("pandas", "sklearn", "sympy", "torch") if name in sys.modules]
    return write(f"{text.rstrip()} | {slow}\\n" if text.strip() else "")
sys.stderr.write = noting
from brief_ddsr import shorten_epochs
shorten_epochs()
from ddsr.cli.entry import main
main()
"""


def test_output_appears_before_slow_imports(tmp_path):
    (tmp_path / "ddsr_noting.py").write_text(NOTES_IMPORTS)
    path = line_data(tmp_path / "line.csv", n_rows=FEW_ROWS + 1)  # too many for the cheap forms
    options = ("-t", "noise", "--time", 3600, "--no-save")
    process = start_ddsr("fit", path, *options, module="ddsr_noting", cwd=tmp_path)
    try:
        first = process.stderr.readline()
        assert first.startswith("reading ") and first.endswith("| []\n"), first
        while " epoch " not in (line := process.stderr.readline()):
            assert line, "it has ended"
        assert "torch" not in line
    finally:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def large_table(tmp_path_factory) -> str:
    path = tmp_path_factory.mktemp("large") / "large.csv"
    X = np.random.default_rng(0).uniform(0.5, 3.0, (N_ROWS, N_COLUMNS))
    y = X[:, 0] * np.sin(X[:, 1]) + X[:, 2] / X[:, 3] + 0.1 * np.random.default_rng(1).normal(size=N_ROWS)
    names = ",".join([*(f"x{k}" for k in range(N_COLUMNS)), "y"])
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header=names, comments="", fmt="%.9g")
    return str(path)


MEASURED = """
import sys
from ddsr.cli.entry import main
try:
    main(sys.argv[1:], prog_name="ddsr")
finally:
    held = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print("peak", 1024 * int(held.split()[1]), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads the peak from /proc")
def test_large_data_need_little_memory(large_table, tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, "-c", MEASURED, "fit", large_table, "-t", "y", "--time", "40"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "run")], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    peak = float(done.stderr.rpartition("peak ")[2])
    assert peak < MOST_MEMORY, f"{peak / 1e9:.2f} GB"
    assert "\ny = " in done.stdout


def test_on_a_terminal_the_view_stays_in_place(tmp_path):
    """Uses a real terminal; the result is printed below the view."""
    path = line_data(tmp_path / "line.csv")
    ours, theirs = pty.openpty()
    process = start_brief_ddsr(
        *("fit", path, "-t", "noise", "--time", 3600, "--epochs", 1, "--no-save"),
        *("--selection", "best", "--prior", "none"),
        stdout=theirs,
        stderr=theirs,
        stdin=theirs,
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
    assert process.wait(timeout=600) == 0
    text = shown.decode()
    assert "of 3600 s" in text and "improvements by: refiner" in text and "Ctrl-C ends the search" in text
    assert "\x1b[2K" in text and text.count("\x1b[?25l") == text.count("\x1b[?25h") == 1  # cursor is back
    assert "Ended after" in text.rpartition("\x1b[?25h")[2]
