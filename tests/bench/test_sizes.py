"""Sizes of solved equations, beside those of the truths."""

from dataclasses import replace

from benchmarks.sizes import comparison, truth_sizes

from report_cases import run

NAMES = ("feynman_I_12_1", "feynman_I_14_4")  # mu * Nn and k * x^2 / 2


def test_truths_are_as_large_as_the_judge_finds_them() -> None:
    assert truth_sizes(NAMES, n_jobs=1) == {NAMES[0]: 3, NAMES[1]: 6}


def test_only_what_was_solved_is_compared() -> None:
    rows = [
        replace(run(NAMES[0]), solved_srbench=True, complexity=5),
        replace(run(NAMES[1]), solved_srbench=True, complexity=7),
        replace(run("feynman_I_9_18"), solved_srbench=False, complexity=90),
    ]
    text = comparison(rows, {NAMES[0]: 3, NAMES[1]: 7, "feynman_I_9_18": 20})
    assert text == "2 solved, median size 6, of their truths 5; 1 are longer by more than 1"
    assert comparison(rows[2:], {}) == "nothing was solved"
