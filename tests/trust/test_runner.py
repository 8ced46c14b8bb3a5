"""The runner of the trust campaigns: children, budgets, results and the page."""

import json
import os

import pytest
from benchmarks.kept import KEPT
from benchmarks.trust import __main__ as runner
from benchmarks.trust import page
from benchmarks.trust.campaigns import CAMPAIGNS, Campaign
from benchmarks.trust.child import run_part
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import LONGEST_EXAMPLE, MOST_EXAMPLES, Tally


def test_crashes_are_failed_cases(tmp_path):
    tally = Tally()
    environment = {"PYTHONPATH": os.path.dirname(__file__)}
    run_part(Plan(tmp_path, seed=5), tally, "child_cases:crashing", 5, environment=environment)
    assert (tally.tried, tally.failed) == (14, 3)
    assert tally.notes == {"seed": 5}
    second, third, fourth = tally.examples
    assert second == "the second one"
    assert "KeyError: 'third'" in third
    assert "case 3 (seed 5): ended by exit code 7" in fourth


def test_tallies_take_turns(tmp_path):
    tallies = [Tally(), Tally(), Tally()]
    environment = {"PYTHONPATH": os.path.dirname(__file__)}
    run_part(Plan(tmp_path), tallies, "child_cases:turns", 9, environment=environment)
    assert [tally.tried for tally in tallies] == [3, 3, 1]  # the last part crashes at its first case
    assert [tally.failed for tally in tallies] == [0, 3, 1]
    assert tallies[1].examples == ["odd 0", "odd 1", "odd 2"]


def test_a_hang_is_a_failed_case(tmp_path):
    tally = Tally()
    environment = {"PYTHONPATH": os.path.dirname(__file__)}
    run_part(Plan(tmp_path), tally, "child_cases:hanging", 2, stall_s=0.2, environment=environment)
    assert (tally.tried, tally.failed) == (2, 1)
    assert "hangs" in tally.examples[0]


def test_a_plan_ends_with_its_time(tmp_path):
    assert list(Plan(tmp_path).cases(3, "x")) == [0, 1, 2]
    assert list(Plan(tmp_path, seconds=0.0).cases(3, "x")) == [0]
    assert Plan(tmp_path, seconds=100.0).part(0.5).seconds <= 50.0
    assert Plan(tmp_path).part(0.5).seconds is None


def test_a_tally_keeps_a_few_distinct_examples():
    tally = Tally()
    for k in range(50):
        tally.add([f"{k % 20} " + "x" * 10_000, "same"])
    assert (tally.tried, tally.failed) == (50, 100)
    assert len(tally.examples) == MOST_EXAMPLES == len(set(tally.examples))
    assert max(map(len, tally.examples)) <= LONGEST_EXAMPLE + 2
    assert Tally(tried=1).to_json() == {"tried": 1, "failed": 0}


@pytest.fixture
def campaigns(monkeypatch):
    """Two instant campaigns; the second can be interrupted."""
    seen = []

    def first(plan):
        seen.append(plan)
        return {"part": Tally(tried=3, failed=1, examples=["why"])}

    def second(plan):
        seen.append(plan)
        if plan.seed == 13:
            raise KeyboardInterrupt
        return {"other": Tally(skipped="no reason")}

    made = {"kills": Campaign(first, 0.25, "survives"), "soak": Campaign(second, 0.75, "stays small")}
    monkeypatch.setattr(runner, "CAMPAIGNS", made)
    return seen


def test_results_are_written_with_commit_and_machine(tmp_path, campaigns, capsys):
    out = tmp_path / "trust.json"
    assert runner.main(["--out", str(out), "--minutes", "2"]) == 1
    written = json.loads(out.read_text())
    kills, soak = written["kills"], written["soak"]
    assert all({"commit", "hardware", "minutes", "seed"} <= each.keys() for each in (kills, soak))
    assert (kills["tried"], kills["failed"]) == (3, 1) and kills["seconds"] >= 0
    assert kills["parts"]["part"]["examples"] == ["why"]
    assert soak["parts"]["other"]["skipped"] == "no reason"
    assert campaigns[0].seconds <= 30.0 and campaigns[1].seconds <= 120.0
    assert "1 of         3 failed" in capsys.readouterr().out


def test_an_interrupt_keeps_the_campaigns_before(tmp_path, campaigns, capsys):
    out = tmp_path / "trust.json"
    assert runner.main(["--out", str(out), "--seed", "13"]) == 130
    assert list(json.loads(out.read_text())) == ["kills"]
    assert campaigns[0].seconds is None


def test_one_campaign_alone_keeps_the_figures_of_the_others(tmp_path, campaigns, capsys):
    out = tmp_path / "trust.json"
    runner.main(["--out", str(out)])
    assert runner.main(["--out", str(out), "--only", "soak", "--minutes", "3"]) == 0
    written = json.loads(out.read_text())
    assert [(name, each["minutes"]) for name, each in written.items()] == [("kills", None), ("soak", 3.0)]


def test_the_page_has_the_kept_figures_and_promises(tmp_path):
    copy = tmp_path / "trust.md"
    copy.write_text(page.PAGE.read_text())
    page.write(KEPT / "trust.json", copy)
    assert copy.read_text() == page.PAGE.read_text()
    assert all(campaign.promise in copy.read_text() for campaign in CAMPAIGNS.values())


def test_figures_tell_failed_and_skipped_parts():
    parts = {"a": {"tried": 1200, "failed": 3}, "b": {"tried": 0, "failed": 0, "skipped": "no root"}}
    hardware = {"cpu": "a CPU", "cores": 2, "instruction_set": "avx2"}
    kept = {"kills": {"parts": parts, "hardware": hardware, "commit": "abc", "minutes": 10.0}}
    shown = page.figures(kept)
    assert "| kills | a | 1,200 | 3 | abc |" in shown and "| kills | b | skipped | 0 | abc |" in shown
    assert "Measured on a CPU, 2 cores, avx2." in shown and "before their full counts: kills." in shown
    assert page.figures(None) == page.NOTHING
