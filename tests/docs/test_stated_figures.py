"""Figures in the docs agree with the code."""

from pathlib import Path

from ddsr.deadline import Deadline
from ddsr.search.contributors import prior
from ddsr.search.contributors.prior import Priming

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_prior_proposes_as_often_as_the_docs_state(clock):
    text = " ".join((DOCS / "search.md").read_text(encoding="utf-8").split())
    assert "when the search has used a fifth of its time, or after 2 s" in text
    for seconds, head_start in ((4.0, 0.8), (100.0, 2.0)):
        due = Priming(None, Deadline(clock.now + seconds))
        assert abs(due._head_start - head_start) < 1e-6
    assert f"it proposes {prior.BATCH} expressions whenever" in text
    assert prior.UNTIMED_EPOCHS == 5
    assert f"it proposes {prior.UNTIMED_BATCH} expressions in every fifth epoch" in text
