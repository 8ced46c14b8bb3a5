"""Every kind of figure from a real store, and its contents."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from curve_cases import curve
from ddsr.errors import BenchError
from ddsr_bench.report.curves_figure import best_so_far, curves_by_method, mean_reward
from ddsr_bench.report.figures import CAPTIONS, render
from ddsr_bench.report.pareto_figure import FitPoint, pareto_front
from ddsr_bench.report.results import Results
from ddsr_bench.runner.curves import write_curve
from report_cases import STROGATZ, full_results, results_of, run

EXPECTED = {
    "rates": {"paper", "paper:memory=short", "GP-GOMEA", "DDSR (paper)", "noise 0", "noise 0.1"},
    "pareto": {"paper (2 of 119 sets)", "Operon", "TPSR (paper)", "Pareto front", "mean R² on test"},
    "ablation": {"Feynman (12 runs each)", "Strogatz (4 runs each)", "paper:memory=short", "R² > 0.999"},
    "curves": {"paper (4 runs)", "paper:memory=short (4 runs)", "best reward so far", "epoch"},
}


def texts(svg: bytes) -> set[str]:
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    return {"".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")}


@pytest.mark.parametrize("kind", CAPTIONS)
def test_a_figure_is_an_svg_with_its_labels(kind, tmp_path):
    results = full_results(tmp_path)
    svg = render(kind, results)
    assert texts(svg) >= EXPECTED[kind]
    assert render(kind, results) == svg  # no dates, no random names


def test_a_figure_can_have_pixels(tmp_path):
    assert render("rates", full_results(tmp_path), "png").startswith(b"\x89PNG")


def test_problems_outside_srbench_have_rates_without_published_ones():
    found = texts(render("rates", results_of([run("nguyen_1"), run("nguyen_2")])))
    assert "2 problems" in found and "AFP" not in found


@pytest.mark.parametrize(
    "kind, rows, message",
    [
        ("pareto", [run(STROGATZ)], "black-box"),
        ("pareto", [run("banana", complexity=None)], "with a complexity"),
        ("pareto", [run("banana", noise=0.1)], "without noise"),
        ("pareto", [run("my_data", solved_srbench=None)], "SRBench's black-box problems"),
        ("rates", [run("banana")], "there are none"),
        ("ablation", [run(STROGATZ)], "two methods"),
        ("ablation", [run("banana", "a"), run("banana", "b")], "solution rates"),
        ("curves", [run(STROGATZ)], "no learning curves"),
        ("pie", [run(STROGATZ)], "unknown kind of figure 'pie'; choose from: rates"),
    ],
)
def test_undrawable_requests_are_refused(kind, rows, message):
    with pytest.raises(BenchError, match=message):
        render(kind, results_of(rows))


def test_the_front_drops_what_is_larger_and_no_better():
    points = [
        FitPoint(name, size, r2, False)
        for name, size, r2 in zip("abcd", (5, 3, 9, 5), (0.7, 0.5, 0.6, 0.4), strict=True)
    ]
    assert [point.method for point in pareto_front(points)] == ["b", "a"]


def test_a_run_that_ended_keeps_its_best_but_has_no_mean():
    ended = curve(3).assign(best_reward=np.array([0.2, 0.6, 0.4]), mean_reward=np.array([0.1, 0.2, 0.3]))
    epochs = np.array([1.0, 2.0, 3.0, 4.0])
    assert best_so_far(ended, epochs).tolist() == [0.2, 0.6, 0.6, 0.6]
    np.testing.assert_allclose(mean_reward(ended, epochs), [0.1, 0.2, 0.3, np.nan])


def test_curves_that_cannot_be_read_are_left_out(tmp_path):
    results = full_results(tmp_path)
    kept = curves_by_method(results)
    assert {method: len(curves) for method, curves in kept.items()} == {"paper": 4, "paper:memory=short": 4}
    broken = next(path for path in results.curves.values() if path.exists())
    broken.write_bytes(b"cut off")
    assert sum(map(len, curves_by_method(results).values())) == 7


def test_runs_that_end_at_once_have_curves_too(tmp_path):
    row = run(STROGATZ)
    write_curve(tmp_path / "a.csv.gz", curve(1))
    found = texts(render("curves", Results([row], curves={row.key: tmp_path / "a.csv.gz"})))
    assert "a (1 runs)" in found and any(STROGATZ in text for text in found)


def test_without_a_generator_there_is_one_panel(tmp_path):
    row, path = run(STROGATZ), tmp_path / "a.csv.gz"
    for level, n_panels in ((0.5, 1), (np.nan, 0)):
        write_curve(path, curve(5).assign(mean_reward=np.full(5, level)))
        found = texts(render("curves", Results([row], curves={row.key: path})))
        assert sum("mean reward of an epoch" in text for text in found) == n_panels
