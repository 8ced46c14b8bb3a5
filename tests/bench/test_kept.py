"""The full runs kept in the repository, and the pages that show them."""

import re
from pathlib import Path

import pytest
from benchmarks.kept import (
    ABLATIONS,
    KEPT,
    MOST_BYTES,
    NGUYEN,
    README,
    RECOVERY,
    RESULTS,
    ablation,
    ablation_text,
    generator_note,
    keep,
    kept_stores,
    read_whole,
    sentences,
    tables,
)
from benchmarks.pages import marks, with_tables
from benchmarks.readme import N_BARS, bars, best_published, recovery_figure, recovery_sentences
from click.testing import CliRunner

from ddsr.cli.entry import main
from ddsr.errors import BenchError
from ddsr_bench.report.results import read_results
from ddsr_bench.runner.starts import Machine, Start, record_start
from report_cases import STROGATZ, results_of, run, write_store

BEGIN, END = marks("results")
START = Start(
    command="ddsr bench run", commit="abc", version="1", machines=(Machine("h", "Xeon", 2, "avx2"),)
)


def test_the_results_have_what_the_command_prints_from_the_kept_runs():
    """After a change of the runs or the tables, run `make results`."""
    done = CliRunner().invoke(main, ["bench", "table", *kept_stores(), "--by", "overview"])
    assert done.exit_code == 0, done.output
    page = RESULTS.read_text()
    block = page.partition(BEGIN)[2].partition(END)[0]
    assert block.strip().startswith(re.sub("^## ", "### ", done.output, flags=re.MULTILINE).strip())
    assert with_tables(page, tables(kept_stores())) == page


def test_readme_has_the_sentences_and_the_figure_of_the_kept_runs():
    """After a change of the runs or the tables, run `make results`."""
    page = README.read_text()
    assert with_tables(page, sentences(kept_stores())) == page
    assert f"({RECOVERY.relative_to(README.parent)})" in page
    results = read_whole(kept_stores())
    drawing = RECOVERY.read_text()
    shown = bars(results)
    assert all(bar.label in drawing for bar in shown) and len(shown) == len(results.methods) + N_BARS
    assert all(f">{rate.percent:.0f}<" in drawing for bar in shown for rate in bar.rates)


def test_the_sentences_have_one_s_own_rates_and_the_best_published_ones():
    rows = [run(STROGATZ, noise=noise, is_solved=noise == 0) for noise in (0.0, 0.01)]
    text = recovery_sentences(results_of(rows))
    assert "ddsr solves\n100 % without noise and 0 % at noise 0.01\n" in text
    assert "hardware, are\n62 % without noise and 20 % at noise 0.01.\n" in text


def test_the_figure_has_the_higher_of_two_published_rates_and_the_same_bytes_again():
    published = {levels[0].method: levels for levels in best_published()}
    assert published["AIFeynman"][0].symbolic_rate == 61.84 and published["DDSR"][0].source == "paper"
    results = results_of([run(STROGATZ, "ddsr", is_solved=True)])
    own, *others = bars(results)
    assert own.is_own and own.rates[0].percent == 100 and own.rates[1] is None
    assert "DDSR (paper)" in [bar.label for bar in others]
    assert recovery_figure(results) == recovery_figure(results)
    with pytest.raises(BenchError, match="no such run is kept"):
        bars(results_of([run("banana", solved_srbench=None)]))


@pytest.mark.parametrize("name, baseline", ABLATIONS.items())
def test_the_results_have_what_the_command_prints_of_a_kept_ablation(name, baseline):
    """After a change of the runs or the tables, run `make results`."""
    results = ablation(name)
    if results is None:
        pytest.skip(f"no ablation of {name} is kept")
    store = str(KEPT / "ablation" / name)
    done = CliRunner().invoke(main, ["bench", "table", store, "--by", "method", "--baseline", baseline])
    assert done.exit_code == 0, done.output
    page = RESULTS.read_text()
    assert all(line in page for line in done.output.splitlines() if line.startswith("|"))
    assert with_tables(page, ablation_text(name, results), f"ablation-{name}") == page
    drawing = (RESULTS.parent / "assets" / f"ablation-{name}.svg").read_text()
    assert all(method in drawing for method in results.methods)


def test_runs_too_short_for_the_generator_say_so(tmp_path):
    """Before `head_start`, 20 s, the generator has no turn, so leaving it out has no effect."""
    for seconds, is_noted in ((15.0, True), (20.0, True), (60.0, False), (None, False)):
        rows = [run(STROGATZ, method, time=seconds) for method in ("ddsr", "ddsr:generator=none")]
        results = read_results([write_store(tmp_path / f"{seconds}", rows)])
        assert ("never has a turn" in generator_note(results)) == is_noted
        assert generator_note(results.of(["ddsr"])) == ""
    assert "runs of 15 s the taught generator never has a turn" in RESULTS.read_text()


def test_the_curves_that_are_drawn_are_those_of_kept_runs():
    stores = [KEPT / "paper" / name for name in NGUYEN]
    results = read_results([str(store) for store in stores])
    assert results.warnings == [] and len(results.methods) == len(stores)
    drawing = (RESULTS.parent / "assets" / "curves-nguyen.svg").read_text()
    for store, method in zip(stores, results.methods, strict=True):
        assert len(list((store / "curves").glob("*.csv.gz"))) == 12
        assert f"{method} (12 runs)" in drawing


@pytest.mark.parametrize("store", kept_stores(), ids=lambda store: Path(store).name)
def test_kept_runs_say_where_they_are_from_and_are_small(store):
    results = read_results([store])
    (origin,) = results.origins
    assert results.warnings == [] and origin.starts
    assert all(start.commit and start.command and start.machines for start in origin.starts)
    hosts = {machine.host for start in origin.starts for machine in start.machines}
    assert {row.host for row in results.rows} <= hosts
    assert sum(path.stat().st_size for path in Path(store).rglob("*")) < MOST_BYTES
    assert Path(store).is_relative_to(KEPT)


def test_parts_of_several_machines_are_one_table(tmp_path):
    for name, noise in (("one", 0.0), ("two", 0.1)):
        store = tmp_path / name
        write_store(store, [run(STROGATZ, noise=noise, is_solved=True)])
        record_start(store, START)
        (store / "curves").mkdir()
        kept = keep(store, f"ground-truth/{name}", tmp_path / "kept")
        assert sorted(path.name for path in kept.iterdir()) == ["results.jsonl.gz", "starts.jsonl"]
    (tmp_path / "kept" / "black-box").mkdir()
    dropped = Path(write_store(tmp_path / "kept" / "black-box" / "raw", [run("banana", solved_srbench=None)]))
    record_start(dropped, START)
    stores = kept_stores(tmp_path / "kept")
    assert [Path(store).name for store in stores] == ["one", "two", "raw"]
    text = tables(stores)
    assert "a: 2 of 532 runs are done" in text and "### Black box" in text and "not kept yet" not in text
    page = f"# Page\n{BEGIN}\nold\n{END}\nrest\n"
    assert with_tables(page, text) == with_tables(with_tables(page, text), text)
    assert with_tables(page, text).endswith(f"{END}\nrest\n") and "old" not in with_tables(page, text)


def test_the_paper_s_runs_keep_their_curves(tmp_path):
    store = Path(write_store(tmp_path / "store", [run(STROGATZ)]))
    record_start(store, START)
    (store / "curves").mkdir()
    (store / "curves" / "one.csv.gz").write_bytes(b"a curve")
    kept = keep(store, "paper/one", tmp_path / "kept")
    assert (kept / "curves" / "one.csv.gz").read_bytes() == b"a curve"


def test_without_runs_the_pages_say_so():
    assert "No full run" in tables([]) and "No full run" in sentences([])
    with pytest.raises(BenchError, match="no place for the results"):
        with_tables("# Page", "text")


@pytest.mark.parametrize(
    "name, is_started, line, message",
    [
        ("somewhere/one", True, "", "ground-truth/NAME or black-box/NAME"),
        ("ground-truth", True, "", "ground-truth/NAME"),
        ("ground-truth/one", False, "", "the command, the commit and the machine"),
        ("ground-truth/one", True, "{", "line 2 cannot be read as a result"),
    ],
)
def test_incomplete_runs_are_not_kept(tmp_path, name, is_started, line, message):
    store = Path(write_store(tmp_path / "store", [run(STROGATZ)]))
    (store / "results.jsonl").write_text((store / "results.jsonl").read_text() + line)
    if is_started:
        record_start(store, START)
    with pytest.raises(BenchError, match=message):
        keep(store, name, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()
