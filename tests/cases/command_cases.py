"""Tables for the tests of the command line, and ways to run it."""

import os
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
from click.testing import CliRunner, Result

import ddsr as ddsr_package
from ddsr.cli.entry import main

ROOT = Path(__file__).resolve().parents[2]
CASES = str(Path(__file__).parent)


def write_table(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def line_data(path: Path, n_rows: int = 40) -> str:
    """y = 3 a - b / 2 with two more columns, one of text and one of noise."""
    rng = np.random.default_rng(0)
    a, b, noise = rng.uniform(1, 3, (3, n_rows))
    rows = [
        f"{u},{v},row {k},{w},{3 * u - v / 2}" for k, (u, v, w) in enumerate(zip(a, b, noise, strict=True))
    ]
    return write_table(path, "a,b,label,noise,y\n" + "\n".join(rows) + "\n")


def ddsr(*arguments: object) -> Result:
    """Run `ddsr` in this process, and check what a user's mistake must never show."""
    done = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert "Traceback" not in done.output
    return done


def refusal(*arguments: object) -> str:
    """Return the one line on stderr with which a command is refused."""
    done = ddsr(*arguments)
    assert done.exit_code == 1, done.output
    lines = [line for line in done.stderr.splitlines() if not line.startswith(("reading ", "resuming "))]
    assert len(lines) == 1 and lines[0].startswith("Error: "), done.stderr
    assert done.stdout == ""
    return lines[0].removeprefix("Error: ")


def start_ddsr(*arguments: object, module: str = "ddsr", **options) -> subprocess.Popen:
    """Start a separate process; `module` may be one that changes ddsr first."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(
            [str(Path(ddsr_package.__file__).parents[1]), str(Path(__file__).parent)]
        ),
        "PYTHONUNBUFFERED": "1",
    }
    command = [sys.executable, "-m", module, *map(str, arguments)]
    # If the tests run in the background of a shell, interrupts would be ignored.
    heed_interrupts = partial(signal.signal, signal.SIGINT, signal.default_int_handler)
    usual = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "preexec_fn": heed_interrupts,
    }
    return subprocess.Popen(command, env=environment, **usual | options)


def start_brief_ddsr(*arguments: object, **options) -> subprocess.Popen:
    """Start a separate process with short epochs."""
    return start_ddsr(*arguments, module="brief_ddsr", **options)
