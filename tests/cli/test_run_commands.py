"""`ddsr show`, `predict` and `resume` on a folder written by `ddsr fit`."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from brief_ddsr import EVALUATIONS
from command_cases import ddsr, line_data, refusal, write_table
from ddsr.estimator.regressor import DDSRRegressor

BRIEF = ("--selection", "best", "--prior", "none")
pytestmark = pytest.mark.usefixtures("brief_epochs")


@pytest.fixture(scope="module")
def finished(brief_epochs, tmp_path_factory) -> Path:
    """A run of two epochs on a target that no equation explains."""
    folder = tmp_path_factory.mktemp("finished")
    table = line_data(folder / "line.csv")
    done = ddsr("fit", table, "-t", "noise", "--epochs", 2, "--out", folder / "run", *BRIEF)
    assert done.exit_code == 0, done.output
    return folder / "run"


@pytest.fixture
def run(finished, tmp_path) -> Path:
    """A copy that can be resumed."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def shown(path: Path) -> dict:
    done = ddsr("show", path, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_show(finished):
    result = shown(finished)
    assert result["run"] == str(finished) and result["target"] == "noise"
    assert result["features"] == ["a", "b", "y"] and result["stopped_by"] == "max_epochs"
    assert (
        result["is_over"] is True
        and result["epochs"] == 2
        and 2 * EVALUATIONS <= result["candidates"] < 3 * EVALUATIONS
    )
    assert result["seconds"] > 0
    done = ddsr("show", finished)
    assert " s, 2 epochs: the maximum number of epochs" in done.stdout and "noise = " in done.stdout
    assert "→" in done.stdout and "resume" not in done.stdout


def test_a_model_file_is_enough_to_show_and_predict(finished, tmp_path):
    model = shutil.copy(finished / "model.json", tmp_path / "moved.json")
    assert shown(model)["best"] == shown(finished)["best"]
    assert shown(model)["run"] is None and shown(model)["target"] == "noise"
    table = write_table(tmp_path / "new.csv", "b,y,a\n1,2,3\n")
    assert ddsr("predict", model, table).stdout == ddsr("predict", finished, table).stdout


def test_predict(finished, tmp_path):
    table = write_table(tmp_path / "new.csv", "y,other,b,a\n5,x,1,2\n5,x,,2\n4,x,2,1.5\n")
    done = ddsr("predict", finished, table, "--json")
    assert done.exit_code == 0, done.output
    first, missing, last = json.loads(done.stdout)["predictions"]
    model = DDSRRegressor.load(finished / "model.json")
    import pandas as pd

    expected = model.predict(pd.DataFrame([[2, 1, 5], [1.5, 2, 4]], columns=["a", "b", "y"]))
    assert [first, last] == expected.tolist() and missing is None
    assert done.stderr == "1 row has missing values and no prediction\n"


def test_predictions_as_a_table(finished, tmp_path):
    table = write_table(tmp_path / "new.csv", "y,b,a\n5,1,2\n5,,2\n4,2,1.5\n")
    lines = ddsr("predict", finished, table).stdout.splitlines()
    assert (
        lines[0] == "prediction"
        and lines[2] == "NaN"
        and np.isfinite([float(lines[1]), float(lines[3])]).all()
    )
    out = tmp_path / "out.csv"
    done = ddsr("predict", finished, table, "--out", out)
    assert done.exit_code == 0 and done.stdout == ""
    assert out.read_text().splitlines() == lines
    out.unlink()
    both = ddsr("predict", finished, table, "--out", out, "--json")
    assert json.loads(both.stdout)["rows"] == 3
    assert out.read_text().splitlines() == lines
    indexed = ddsr("predict", finished, table, "--index", 1).stdout.splitlines()
    assert indexed[0] == "prediction" and len(indexed) == 4 and indexed != lines


def test_predictions_with_bounds(tmp_path):
    training, run = line_data(tmp_path / "line.csv"), tmp_path / "run"
    done = ddsr("fit", training, "-t", "noise", "--formula", "p * a + q", "--out", run)
    assert done.exit_code == 0, done.output
    table = write_table(tmp_path / "new.csv", "y,b,a\n5,1,2\n5,,\n")
    header, first, second = ddsr("predict", run, table, "--interval", "0.9").stdout.splitlines()
    assert header == "prediction,low,high" and second == "NaN,NaN,NaN"
    model = DDSRRegressor.load(run / "model.json")
    import pandas as pd

    bounds = model.predict_interval(pd.DataFrame([[2.0, 1.0, 5.0]], columns=["a", "b", "y"]), 0.9)[0]
    assert [float(each) for each in first.split(",")[1:]] == bounds.tolist()
    printed = json.loads(ddsr("predict", run, table, "--interval", "0.9", "--json").stdout)
    assert [printed["low"], printed["high"]] == [[each, None] for each in bounds.tolist()]


def test_models_without_likely_forms_have_no_bounds(finished, tmp_path):
    table = write_table(tmp_path / "new.csv", "y,b,a\n5,1,2\n")
    assert "no weights of forms" in refusal("predict", finished, table, "--interval", "0.9")


def test_bounds_are_for_the_chosen_equation(finished, tmp_path):
    table = write_table(tmp_path / "new.csv", "y,b,a\n5,1,2\n")
    done = ddsr("predict", finished, table, "--interval", "0.9", "--index", 0)
    assert done.exit_code == 2 and "leave out --index" in done.stderr
    assert ddsr("predict", finished, table, "--interval", "95").exit_code == 2


def test_predict_reports_the_error_if_the_target_is_known(finished, tmp_path):
    training = line_data(tmp_path / "line.csv")
    done = ddsr("predict", finished, training, "--json")
    r2 = json.loads(done.stdout)["r2"]
    chosen = next(row for row in shown(finished)["equations"] if row["is_best"])
    assert r2 == pytest.approx(chosen["r2"])
    assert done.stderr == f"R² for noise: {r2:.6f}\n"


def test_predict_needs_the_models_columns(finished, tmp_path):
    table = write_table(tmp_path / "new.csv", "y,B,a\n5,1,2\n")
    assert "no column 'b'; did you mean 'B'" in refusal("predict", finished, table)
    table = write_table(tmp_path / "new.csv", "y,b,a\n5,1,2\n")
    assert "index" in refusal("predict", finished, table, "--index", 99)
    nowhere = tmp_path / "no" / "folder" / "out.csv"
    assert "cannot write" in refusal("predict", finished, table, "--out", nowhere)
    assert not nowhere.parent.exists()


def test_report(finished, run, tmp_path):
    done = ddsr("report", run)
    assert done.exit_code == 0, done.output
    assert done.stdout == f"{run / 'report.html'}\n"
    assert "<html" in (run / "report.html").read_text()
    done = ddsr("report", run / "model.json", "--out", tmp_path / "page.html", "--title", "A page")
    assert done.exit_code == 0 and "<title>A page" in (tmp_path / "page.html").read_text()
    assert "there is no run folder" in refusal("report", tmp_path / "nowhere")
    assert "cannot write" in refusal("report", run, "--out", tmp_path / "no" / "folder.html")


def test_resume_continues_the_run(run):
    assert "has finished (max_epochs): pass --time or --epochs" in refusal("resume", run)
    done = ddsr("resume", run, "--epochs", 1, "--json")
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout)
    assert result["epochs"] == 3 and 3 * EVALUATIONS <= result["candidates"] < 4 * EVALUATIONS
    assert "epoch 3" in done.stderr
    assert shown(run)["epochs"] == 3 and shown(run)["equations"] == result["equations"]


def test_a_fit_that_is_exact_before_its_first_epoch_is_over(tmp_path):
    table = write_table(tmp_path / "d.csv", "a,y\n" + "".join(f"{k},{3 * k}\n" for k in range(9)))
    ddsr("fit", table, "-t", "y", "--epochs", 3, "--quiet", "--out", tmp_path / "run", "--prior", "none")
    assert shown(tmp_path / "run")["epochs"] == 0
    assert shown(tmp_path / "run")["is_over"] is True
    assert "has not finished" not in ddsr("show", tmp_path / "run").stdout
    assert "has finished (exact)" in refusal("resume", tmp_path / "run")


def test_after_an_exact_fit_no_more_time_is_asked_for(tmp_path):
    table = write_table(tmp_path / "d.csv", "a,y\n" + "".join(f"{k},{k * k}\n" for k in range(9)))
    ddsr("fit", table, "-t", "y", "--epochs", 3, "--quiet", "--out", tmp_path / "run", "--prior", "none")
    assert "has finished (exact): nothing is left to find" in refusal("resume", tmp_path / "run")


def test_resume_with_more_time(run):
    done = ddsr("resume", run, "--time", 0.2)
    assert done.exit_code == 0, done.output
    assert "the time limit was reached" in done.stdout


@pytest.mark.slow
def test_an_uninterrupted_run_finds_the_same(run, tmp_path):
    ddsr("resume", run, "--epochs", 1, "--quiet")
    table = line_data(tmp_path / "line.csv")
    whole = ddsr("fit", table, "-t", "noise", "--epochs", 3, "--no-save", *BRIEF, "--json")
    assert shown(run)["equations"] == json.loads(whole.stdout)["equations"]


@pytest.mark.slow
def test_resume_with_other_threads(run, monkeypatch):
    """Equations do not depend on the threads; an invalid number is refused before anything is written."""
    asked = (run / "run.json").read_bytes()
    assert "the number of threads must not be 0" in refusal("resume", run, "--epochs", 1, "--jobs", 0)
    assert (run / "run.json").read_bytes() == asked
    used = []
    original = DDSRRegressor._fit
    monkeypatch.setattr(
        DDSRRegressor, "_fit", lambda self, *rest: used.append(self.n_jobs) or original(self, *rest)
    )
    done = ddsr("resume", run, "--epochs", 1, "--jobs", 2, "--json")
    assert done.exit_code == 0, done.output
    assert used == [2] and json.loads(done.stdout)["epochs"] == 3
