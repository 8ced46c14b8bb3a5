"""`ddsr prior evaluate` on an untrained network: lines, tables, JSON, processes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from ddsr.cli.entry import main
from ddsr.generators.prior.weights import load_weights
from ddsr_pretraining.evaluation import summarise
from ddsr_pretraining.zero_shot import CaseResult
from prior_cases import write_weights


def test_summaries_count_groups():
    outcomes = [
        CaseResult("a", size, 2, 0.0, is_hit, 1.0, 9, 2.0, "")
        for size, is_hit in ((1, True), (2, False), (1, False))
    ]
    assert summarise(outcomes, lambda each: each.size) == [
        {"group": 1, "n": 2, "hits": 1, "seconds": 2.0},
        {"group": 2, "n": 1, "hits": 0, "seconds": 2.0},
    ]


def test_the_command_writes_a_table_and_json(tmp_path):
    weights = write_weights(tmp_path / "tiny.safetensors")
    out = tmp_path / "scores.json"
    arguments = [weights, "--suite", "nguyen", "-n", "2", "--samples", "40", "--noise", "0,0.01"]
    done = CliRunner().invoke(main, ["prior", "evaluate", *arguments, "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "of 2 hit" in done.output
    content = json.loads(out.read_text())
    assert [row["n"] for row in content["by_noise"]] == [2, 2]
    assert content["by_variables"][0]["group"] == 1
    assert len(content["outcomes"]) == 4 and content["sampling"]["n"] == 40
    network, _ = load_weights(Path(weights))
    assert content["prior"]["parameters"] == network.n_parameters


@pytest.mark.slow
def test_processes_find_what_one_finds(tmp_path):
    weights = write_weights(tmp_path / "tiny.safetensors")
    found = []
    for jobs in ("1", "2"):
        out = tmp_path / f"{jobs}.json"
        arguments = [weights, "--suite", "held-out", "-n", "3", "--samples", "20", "--jobs", jobs]
        done = CliRunner().invoke(main, ["prior", "evaluate", *arguments, "--out", str(out)])
        assert done.exit_code == 0, done.output
        content = json.loads(out.read_text())
        found.append([{**each, "seconds": 0} for each in content["outcomes"]])
        assert sum(row["n"] for row in content["by_variables"]) == 3 and content["by_tokens"]
    assert found[0] == found[1]


def test_weights_that_are_not_there_are_named():
    done = CliRunner().invoke(main, ["prior", "evaluate", "nowhere.safetensors"])
    assert done.exit_code == 1 and "nowhere.safetensors" in done.output
