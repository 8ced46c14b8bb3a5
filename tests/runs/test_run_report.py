"""The report of a run folder."""

import shutil

import numpy as np
import pytest

from ddsr.errors import RunError
from ddsr.runs import RunFolder
from ddsr.runs.report import UNFINISHED, report_of_run
from page_cases import parsed, table

PARAMETERS = {
    "preset": "ddsr:generator=none",
    "max_epochs": 2,
    "random_state": 0,
    "config": {"evaluations_per_epoch": 300, "max_length": 12},
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    X, y = table(["mass", "<b>"])
    folder = tmp_path_factory.mktemp("finished") / "run"
    RunFolder.create(folder, X, y, target="drag", parameters=PARAMETERS).fit()
    return folder


@pytest.fixture
def run(finished, tmp_path):
    """A copy to write into."""
    return RunFolder.open(shutil.copytree(finished, tmp_path / "run"))


def test_report_of_a_run_has_its_data_and_its_effort(run, tmp_path):
    where = report_of_run(run)
    assert where == tmp_path / "run" / "report.html"
    text = parsed(where.read_text()).text
    assert "An equation for drag" in text and "On 200 rows" in text
    assert f"expressions scored{run.log()[-1]['n_scored']:,}" in text
    assert f"{np.__version__}" in text and run.asked.fingerprint[:16] in text
    assert UNFINISHED not in text


def test_report_can_be_elsewhere_and_a_folder_is_enough(run, tmp_path):
    where = report_of_run(str(run.path), tmp_path / "other.html", title="Drag")
    assert where == tmp_path / "other.html"
    assert parsed(where.read_text()).one("head").one("title").text == "Drag"


def test_report_without_its_data_says_so(run):
    (run.path / "data.npz").unlink()
    text = parsed(report_of_run(run).read_text()).text
    assert "This model was saved without data" in text and "there is no data at" in text


def test_folder_that_is_none_is_refused(tmp_path):
    with pytest.raises(RunError, match="no run folder"):
        report_of_run(tmp_path / "nothing")
