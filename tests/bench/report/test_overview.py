"""The overview: noise levels side by side, both denominators, missing runs, and machines."""

from dataclasses import replace

import pytest

from ddsr.errors import BenchError
from ddsr.storage.version import UNKNOWN
from ddsr_bench.problems.suites import load_suite
from ddsr_bench.report.overview import overview_tables
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.results import Origin, Results
from ddsr_bench.report.table import to_csv, to_markdown
from ddsr_bench.runner.starts import Machine, Start
from report_cases import OUTSIDE_SRBENCH, run

NAMES = [problem.name for problem in load_suite("ground-truth")]
START = Start(
    command="ddsr bench run --time 60",
    commit="abc1234",
    version="1",
    machines=(Machine("h", "Xeon", 2, "avx2"), Machine("elsewhere", "Epyc", 64, "avx512")),
)


def origin(rows, start=START):
    return Origin((start,), frozenset(row.key for row in rows))


def whole(noise=0.0, **fields):
    return [
        run(name, noise=noise, is_solved=name == OUTSIDE_SRBENCH or name.startswith("strogatz"), **fields)
        for name in NAMES
    ]


def cells(table, source="here"):
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows if row[1] == source]


def test_both_denominators_and_rules_and_the_levels_without_runs():
    (table,) = overview_tables(Results(whole()))
    of_133, of_130, papers = cells(table)
    assert [row["problems"] for row in (of_133, of_130, papers)] == ["133", "130", "133"]
    assert of_133["noise_0"].percent == pytest.approx(100 * 15 / 133) and of_133["noise_0"].of is None
    assert of_130["noise_0"].percent == pytest.approx(100 * 14 / 130)
    assert of_130["noise_0"].low == pytest.approx(6.53, abs=0.01)
    assert [of_133[f"noise_{level}"] for level in ("0.001", "0.01", "0.1")] == [None] * 3
    text = to_markdown([table])
    assert "a: 133 of 532 runs are done (133 problems × 4 noise levels, one seed)" in text
    assert "noise_0_low" in to_csv([table])


def test_an_incomplete_suite_is_marked():
    (table,) = overview_tables(Results(whole()[:3] + whole(noise=0.05)))
    assert cells(table)[0]["noise_0"].of == "3 of 133" and "(3 of 133)" in to_markdown([table])
    assert cells(table)[0]["noise_0.05"].of is None


def test_published_rows_are_the_best_of_each_source():
    (table,) = overview_tables(Results(whole()), best=2)
    assert [(row["method"], row["noise_0"]) for row in cells(table, "SRBench")] == [
        ("AIFeynman", Rate(52.645)),
        ("GP-GOMEA", Rate(27.115)),
    ]
    assert [row["method"] for row in cells(table, "DDSR paper")] == ["AIFeynman", "Bingo"]
    (everything,) = overview_tables(Results(whole()))
    ddsr = next(row for row in cells(everything, "DDSR paper") if row["method"] == "DDSR")
    assert [ddsr[f"noise_{level}"].percent for level in ("0", "0.01")] == [46.54, 20.33]


def test_times_are_means_over_levels_of_medians():
    fast, slow = whole(wall_s=1.0), whole(noise=0.1, wall_s=5.0)
    (table,) = overview_tables(Results([*fast, *slow[:1]]))  # all levels have the same weight
    assert cells(table)[0]["time_median_s"] == cells(table)[0]["time_mean_s"] == 3.0


def test_machines_and_budgets_are_shown():
    rows = [*whole(time=60.0), *whole(noise=0.1, time=25.0, host="h"), *whole(noise=0.01, host="unheard")]
    (table,) = overview_tables(Results(rows, origins=[origin(rows), origin(rows)]))
    text = to_markdown([table])
    assert "Our runs: Xeon, 2 cores, avx2; host unheard; ddsr 1 (commit abc1234)." in text
    (unversioned,) = overview_tables(Results(whole(version=UNKNOWN), origins=[origin(whole())]))
    assert "; ddsr (commit abc1234)." in to_markdown([unversioned])
    assert "Epyc" not in text and text.count("Made by `ddsr bench run --time 60`.") == 1
    assert (
        "each had 60 s at no noise, a limit stated only in the command at noise 0.01, 25 s at noise 0.1"
        in text
    )


def test_the_black_box_beside_the_best():
    rows = [
        run("1027_ESL", solved_srbench=None, r2_test=0.9),
        run("banana", solved_srbench=None, r2_test=0.7),
    ]
    (table,) = overview_tables(Results(rows, origins=[origin(rows)]), best=1)
    assert [(row[0], *row[2:4]) for row in table.rows] == [
        ("a", "here", "2 of 119"),
        ("SBP-GP", "SRBench", "122"),
        ("SBP-GP", "DDSR paper", "120"),
    ]
    assert any("Made by" in note for note in table.notes)


def test_each_table_names_the_commands_of_its_own_runs():
    known, data = whole(), [run("banana", solved_srbench=None, r2_test=0.7)]
    other = replace(START, command="ddsr bench run --suite black-box", commit="fed4321")
    tables = overview_tables(Results([*known, *data], origins=[origin(known), origin(data, other)]))
    for table, start, absent in zip(tables, (START, other), (other, START), strict=True):
        text = to_markdown([table])
        assert f"Made by `{start.command}`." in text and f"(commit {start.commit})" in text
        assert absent.command not in text and absent.commit not in text


def test_other_problems_have_no_overview():
    with pytest.raises(BenchError, match="ground-truth and black-box problems"):
        overview_tables(Results([run("law")]))
