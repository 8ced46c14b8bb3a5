"""What the runner says of its own cost."""

import subprocess
import sys
import time

import pytest

from ddsr.bench.effort import Effort
from ddsr.bench.store import Row
from ddsr.bench.workers import LocalWorkers

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


def test_time_beside_search_and_verdict_is_the_overhead():
    effort = Effort(LocalWorkers(2), threads=1)
    effort._began = time.perf_counter() - 4.0
    report = effort.report([ROW] * 4)  # 8 slot-seconds, of which 4 × 0.75 were search and verdict
    assert report.startswith("4 runs in 4.0 s, 2 at a time: a run took 1.25 s beside its search")
    assert "0.25 s to judge" in report


@pytest.mark.parametrize("n_slots, most", [(1, 200), (100, 5)])
def test_processes_that_ended_count_as_busy(n_slots, most):
    effort = Effort(LocalWorkers(n_slots), threads=1)
    code = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    share = int(effort.report([ROW]).split("processors ")[1].partition("%")[0])
    assert 0 <= share <= most and (share > 0 or n_slots > 1)
