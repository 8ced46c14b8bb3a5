"""The comparison of the preset `dsr` with DSR's published rates."""

import csv
import gzip
import os
from pathlib import Path

import pytest
from benchmarks.dsr_parity import METHOD, PUBLISHED_RATES, PUBLISHED_SETTINGS, make, table

from ddsr.search.presets import parse_method, settings
from ddsr_bench.problems.suites import load_suite
from report_cases import run

ROOT = Path(__file__).resolve().parents[2]
SOURCES = Path(os.environ.get("DDSR_PUBLISHED", ROOT.parent / "shared"))
RATES = SOURCES / "data" / "published" / "groundtruth_summary_4noise.csv.gz"


def test_the_ten_problems_are_feynmans():
    assert len(PUBLISHED_RATES) == 10
    assert set(PUBLISHED_RATES) <= {problem.name for problem in load_suite("feynman")}


def test_the_runs_have_the_settings_of_published_dsr():
    config = settings(parse_method(METHOD), PUBLISHED_SETTINGS)
    assert not config.constants and config.preferred_length is None and config.min_length == 4
    assert (config.batch_size, config.elite_fraction, config.learning_rate) == (1000, 0.05, 5e-4)
    assert config.hidden_size == 32 and config.updates_per_epoch == 1 and config.max_length == 30
    model = make(METHOD, 3, 5.0, 7, 1, "cpu")
    assert model.random_state == 3 and model.max_time == 5.0 and model.max_epochs == 7
    assert model.preset == METHOD and model.config == PUBLISHED_SETTINGS


def test_the_table_has_both_rates():
    first, second = list(PUBLISHED_RATES)[:2]
    rows = [run(first, seed=seed, is_solved=seed > 0, wall_s=float(seed)) for seed in range(4)]
    text = table([*rows, run(second, is_solved=False), run("another", is_solved=True)])
    lines = {line.split()[0]: line.split()[1:] for line in text.splitlines()}
    assert lines[first] == ["87.5%", "75.0%", "3/4", "1.5"]
    assert lines[second][1:3] == ["0.0%", "0/1"]
    assert lines["mean"] == ["87.5%", "37.5%"]
    assert all(lines[name][2] == "0/0" for name in list(PUBLISHED_RATES)[2:])
    assert "mean" not in table([])


@pytest.mark.skipif(not RATES.is_file(), reason="SRBench's result files are not beside the repository")
def test_published_rates_are_those_of_srbenchs_files():
    with gzip.open(RATES, "rt", encoding="utf-8") as file:
        found = {
            row["dataset"]: float(row["symbolic_solution_rate"])
            for row in csv.DictReader(file)
            if row["algorithm"] == "DSR" and float(row["target_noise"]) == 0.0
        }
    assert {name: found[name] for name in PUBLISHED_RATES} == PUBLISHED_RATES
