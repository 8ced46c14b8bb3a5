"""The published tables are exact to the digit, and recomputed if their sources are available."""

import os
from pathlib import Path

import pandas as pd
import pytest

from ddsr_bench.report.published import drawn_once, published_fits, published_rates

ROOT = Path(__file__).resolve().parents[3]
SOURCES = Path(os.environ.get("DDSR_PUBLISHED", ROOT.parent / "shared"))
TABLES = ROOT / "src" / "ddsr_bench" / "tables"


def rate(source, method, noise):
    (row,) = [
        row for row in published_rates() if (row.source, row.method, row.noise) == (source, method, noise)
    ]
    return row


def test_published_digits():
    assert rate("paper", "DDSR", 0.0).symbolic_rate == 46.54
    assert rate("SRBench", "GP-GOMEA", 0.0).symbolic_rate == 27.115
    assert rate("SRBench", "DSR", 0.1).symbolic_rate == 16.615
    assert rate("SRBench", "Operon", 0.01).accuracy_rate == 84.923
    assert rate("SRBench", "AFP", 0.0).complexity_median == 30.25
    assert rate("paper", "DDSR", 0.1).complexity_mean == 18.48
    assert rate("paper", "TPSR", 0.01).time_mean_s == 172.87


def test_black_box_digits():
    (ddsr,) = [row for row in published_fits() if (row.source, row.method) == ("paper", "DDSR")]
    assert (ddsr.r2_mean, ddsr.size_mean, ddsr.time_mean_s) == (0.730218, 23.8, None)
    (operon,) = [row for row in published_fits() if (row.source, row.method) == ("SRBench", "Operon")]
    assert (operon.r2_mean, operon.problems) == (0.794831, 122)


def test_every_method_has_four_noise_levels():
    srbench = [row for row in published_rates() if row.source == "SRBench"]
    paper = [row for row in published_rates() if row.source == "paper"]
    assert len({row.method for row in srbench}) == 14 and len(srbench) == 14 * 4
    assert len({row.method for row in paper}) == 18 and len(paper) == 18 * 4
    assert {row.noise for row in (*srbench, *paper)} == {0.0, 0.001, 0.01, 0.1}


def test_a_figure_shows_a_method_once():
    at_zero = [row.method for row in drawn_once(published_rates()) if row.noise == 0]
    assert len(at_zero) == len(set(at_zero)) == 18
    assert {"DDSR", "Bingo", "TPSR", "DSR-W/C"} < set(at_zero)


@pytest.mark.skipif(
    not (SOURCES / "data" / "published").is_dir(),
    reason="SRBench's result files are not beside the repository; DDSR_PUBLISHED names their folder",
)
def test_the_tables_are_what_their_sources_say():
    from benchmarks.published import black_box, ground_truth

    for name, compute in (("published.csv", ground_truth), ("published_blackbox.csv", black_box)):
        pd.testing.assert_frame_equal(pd.read_csv(TABLES / name), compute(SOURCES), rtol=1e-6)
