"""What the runner reports of its own cost."""

import subprocess
import sys

import pytest

from ddsr_bench.runner.progress import BenchmarkProgress
from ddsr_bench.runner.store import Row
from ddsr_bench.runner.workers import LocalWorkers

ROW = Row(
    problem="line",
    method="linear",
    noise=0.0,
    seed=0,
    wall_s=0.5,
    judge_s=0.25,
    threads=1,
    host="h",
    version="1",
)


def test_time_beside_search_and_verdict_is_the_overhead(clock):
    board = BenchmarkProgress(4, LocalWorkers(2))
    board.rows += [ROW] * 4
    clock.advance(4.0)
    report = board.cost(threads=1)  # 8 slot-seconds, of which 4 × 0.75 were search and verdict
    assert report.startswith("4 runs in 4.0 s, 2 at a time: per run, 1.25 s outside the search")
    assert "0.25 s to judge" in report


def test_processes_that_ended_count_as_busy(clock):
    boards = BenchmarkProgress(1, LocalWorkers(1)), BenchmarkProgress(1, LocalWorkers(10))
    code = "import time\nwhile time.process_time() < 0.2: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    clock.advance(0.1)
    shares = []
    for threads, board in enumerate(boards, start=1):
        board.rows.append(ROW)
        shares.append(int(board.cost(threads).split("processors ")[1].partition("%")[0]))
    assert shares[0] >= 200 and shares[1] == pytest.approx(shares[0] / 20, abs=1)
