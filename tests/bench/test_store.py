"""The file of results: truncated lines, other versions, and locking."""

import subprocess
import sys
from dataclasses import replace

import pytest

from ddsr.errors import BenchError
from ddsr_bench.runner.store import Row, Store, other_versions_warning

ROW = Row(problem="line", method="linear", noise=0.0, seed=0, wall_s=1.0, threads=1, host="h", version="1")


def test_a_line_that_was_cut_off_is_passed_over_and_kept(tmp_path):
    store = Store(tmp_path)
    store.append(ROW)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole + b'{"problem": "curve", "meth')
    rows, warnings = store.read()
    assert rows == [ROW] and len(warnings) == 1 and "line 2" in warnings[0]
    second = replace(ROW, seed=1)
    store.append(second)
    assert store.read().rows == [ROW, second]
    assert b'"meth\n' in store.path.read_bytes()


def test_rows_of_another_version_are_named(tmp_path):
    store = Store(tmp_path)
    store.path.write_text('{"problem": "a", "colour": "red"}\n[1]\n{"problem": "a"}\n')
    rows, warnings = store.read()
    assert rows == [] and len(warnings) == 3
    assert "colour" in warnings[0] and "another version" in warnings[0]


def test_a_store_that_cannot_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BenchError, match="cannot create the store"):
        Store(tmp_path / "file" / "store")
    (tmp_path / "results.jsonl").mkdir()
    with pytest.raises(BenchError, match="cannot write"):
        Store(tmp_path).append(ROW)


def test_rows_made_by_another_version_are_counted():
    rows = [ROW, replace(ROW, seed=1, version="2"), replace(ROW, seed=2, version="0")]
    warning = other_versions_warning(rows, "1")
    assert warning is not None and warning.startswith("2 of 3 rows are from ddsr 0, 2, this is 1")
    assert other_versions_warning([ROW], "1") is None and other_versions_warning([], "1") is None


def test_a_second_runner_is_refused_and_a_dead_one_is_not_in_the_way(tmp_path):
    hold = (
        "import sys, time; from pathlib import Path; from ddsr_bench.runner.store import Store\n"
        "with Store(Path(sys.argv[1])).locked(): print('held', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", hold, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "held\n"
        with (
            pytest.raises(BenchError, match=f"another benchmark .process {other.pid} on .*use another store"),
            Store(tmp_path).locked(),
        ):
            pass
        other.kill()
        other.wait()
        with Store(tmp_path).locked():
            Store(tmp_path).append(ROW)
    assert Store(tmp_path).read().rows == [ROW]
