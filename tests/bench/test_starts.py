"""What a store records about how its rows were made."""

import gzip
import json
import subprocess
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from ddsr.errors import BenchError
from ddsr_bench.command import SuiteRun, run_suite
from ddsr_bench.runner import starts as module_of_starts
from ddsr_bench.runner.starts import (
    FILE,
    Machine,
    Start,
    command_text,
    describe_commit,
    describe_machine,
    read_starts,
    record_start,
)
from ddsr_bench.runner.store import Store
from report_cases import run, write_store

START = Start(
    command="ddsr bench run", commit="abc1234", version="1", machines=(Machine("h", "Xeon", 2, "avx2"),)
)


def test_starts_are_appended_and_read_back(tmp_path):
    assert read_starts(tmp_path) == ([], [])
    record_start(tmp_path, START)
    with (tmp_path / FILE).open("a") as file:
        file.write("{\n")
    record_start(tmp_path, START)
    starts, warnings = read_starts(tmp_path)
    assert starts == [START, START] and len(warnings) == 1 and "line 2" in warnings[0]


def test_a_recorded_command_can_be_repeated_and_names_no_home_folder():
    options = {"suite": ("my laws.csv", "nguyen"), "noise": (0.0, 0.001), "time": 60.0, "epochs": None}
    assert command_text(options) == "ddsr bench run --suite 'my laws.csv,nguyen' --noise 0,0.001 --time 60"


@pytest.mark.usefixtures("warm_command")
def test_a_run_records_its_command_commit_and_machine(suite, template, tmp_path):
    settings = {"trials": 1, "seconds": None, "epochs": 1, "jobs": 1, "threads": 1, "device": "cpu"}
    where = {"store": str(tmp_path / "store"), "factory": "stand_in:make"}
    console = Console(file=StringIO())
    for _ in range(2):  # if nothing is missing, nothing is started
        run_suite(console, SuiteRun(suites=(suite,), methods=("linear",), **settings, **where))
    (start,), _ = read_starts(tmp_path / "store")
    assert start.machines == (describe_machine(),) and start.commit == describe_commit()
    assert start.command.startswith("ddsr bench run --suite suite.csv --method linear --noise 0 --trials 1")
    assert str(tmp_path) not in start.command and "--epochs 1" in start.command
    (row,) = {
        json.loads(line)["host"] for line in (tmp_path / "store/results.jsonl").read_text().splitlines()
    }
    assert row == start.machines[0].host


def test_the_commit_is_that_of_a_checkout_of_ddsr_alone(tmp_path, monkeypatch):
    """A project that has ddsr installed in one of its folders does not count."""
    assert describe_machine().cores >= 1 and describe_machine().cpu
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    module = tmp_path / "installed" / "starts.py"
    module.parent.mkdir()
    module.write_bytes(Path(module_of_starts.__file__).read_bytes())
    monkeypatch.setattr(module_of_starts, "__file__", str(module))
    assert describe_commit() is None
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["add", "."], [*author, "commit", "-qm", "all"]):
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True)
    assert describe_commit()


def test_a_compressed_store_is_read_only(tmp_path):
    store = Path(write_store(tmp_path / "store", [run("law")]))
    plain = store / "results.jsonl"
    (store / "results.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    from ddsr_bench.report.results import read_results

    with pytest.raises(BenchError, match="has both"):
        read_results([str(store)])
    plain.unlink()
    assert [row.problem for row in read_results([str(store)]).rows] == ["law"]
    with pytest.raises(BenchError, match="gunzip .*results.jsonl.gz"):
        Store(store)
    (store / "results.jsonl.gz").write_bytes(b"torn")
    with pytest.raises(BenchError, match="cannot read"):
        read_results([str(store)])
