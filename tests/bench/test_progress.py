"""What a user sees during runs, and what Ctrl-C leaves."""

import re
import signal
import subprocess
import time
from dataclasses import replace
from io import StringIO

from rich.console import Console

from command_cases import start_ddsr
from ddsr_bench.runner.progress import BenchmarkProgress, clock, describe, show
from ddsr_bench.runner.store import Key, Row, Store

ROW = Row(problem="line", method="linear", noise=0.01, seed=0, wall_s=1.0, threads=1, host="h", version="1")
FOUND = replace(ROW, expression="x", r2_test=0.5, complexity=1)


class TwoInFlight:
    n_slots = 2

    def cpu_s(self):
        return 0.0

    def running(self):
        return {Key("curve", "paper", 0.0, seed): time.monotonic() - 65 for seed in range(2)}


def shown(is_terminal, rows):
    console = Console(file=StringIO(), force_terminal=is_terminal, width=100)
    show(console, BenchmarkProgress(4, TwoInFlight()), rows)
    return console.file.getvalue()


def test_progress_table_on_a_terminal():
    text = shown(True, [replace(FOUND, solved_srbench=True), replace(ROW, error="timeout: killed")])
    assert "2/4 runs done, 1 with errors" in text and "left" in text
    assert re.search(r"linear +2 +1 +1", text)
    assert re.search(r"curve paper noise=0 seed=1 +01:05", text)
    assert "line linear noise=0.01 seed=0: timeout: killed" in text


def test_progress_lines_without_a_terminal():
    text = shown(False, [FOUND, replace(ROW, error="[oops]")])
    assert text.splitlines() == [
        "1/4 line linear noise=0.01 seed=0: not solved, R² 0.500000, 1.0 s: x",
        "2/4 line linear noise=0.01 seed=0: [oops]",
    ]


def test_without_a_known_equation_solving_is_not_mentioned():
    assert "solved" not in describe(replace(FOUND, solved_srbench=None))
    sizeless = replace(FOUND, solved_srbench=None, expression=None, complexity=70)
    assert describe(sizeless).endswith("R² 0.500000, 1.0 s: a model of 70 nodes")


def test_clock():
    assert [clock(seconds) for seconds in (0, 61, 3725.4)] == ["00:00", "01:01", "1:02:05"]


def test_the_time_left_is_known_after_the_first_run():
    board = BenchmarkProgress(3, TwoInFlight())
    assert board.seconds_left is None and "left" not in board.headline()
    board.rows.append(ROW)
    assert board.seconds_left >= 0


def test_an_interrupt_stores_nothing_unfinished_and_says_how_to_resume(tmp_path):
    command = ["bench", "run", "--suite", "nguyen", "--method", "uniform", "--time", 300, "--jobs", 2]
    process = start_ddsr(*command, "--store", tmp_path, "--draw", 3, stderr=subprocess.STDOUT)
    assert "3 runs to do" in process.stdout.readline()
    time.sleep(1.0)  # usually the runs have begun by then
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=300)
    assert process.returncode == 130, output
    assert "run the same command to resume" in output and "Traceback" not in output
    assert all(row.error is None for row in Store(tmp_path).read().rows)
