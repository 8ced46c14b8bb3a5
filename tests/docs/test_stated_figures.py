"""Figures in the docs agree with the code."""

import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from ddsr import Vocabulary
from ddsr.config import DefaultConfig
from ddsr.estimator.budget import Budget
from ddsr.estimator.model_selection import find_selection
from ddsr.search.contributors import prior
from ddsr.search.contributors.prior import LEAST_LIMIT, make_primer
from ddsr.search.presets import parse_method, pose

DOCS = Path(__file__).resolve().parents[2] / "docs"
CONFIG = DefaultConfig()


@pytest.fixture
def stopped_clock(monkeypatch):
    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)


def search_deadline(max_time):
    """When the search ends in a fit that begins at 1000 s."""
    budget = Budget.of(CONFIG, max_time, None, started=1000.0)
    return budget.next_of(1, shortens=find_selection(None, CONFIG).shortens).deadline


def stated_limits():
    text = (DOCS / "search.md").read_text(encoding="utf-8")
    found = re.search(r"With a time limit above (\d+) s, which leaves the search (\d+) s", text)
    assert found, "docs/search.md states under which time limits the prior takes part"
    return map(float, found.groups())


def test_the_prior_takes_part_above_the_time_limit_that_the_docs_state(stopped_clock):
    limit, searched = stated_limits()
    assert searched == LEAST_LIMIT
    assert search_deadline(limit).at - 1000.0 == pytest.approx(LEAST_LIMIT)
    X = np.linspace(1.0, 2.0, 9)[:, None]
    posed = pose(parse_method("ddsr"), Vocabulary(["x"]), X, X[:, 0] ** 2, config=CONFIG, device="cpu")
    for max_time, takes_part in ((limit - 0.1, False), (limit + 0.1, True)):
        primer = make_primer(replace(posed, deadline=search_deadline(max_time)), CONFIG)
        assert (primer is not None) == takes_part


def test_the_prior_proposes_as_often_as_the_docs_state():
    text = " ".join((DOCS / "search.md").read_text(encoding="utf-8").split())
    assert f"the prior first proposes after {prior.HEAD_START:g} s" in text
    assert f"it proposes {prior.BATCH} expressions whenever" in text
    assert prior.UNTIMED_EPOCHS == 5
    assert f"it proposes {prior.UNTIMED_BATCH} expressions in every fifth epoch" in text
