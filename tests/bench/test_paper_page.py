"""docs/paper.md: what the kept runs give, and how missing and partial runs are worded."""

import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.pages import marks
from benchmarks.paper.measures import mean_interval
from benchmarks.paper.page import ASSETS, PAGE, PARTS, filled, parts
from benchmarks.paper.part import Part
from benchmarks.paper.printed import CURVES, DDSR, fits, hyperparameters, rates
from benchmarks.paper.runs import GROUND_TRUTH, NOT_RUN, OURS, RSPG, read_kept, suite_names

from curve_cases import curve
from ddsr.config import PaperConfig
from ddsr_bench.runner.curves import FOLDER, curve_path, write_curve
from report_cases import FEYNMAN, STROGATZ, run, write_store

D3PM = "paper:generator=d3pm"


@pytest.fixture(scope="module")
def kept():
    return parts()


def with_curve(store: Path, row, n_epochs: int, height: float = 1.0):
    """Write a run's curve, which reaches its height in its last epoch."""
    write_curve(curve_path(store / FOLDER, row.key), curve(n_epochs, height))
    return row


def shown(folder: Path, name: str) -> Part:
    first, show = PARTS[name]
    return show(read_kept(folder, first))


def block(folder: Path, name: str) -> str:
    return shown(folder, name).text


def drawings(folder: Path, name: str) -> dict[str, str]:
    return {file: draw().decode() for file, draw in shown(folder, name).drawings.items()}


def test_the_page_has_what_the_kept_runs_give(kept):
    """After a change of the runs or of the tables: `make results`."""
    page = PAGE.read_text()
    assert filled(page, kept) == page
    linked = set(re.findall(r"\(assets/(paper-[^)]+)\)", page))
    assert linked == {file for part in kept.values() for file in part.drawings}
    assert linked == {path.name for path in ASSETS.glob("paper-*.svg")}


def test_the_page_has_all_parts_in_their_order(kept):
    page = PAGE.read_text()
    places = [page.index(marks(name)[0]) for name in kept]
    assert len(kept) == len(PARTS) and places == sorted(places)


def test_the_bars_of_the_page_name_all_methods():
    drawing = (ASSETS / "paper-ground-truth.svg").read_text()
    assert all(f">{name}<" in drawing for name in rates() if name != DDSR)
    assert ">paper (here)<" in drawing and ">DDSR (printed)<" in drawing


def test_what_is_written_by_hand_says_what_was_not_run(kept):
    """When runs arrive: write what agrees, what does not, and why, in the place of `Not run yet`."""
    sections = PAGE.read_text().split("\n## ")
    for name, part in kept.items():
        begin, end = marks(name)
        (section,) = (section for section in sections if begin in section)
        by_hand = section.partition(begin)[0] + section.partition(end)[2]
        assert (NOT_RUN in by_hand) == part.text.startswith(NOT_RUN), name


def test_the_printed_tables_are_the_paper_s():
    assert len(rates()) == 18 and rates()[DDSR][0.0].symbolic_rate == 46.54
    assert all(len(levels) == 4 for levels in rates().values()) and len(fits()) == 25
    differing = {
        row.name for row in hyperparameters(PaperConfig()) if _plain(row.printed) != _plain(row.here)
    }
    assert differing == {"Variables", "Embedding dim"}


def _plain(text: str) -> str:
    """The same value has the same text."""
    text = text.lower().replace("√", "sqrt").replace("−", "-").replace(",", "")
    return f"{float(text):g}" if re.fullmatch(r"[\d.e-]+", text) else text


def test_without_runs_every_part_says_so(tmp_path):
    contents = parts(tmp_path)
    assert not any(part.drawings for part in contents.values())
    with_printed_rows = {f"paper-table-{number}" for number in (1, 3, 4)}
    for name in contents.keys() - {"paper-runs", "paper-table-2"}:
        text = contents[name].text
        assert f"- {NOT_RUN}: `paper`." in text if name in with_printed_rows else text.startswith(NOT_RUN)
    assert contents["paper-runs"].text.count("| not run yet |") == 16


def test_a_part_of_the_problems_is_never_shown_as_the_whole(tmp_path):
    whole = sorted(suite_names(GROUND_TRUTH))
    rows = [run(problem, OURS, is_solved=problem in FEYNMAN, epochs=600) for problem in whole]
    rows += [run(problem, OURS, noise=0.1, is_solved=False) for problem in FEYNMAN[:2]]
    write_store(tmp_path / "ground-truth", rows)
    text = block(tmp_path, "figure-2")
    assert "| solution rate (%) | 0 | 46.54 | 2.3 [0.8, 6.4] | 133 | 133 |" in text
    assert "| solution rate (%) | 0.1 | 10.69 | 0.0 [0.0, 65.8] | 2 of 133 | 2 |" in text
    assert "| solution rate (%) | 0.01 | 20.33 | – | not run yet | – |" in text
    assert "2 of 133 problems were run (2 of Feynman's 119, none of Strogatz's 14)" in text
    assert "Of the 2 problems that were run with noise 0.1, 100.0 % are solved" in text
    assert "of all problems, 2.3 % are solved" in text
    assert "Not run yet: `paper` at noise 0.001, 0.01." in text
    assert "(2 of 133)" in block(tmp_path, "table-1") and "(2 of 133)" in block(tmp_path, "table-4")
    (drawing,) = drawings(tmp_path, "figure-2").values()
    assert drawing.count(">2 of 133<") == 3 and ">133 of 133<" not in drawing
    assert "| ground truth, noise 0.1 | `paper` | 2 of 133 | 1 |" in block(tmp_path, "runs")


def test_further_seeds_on_some_problems_do_not_weigh_in_the_rates(tmp_path):
    rows = [run(problem, OURS) for problem in FEYNMAN]
    rows += [run(FEYNMAN[0], OURS, seed=1, is_solved=True)]
    write_store(tmp_path / "ground-truth", rows)
    text = block(tmp_path, "figure-2")
    assert "| 46.54 | 0.0 [0.0, 56.1] | 3 of 133 | 3 |" in text
    assert "further seeds on some of the problems, which do not count here: 1" in text


def test_a_run_in_two_stores_counts_once_with_curves_first(tmp_path):
    old, new = run(STROGATZ, OURS, is_solved=False), run(STROGATZ, OURS, is_solved=True)
    write_store(tmp_path / "a", [old])
    write_store(tmp_path / "b", [with_curve(tmp_path / "b", new, 10)])
    write_store(tmp_path / "ground-truth-old", [old])
    assert [row.solved_paper for row in read_kept(tmp_path, "curves").rows] == [True]
    assert [row.solved_paper for row in read_kept(tmp_path, "ground-truth").rows] == [False]


def test_ablations_are_paired_and_appear_piece_by_piece(tmp_path):
    ours = [run(problem, OURS, seed=seed, is_solved=True) for problem in FEYNMAN for seed in (0, 1)]
    theirs = [
        run(problem, D3PM, seed=seed, is_solved=seed == 0) for problem in FEYNMAN[:2] for seed in (0, 1)
    ]
    write_store(tmp_path / "ablation", [*ours, *theirs])
    text = block(tmp_path, "figure-4")
    row = "| Feynman, 2 of 119 | random mask | D3PM | `paper:generator=d3pm` | 4 |"
    assert f"{row} 100.0 [51.0, 100.0] | 50.0 [15.0, 85.0] | +50.0 | +2.2 | 0.500 |" in text
    assert "Not run yet: `paper:generator=d3pm` on Strogatz's problems." in text
    assert "Not run yet: `dsr` on Feynman's problems." in text
    drawn = drawings(tmp_path, "figure-4")
    assert list(drawn) == ["paper-ablation-feynman.svg"]
    assert "Feynman (4 runs each)" in drawn["paper-ablation-feynman.svg"]


def test_learning_curves_need_two_seeds_of_both_objectives(tmp_path):
    store = tmp_path / "curves"
    rows = [
        with_curve(store, run(problem, method, seed=seed), 40 + 20 * (method == RSPG))
        for problem in CURVES[:2]
        for method in (OURS, RSPG)
        for seed in (0, 1)
        if (problem, method, seed) != (CURVES[1], RSPG, 1)
    ]
    write_store(store, rows)
    text = block(tmp_path, "figure-5")
    assert "paper-curves.svg" in text
    assert text.endswith(f"at least 2 of the same seeds on {CURVES[1]}, {CURVES[2]}.\n")
    (drawing,) = drawings(tmp_path, "figure-5").values()
    assert drawings(tmp_path, "figure-5") == {"paper-curves.svg": drawing}  # the same bytes again
    assert f"{CURVES[0]} (2 seeds)" in drawing and CURVES[1] not in drawing
    assert ">GRPO<" in drawing and ">RSPG<" in drawing
    assert "1 of 20 problems were run" in block(tmp_path, "figure-8")


def test_epochs_until_convergence_count_to_the_first_exact_reward(tmp_path):
    store = tmp_path / "curves"
    exact = [
        with_curve(store, run(problem, method), n_epochs)
        for method, n_epochs in ((OURS, 40), (RSPG, 60))
        for problem in FEYNMAN[:2]
    ]
    lost = [with_curve(store, run(STROGATZ, OURS), 30), with_curve(store, run(STROGATZ, RSPG), 90, 0.9)]
    write_store(store, [*exact, *lost])
    text = block(tmp_path, "convergence")
    assert "| GRPO | all | 3 | 3 | 40 | 36.7 [22.3, 51.0] |" in text
    assert "| RSPG | Strogatz | 1 | 0 | – | – |" in text
    assert (
        "GRPO converges in 3 of them, RSPG in 2. Epochs of RSPG minus those of GRPO: +33 on average" in text
    )
    assert "Where both converge (2 pairs): +20 [+20, +20]; as printed: +30." in text


def test_the_black_box_says_how_many_data_sets_were_run(tmp_path):
    rows = [
        run(name, OURS, solved_srbench=None, r2_test=r2) for name, r2 in (("1027_ESL", 0.8), ("banana", 0.6))
    ]
    write_store(tmp_path / "black-box", rows)
    text = block(tmp_path, "table-5")
    assert "| DDSR | 0.730 | 0.700 [-0.571, 1.971] | 23.8 | 5.0 [5.0, 5.0] | 2 of 119 |" in text
    assert "`paper`: 2 of 119 data sets of the black box were run." in block(tmp_path, "figure-3")
    (drawing,) = drawings(tmp_path, "figure-3").values()
    assert "paper (2 of 119 sets)" in drawing and "XGB" in drawing


def test_the_interval_of_a_mean_is_student_s():
    interval = mean_interval([1.0, 2.0, 3.0])
    assert np.allclose((interval.percent, interval.low, interval.high), (2, -0.484138, 4.484138))
    assert mean_interval([]) is None and mean_interval([4.0]).low is None
