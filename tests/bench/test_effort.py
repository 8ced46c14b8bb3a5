"""What the runner reports of its own cost."""

import subprocess
import sys

import pytest

from ddsr_bench.runner.effort import Effort
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
    effort = Effort(LocalWorkers(2), threads=1)
    clock.advance(4.0)
    report = effort.report([ROW] * 4)  # 8 slot-seconds, of which 4 × 0.75 were search and verdict
    assert report.startswith("4 runs in 4.0 s, 2 at a time: a run took 1.25 s beside its search")
    assert "0.25 s to judge" in report


def test_processes_that_ended_count_as_busy(clock):
    one, many = Effort(LocalWorkers(1), threads=1), Effort(LocalWorkers(10), threads=2)
    code = "import time\nwhile time.process_time() < 0.2: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    clock.advance(0.1)
    shares = [int(effort.report([ROW]).split("processors ")[1].partition("%")[0]) for effort in (one, many)]
    assert shares[0] >= 200 and shares[1] == pytest.approx(shares[0] / 20, abs=1)
