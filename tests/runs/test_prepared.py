"""Run folders keep how their table was prepared."""

import json

import numpy as np
import pandas as pd
import pytest

from ddsr import DDSRRegressor
from ddsr.errors import RunError
from ddsr.runs import RunFolder
from ddsr.runs.report import report_of_run
from run_cases import UNIFORM, X, account

TABLE = pd.DataFrame({"a": X[:, 0], "colour": np.where(X[:, 1] < 1.5, "red", "blue"), "b": X[:, 2]})
TABLE.loc[3, "a"] = None
Y = TABLE["b"] ** 2 + 3.0 * (TABLE["colour"] == "red")
PARAMETERS = UNIFORM | {"max_epochs": 2, "missing": "drop", "categories": "one-hot"}


def test_a_run_is_the_fit_of_the_estimator(tmp_path):
    run = RunFolder.create(tmp_path / "run", TABLE, Y, target="y", parameters=PARAMETERS)
    model = run.fit()
    other = DDSRRegressor(**PARAMETERS).fit(TABLE, Y)
    assert account(model) == account(other) and model.preparation_ == other.preparation_
    assert run.data().features == ("a", "colour=blue", "colour=red", "b") and len(run.data().y) == 59
    again = RunFolder.open(tmp_path / "run")
    assert np.array_equal(again.model().predict(TABLE), model.predict(TABLE), equal_nan=True)
    assert again.resume(more_epochs=1).preparation_ == model.preparation_
    page = report_of_run(again).read_text()
    assert "colour is now colour=blue, colour=red" in page and "59 rows" in page
    assert "&#39;colour&#39;, &#39;b&#39;" in page  # the recipe takes the table as it is


def test_an_array_has_the_names_that_are_given(tmp_path):
    rows = TABLE[["a", "b"]].to_numpy()
    parameters = UNIFORM | {"max_epochs": 1, "missing": "impute"}
    run = RunFolder.create(tmp_path / "run", rows, Y, feature_names=["a", "b"], parameters=parameters)
    assert list(run.fit().feature_names_in_) == ["a", "b"]
    assert run.model().preparation_.columns[0].fill == pytest.approx(np.nanmedian(rows[:, 0]))


def test_a_damaged_preparation_is_refused(tmp_path):
    RunFolder.create(tmp_path / "run", TABLE, Y, parameters=PARAMETERS)
    path = tmp_path / "run" / "run.json"
    asked = json.loads(path.read_text())
    for damage in ({"columns": 3}, {"missing": "guess"}, {"columns": [{"name": "a", "start": "soon"}]}):
        path.write_text(json.dumps(asked | {"preparation": asked["preparation"] | damage}))
        with pytest.raises(RunError):
            RunFolder.open(tmp_path / "run").fit()
