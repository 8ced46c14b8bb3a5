"""Models that are fitted once for all tests of reports."""

import pytest

from page_cases import HOSTILE_NAMES, fitted, table


@pytest.fixture
def undrawn(monkeypatch):
    """Charts are empty: drawing takes most of a report's time, and these tests are about its text."""
    monkeypatch.setattr("ddsr.report.charts._svg", lambda axes, label: "")


@pytest.fixture(scope="session")
def data():
    return table(["mass", "v_0", "beta"])


@pytest.fixture(scope="session")
def model(data):
    return fitted(*data)


@pytest.fixture(scope="session")
def hostile_data():
    return table(HOSTILE_NAMES)


@pytest.fixture(scope="session")
def hostile_model(hostile_data):
    return fitted(*hostile_data)
