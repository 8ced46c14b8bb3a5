"""Files of fits, their tables, and the page that shows the kept ones."""

import gzip
import json
from dataclasses import replace

import pytest
from benchmarks import kept
from benchmarks.pages import with_tables
from benchmarks.realistic import page
from benchmarks.realistic.calibration import bins
from benchmarks.realistic.lines import Row, Task, read_origins, read_rows, unique, write_line
from benchmarks.realistic.summary import CEILING, LEFT_OUT, NOTHING, summarize

from ddsr.errors import BenchError

ORIGIN = {"commit": "abc", "hardware": {"cpu": "Xeon", "cores": 2, "instruction_set": "avx2"}}


def row(curve="drag", draw=0, limit=2.0, *, is_right=True, **named) -> Row:
    of_task = {name: named.pop(name) for name in list(named) if name in Task.__dataclass_fields__}
    usual = {"is_useful": True, "swings": False, "seconds": 2.1, "is_equal": is_right, "probability": 0.9}
    task = Task(curve, draw, limit, **of_task)
    return Row(task, "0.61 * A * v^3.123456", is_right, **{**usual, "is_among_three": is_right, **named})


def write(path, rows):
    with path.open("w") as file:
        print(json.dumps(ORIGIN), file=file)
        for each in rows:
            write_line(file, each)


def test_files_are_read_as_they_were_written(tmp_path):
    rows = [row(), row(draw=1, method="gplearn"), row(is_left_out=True)]
    path = tmp_path / "fits.jsonl"
    write(path, rows)
    assert list(read_rows(path)) == rows and read_origins(path) == [ORIGIN]
    with path.open("a") as file:
        file.write('{"task": {"curve": "dr')  # killed while writing
    assert list(read_rows(path)) == rows
    assert list(read_rows(tmp_path / "absent.jsonl")) == []


def test_lines_of_earlier_versions_are_read(tmp_path):
    path = tmp_path / "fits.jsonl"
    task = {"curve": "drag", "draw": 0, "limit": 3.0, "has_guess": False}
    values = {"equation": "A", "is_form_right": True, "is_useful": True, "swings": False, "seconds": 3.0}
    path.write_text(json.dumps({"task": task, **values}) + "\n")
    (found,) = read_rows(path)
    assert found.task == Task("drag", 0, 3.0) and found.is_equal is None


def test_failed_fits_are_run_again():
    failed = replace(row(), error="MemoryError: ")
    assert unique([failed]) == {} and list(unique([failed, row()]).values()) == [row()]


def cells(text: str, start: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith(start))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_rates_by_limit_and_method():
    rows = [row(draw=draw, is_right=draw < 3) for draw in range(4)]
    rows += [row(draw=draw, is_right=True, has_guess=True) for draw in range(4)]
    rows += [row(draw=draw, is_right=draw < 2, is_left_out=True) for draw in range(4)]
    rows += [row(method="gplearn", is_right=False, is_useful=False, swings=True)]
    text = summarize(rows)
    assert cells(text, "| 2 | ddsr |")[2:] == [
        "75.0 %",
        "75.0 %",
        "100.0 %",
        "0.0 %",
        "75.0 %",
        "0.0 %",
        "4",
    ]
    assert cells(text, f"| 2 | {CEILING} |")[2] == "100.0 %"
    assert cells(text, f"| 2 | {LEFT_OUT} |")[2] == "50.0 %"
    assert cells(text, "| 2 | gplearn |")[2:] == ["0.0 %", "0.0 %", "0.0 %", "100.0 %", "–", "–", "1"]
    assert "- 2 s: -25.0 points (1 lost, 0 gained of 4)" in text


def test_rates_are_from_the_first_draws_and_calibration_from_all():
    text = summarize([row(draw=draw, is_right=draw == 0) for draw in range(10)], n_draws=1)
    assert cells(text, "| 2 | ddsr |")[2] == "100.0 %"
    assert cells(text, "| 90.0–90.0 %")[2:] == ["10.0 %", "10"]


def test_forms_that_became_wrong_with_more_time_are_named():
    rows = [row(), row(limit=10.0, is_right=False), row("diode"), row("diode", limit=10.0)]
    text = summarize(rows)
    assert "became wrong with more time: 1." in text and "- drag, draw 0: `0.61 * A * v^3.123` at 2 s" in text
    assert "- diode" not in text
    assert "became wrong" not in summarize([row()])


def test_undecided_and_failed_fits_are_counted():
    text = summarize([row(), row(draw=1, is_equal=None), row(draw=2, is_right=False, error="ValueError: no")])
    assert "could not compare 1 equations" in text and "ValueError: no" in text
    assert summarize([]) == NOTHING


def test_bins_have_enough_fits_each():
    rows = [row(draw=n, probability=n / 602, is_right=n % 2 == 0) for n in range(602)]
    found = bins(rows)
    assert len(found) == 10 and all(each.n_fits >= 60 for each in found)
    assert sum(each.n_fits for each in found) == 602
    assert all(each.least <= each.said <= each.largest for each in found)
    assert found[0].largest <= found[1].least and found[3].right == pytest.approx(0.5, abs=0.02)
    assert [each.n_fits for each in bins(rows[:70])] == [70]
    assert bins([row(probability=float("nan"))]) == []


def test_peers_and_helped_fits_do_not_count_for_calibration():
    rows = [row(has_guess=True), row(is_left_out=True), row(method="gplearn")]
    assert "stated probability" not in summarize(rows) and "stated probability" in summarize([row()])


def test_real_sets_have_a_row_each_with_all_equations():
    rows = [row("hubble", seed, suite="real", is_right=seed < 2) for seed in range(3)]
    text = summarize(rows)
    assert "| 2 | ddsr | 2 | 2 | 3 |" in text
    assert cells(text, "| hubble |")[3] == "2 of 3" and cells(text, "| hubble |")[4].count("A * v") == 3


def test_kept_runs_are_shown_only_on_the_reported_half(tmp_path):
    assert page.figures(tmp_path / "realistic") == page.NOTHING
    fits = tmp_path / "fits.jsonl"
    write(fits, [row("drag"), row("free fall", is_right=False), row("hubble", suite="real")])
    target = page.keep(fits, "one-core", tmp_path / "realistic")
    assert target.name == "one-core.jsonl.gz" and gzip.decompress(target.read_bytes()) == fits.read_bytes()
    text = page.figures(tmp_path / "realistic")
    assert cells(text, "| 2 | ddsr | 100")[-1] == "1"  # drag is in the reported half
    assert "| hubble |" in text and "commit abc" in text


@pytest.mark.parametrize(("name", "has_origin"), [("../up", True), ("", True), ("one", False)])
def test_incomplete_runs_are_not_kept(tmp_path, name, has_origin):
    fits = tmp_path / "fits.jsonl"
    write(fits, [row()])
    if not has_origin:
        fits.write_text("".join(fits.read_text().splitlines(keepends=True)[1:]))
    with pytest.raises(BenchError):
        page.keep(fits, name, tmp_path / "realistic")
    assert not (tmp_path / "realistic").exists()


def test_the_page_has_the_kept_runs():
    """After a change of the runs or the tables, run `make results`."""
    text = page.figures(kept.KEPT / page.NAME)
    written = kept.RESULTS.read_text()
    assert with_tables(written, text, page.NAME) == written
