"""Tables of stores with known answers."""

import csv
from io import StringIO

import pytest

from ddsr_bench.problems.suites import load_suite
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.summary import summary_tables
from ddsr_bench.report.table import Table, TableColumn, cell_text, to_csv, to_html, to_markdown
from report_cases import FEYNMAN, OUTSIDE_SRBENCH, STROGATZ, failed, run


def own_rows(table):
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows if "here" in row]


def test_rates_over_both_denominators():
    rows = [
        run(problem.name, is_solved=problem.name == OUTSIDE_SRBENCH or problem.name.startswith("strogatz"))
        for problem in load_suite("ground-truth")
    ]
    whole, srbenchs = summary_tables(rows)
    (of_133,), (of_130,) = own_rows(whole), own_rows(srbenchs)
    assert (of_133["problems"], of_133["runs"], of_130["problems"], of_130["runs"]) == (
        "133",
        133,
        "130",
        130,
    )
    assert of_133["solved_srbench"].percent == pytest.approx(100 * 15 / 133)
    assert of_130["solved_srbench"].percent == pytest.approx(100 * 14 / 130)
    # Wilson's interval of 14 in 130
    assert of_130["solved_paper"].low == pytest.approx(6.53, abs=0.01)
    assert of_130["solved_paper"].high == pytest.approx(17.27, abs=0.01)


def test_failed_runs_count_and_are_named():
    rows = [run(FEYNMAN[0], is_solved=True, complexity=7, wall_s=1.0), failed(FEYNMAN[1], wall_s=3.0)]
    row = own_rows(summary_tables(rows)[0])[0]
    assert (row["problems"], row["runs"], row["errors"]) == ("2 of 133", 2, 1)
    assert row["solved_srbench"].percent == row["accuracy"].percent == 50
    assert row["complexity_median"] == 7 and row["time_median_s"] == 2.0 and row["time_mean_s"] == 2.0


def test_the_two_rules_are_apart():
    rows = [run(FEYNMAN[0], solved_srbench=True, solved_paper=False, r2_test=0.9991)]
    row = own_rows(summary_tables(rows)[0])[0]
    assert (row["solved_srbench"].percent, row["solved_paper"].percent) == (100, 0)
    assert row["accuracy"].percent == 100
    exactly = own_rows(summary_tables([run(FEYNMAN[0], r2_test=0.999)])[0])[0]
    assert exactly["accuracy"].percent == 0  # above 0.999, not equal to it


def test_published_rows_have_the_noise_levels_of_the_store():
    whole, srbenchs = summary_tables([run(STROGATZ, noise=0.01)])
    ddsr = [row for row in whole.rows if row[0] == "DDSR"]
    assert [row[1:4] for row in ddsr] == [("0.01", "DDSR paper", "133")]
    assert ddsr[0][6] is None and ddsr[0][7] == Rate(20.33)  # by the paper's rule, not by SRBench's
    afp = [row for row in srbenchs.rows if row[0] == "AFP"]
    assert [row[1:3] for row in afp] == [("0.01", "SRBench")] and afp[0][6] == Rate(16.308)


def test_methods_keep_their_order_within_a_noise_level():
    rows = [run(STROGATZ, method, noise=noise) for noise in (0.1, 0.0) for method in ("b", "a")]
    made = [(row["noise"], row["method"]) for row in own_rows(summary_tables(rows)[0])]
    assert made == [("0", "b"), ("0", "a"), ("0.1", "b"), ("0.1", "a")]


def test_each_suite_has_its_table():
    rows = [run("nguyen_1"), run("my_law"), run("1027_ESL")]
    assert [table.title for table in summary_tables(rows)] == [
        "Nguyen's problems",
        "Other problems",
        "Black box",
    ]
    without_verdict = run("my_data", solved_srbench=None)
    (own,) = summary_tables([without_verdict])
    assert own.title == "Own data" and len(own.rows) == 1  # there are no published results


def test_noise_levels_of_the_black_box_are_apart_and_nothing_was_published_with_noise():
    rows = [run("banana", noise=noise, r2_test=r2) for noise, r2 in ((0.0, 0.9), (0.1, 0.5))]
    (table,) = summary_tables(rows)
    made = [(row["noise"], row["problems"], row["r2_mean"]) for row in own_rows(table)]
    assert made == [("0", "1 of 119", 0.9), ("0.1", "1 of 119", 0.5)]
    assert {row[1] for row in table.rows if row[2] != "here"} == {"0"}
    assert len(summary_tables(rows[1:])[0].rows) == 1


def test_the_black_box_takes_medians_over_trials_first():
    rows = [run("1027_ESL", seed=seed, r2_test=r2, complexity=9) for seed, r2 in enumerate((0.9, 0.8, None))]
    rows.append(run("banana", r2_test=0.2, complexity=3, wall_s=10.0))
    (table,) = summary_tables(rows)
    row = own_rows(table)[0]
    # medians of (0.9, 0.8, 0) and (0.2): 0.8 and 0.2
    assert row["r2_mean"] == pytest.approx(0.5) and row["r2_median"] == pytest.approx(0.5)
    assert (row["size_mean"], row["time_mean_s"], row["problems"], row["runs"]) == (6, 6.0, "2 of 119", 4)
    assert any(row[0] == "Operon" and row[2] == "SRBench" for row in table.rows)


def test_friedmans_sets_and_the_others_have_separate_tables():
    friedman = [run("579_fri_c0_250_5", r2_test=0.9), run("581_fri_c3_500_25", r2_test=0.7)]
    (alone,) = summary_tables(friedman)
    assert alone.title == "Black box"
    whole, synthetic, others = summary_tables([*friedman, run("banana", r2_test=0.2)])
    assert (synthetic.title, others.title) == ("Black box, Friedman's sets", "Black box, other sets")
    means = [own_rows(table)[0]["r2_mean"] for table in (whole, synthetic, others)]
    assert means == pytest.approx([0.6, 0.8, 0.2])
    # published results are for all sets together
    assert len(synthetic.rows) == len(others.rows) == 1 < len(whole.rows)


@pytest.mark.parametrize("problem", [STROGATZ, "banana"])
def test_budgets_of_runs_are_shown(problem):
    rows = [run(problem, "a", time=60.0), run(problem, "b", time=2.5, epochs=150), run(problem, "c")]
    shown = {row["method"]: row["budget"] for row in own_rows(summary_tables(rows)[0])}
    assert shown == {"a": "60 s", "b": "2.5 s, 150 epochs", "c": None}
    both = [run(problem, seed=0, epochs=7), run(problem, seed=1, time=5.0)]
    assert own_rows(summary_tables(both)[0])[0]["budget"] == "5 s; 7 epochs"


TABLE = Table(
    "T & U",
    (
        TableColumn("name", "name"),
        TableColumn("rate", "rate (%)", is_rate=True),
        TableColumn("n", "n"),
        TableColumn("x", "x", 2),
    ),
    (("a|b <c>", Rate(46.54, 38.2, 55.0), 1200, 1.005), ("d", Rate(10.0), None, None)),
    ("a note",),
)


def test_markdown():
    assert to_markdown([TABLE]) == (
        "## T & U\n\n| name | rate (%) | n | x |\n| --- | ---: | ---: | ---: |\n"
        "| a\\|b <c> | 46.5 [38.2, 55.0] | 1,200 | 1.00 |\n| d | 10.0 | – | – |\n\n- a note\n"
    )


def test_csv_has_the_bounds_in_columns():
    first, second = csv.DictReader(StringIO(to_csv([TABLE])))
    assert (first["table"], first["rate"], first["rate_low"], first["rate_high"]) == (
        "T & U",
        "46.54",
        "38.2",
        "55.0",
    )
    assert first["n"] == "1200" and second["rate"] == "10.0" and second["rate_low"] == second["n"] == ""


def test_csv_joins_tables_with_different_columns():
    other = Table("V", (TableColumn("size", "size"),), ((3,),))
    rows = list(csv.DictReader(StringIO(to_csv([TABLE, other]))))
    assert [row["table"] for row in rows] == ["T & U", "T & U", "V"]
    assert rows[2]["size"] == "3" and rows[2]["name"] == "" and rows[0]["size"] == ""


def test_html_is_escaped():
    text = to_html([TABLE])
    assert (
        "a|b &lt;c&gt;" in text
        and "T &amp; U" in text
        and '<td class="number">46.5 [38.2, 55.0]</td>' in text
    )


@pytest.mark.parametrize(
    "value, text",
    [
        (0.0, "0"),
        (28800.2, "28,800"),
        (12.34, "12.3"),
        (0.0123, "0.0123"),
        (1.2e-5, "1.2e-05"),
        (-3.745, "-3.75"),
    ],
)
def test_numbers_have_three_digits(value, text):
    assert cell_text(value) == text
