"""Methods on the same runs."""

import pytest

from ddsr.errors import BenchError
from ddsr_bench.report.ablation import ablation_table, compare
from report_cases import FEYNMAN, STROGATZ, failed, results_of, run


def records(table):
    keys = [column.key for column in table.columns]
    return {(row[0], row[2]): dict(zip(keys, row, strict=True)) for row in table.rows}


def test_only_runs_that_all_methods_have_count():
    rows = [run(FEYNMAN[0], "a"), run(FEYNMAN[1], "a"), run(FEYNMAN[0], "b"), run(FEYNMAN[0], "b", seed=1)]
    rows += [run(FEYNMAN[0], "c"), run(FEYNMAN[0], "c", noise=0.1)]
    comparison = compare(results_of(rows))
    assert {method: len(runs) for method, runs in comparison.runs.items()} == {"a": 1, "b": 1, "c": 1}
    assert comparison.n_left_out == 3
    assert any("1 of each; 3 others" in note for note in ablation_table(results_of(rows)).notes)


def test_groups_and_p_values_against_a_baseline():
    # On Feynman, b solves five that a does not, and a none that b does not: p = 2/2^5.
    rows = [run(FEYNMAN[0], "a", seed=seed) for seed in range(6)]
    rows += [run(FEYNMAN[0], "b", seed=seed, is_solved=seed < 5) for seed in range(6)]
    rows += [run(STROGATZ, "a", is_solved=True), failed(STROGATZ, "b")]
    found = records(ablation_table(results_of(rows), baseline="a"))
    assert set(found) == {(group, method) for group in ("Feynman", "Strogatz", "all") for method in "ab"}
    feynman = found["Feynman", "b"]
    assert feynman["p_solved"] == pytest.approx(2 / 2**5) and feynman["p_accuracy"] == pytest.approx(2 / 2**5)
    assert feynman["solved_srbench"].percent == pytest.approx(500 / 6)
    assert found["Strogatz", "b"]["errors"] == 1 and found["Strogatz", "b"]["r2_mean"] == 0
    assert found["all", "b"]["p_solved"] == pytest.approx(2 * 7 / 2**6)
    assert found["all", "a"]["runs"] == 7 and found["all", "a"]["p_solved"] is None


def test_without_a_baseline_there_are_no_p_values():
    table = ablation_table(results_of([run(STROGATZ, "a"), run(STROGATZ, "b")]))
    assert "p_solved" not in [column.key for column in table.columns] and len(table.rows) == 2


def test_noise_levels_are_apart_and_mean_r2_is_clipped():
    rows = [run(STROGATZ, method, noise=noise, r2_test=-5.0) for method in "ab" for noise in (0.0, 0.1)] + [
        run(STROGATZ, method, seed=1, r2_test=0.5) for method in "ab"
    ]
    table = ablation_table(results_of(rows))
    assert [(row[1], row[2], row[3], row[9]) for row in table.rows] == [
        ("0", "a", 2, 0.25),
        ("0", "b", 2, 0.25),
        ("0.1", "a", 1, 0.0),
        ("0.1", "b", 1, 0.0),
    ]


def test_black_box_runs_have_no_solution_rate():
    rows = [run("banana", method, solved_srbench=None, solved_paper=None) for method in "ab"]
    found = records(ablation_table(results_of(rows), baseline="a"))
    assert found["black box", "b"]["solved_srbench"] is None and found["black box", "b"]["p_solved"] is None


@pytest.mark.parametrize(
    "rows, baseline, message",
    [
        ([run(STROGATZ, "a")], None, "needs two methods"),
        ([run(STROGATZ, "a"), run(STROGATZ, "b", seed=1)], None, "no combination of problem, noise"),
        ([run(STROGATZ, "a"), run(STROGATZ, "b")], "c", "no runs of the method 'c'; the methods are: a, b"),
    ],
)
def test_incomparable_runs_are_refused(rows, baseline, message):
    with pytest.raises(BenchError, match=message):
        ablation_table(results_of(rows), baseline)
