"""Fits with rules on form, constants and values: what is listed obeys them, also in files and reports."""

import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ddsr import (
    ConstantRange,
    DDSRRegressor,
    Exponents,
    Expression,
    Grammar,
    GrammarError,
    Increasing,
    MethodError,
    RunFolder,
    Symmetric,
    Vocabulary,
)
from ddsr.engine import values
from ddsr.grammar.listing import Listing
from ddsr.grammar.rules import read_rules
from ddsr.report import write_report

RNG = np.random.default_rng(0)
TIMES = pd.DataFrame({"t": np.linspace(0.0, 10.0, 30)})
GROWTH = 5.0 / (1.0 + 20.0 * np.exp(-0.9 * TIMES.t.to_numpy())) + 0.15 * RNG.normal(size=30)
PAIRS = pd.DataFrame(RNG.uniform(0.5, 3.0, size=(60, 2)), columns=["a", "b"])
BRIEF = {
    "preset": "ddsr:generator=none",
    "max_epochs": 1,
    "random_state": 0,
    "prior": None,
    "config": {"evaluations_per_epoch": 800, "max_length": 14},
}


def brief(**parameters: object) -> DDSRRegressor:
    return DDSRRegressor(**BRIEF | parameters)  # type: ignore[arg-type]


def predictions(model: DDSRRegressor, X: pd.DataFrame) -> list[np.ndarray]:
    """Return the values of all listed equations and forms."""
    forms = [each.entry.equation for each in model.outcomes_[0].forms]
    equations = [entry.equation for entry in model.front_] + forms
    return [values([equation], X.to_numpy())[0][0] for equation in equations]


@pytest.mark.parametrize("preset", ["ddsr:generator=none", "uniform"])
def test_every_listed_equation_obeys_rules_on_values(preset):
    seen = []
    config = BRIEF["config"] if preset.startswith("ddsr") else {"batch_size": 300, "max_length": 9}
    rules = ["increasing in t", "y at least 0"]
    settings = {"rules": rules, "config": config, "callback": lambda state: seen.append(state.front)}
    model = brief(preset=preset, **settings).fit(TIMES, GROWTH)
    dense = pd.DataFrame({"t": np.linspace(0.0, 10.0, 129)})
    found = predictions(model, dense)
    found += [values([entry.equation], dense.to_numpy())[0][0] for front in seen for entry in front]
    assert seen and len(found) > 1
    assert all(np.diff(values).min() > -1e-6 and values.min() > -1e-6 for values in found)
    assert "Checked on a grid" in str(model) and "increasing in t; y at least 0" in str(model)


def test_every_listed_equation_is_symmetric():
    y = 1.2 * np.sqrt(PAIRS.a**2 + 1.1 * PAIRS.b**2) + 0.05 * RNG.normal(size=60)
    model = brief(rules=[Symmetric("a", "b")]).fit(PAIRS, y)
    swapped = PAIRS[["b", "a"]].set_axis(["a", "b"], axis=1)
    pairs = zip(predictions(model, PAIRS), predictions(model, swapped), strict=True)
    assert all(np.allclose(one, other, rtol=1e-6) for one, other in pairs)


@pytest.mark.parametrize("selection", ["description_length", "accuracy"])
def test_every_listed_equation_obeys_rules_on_constants(selection):
    rules = [Exponents(whole=True), ConstantRange(0.5, 20.0), "depth at most 4", "no offset"]
    y = 2.0 * PAIRS.a**2.4 + 0.3 * PAIRS.b
    model = brief(rules=rules, model_selection=selection, round_constants=False).fit(PAIRS, y)
    texts = [
        *model.equations_["equation"],
        *(each.entry.equation.text() for each in model.outcomes_[0].forms),
    ]
    for text in texts:
        assert all(float(each) == int(float(each)) for each in re.findall(r"\^(-?[\d.e]+)", text)), text
        numbers = [float(each) for each in re.findall(r"(?<![\^\w.-])\d+\.\d+", text)]
        assert all(0.5 <= number <= 20.0 for number in numbers), text


def test_files_keep_the_rules(tmp_path: Path):
    rules = [Increasing("t"), "y from 0 to 9", {"depth": 6}, Exponents(True, -3, 3)]
    model = brief(rules=rules, model_selection="best").fit(TIMES, GROWTH)
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.rules == rules == clone(loaded).rules
    assert str(loaded) == str(model)
    assert (pickle.loads(pickle.dumps(model)).predict(TIMES) == model.predict(TIMES)).all()
    assert "Checked on a grid" in model._repr_html_inner()
    page = write_report(loaded, tmp_path / "report.html").read_text()
    assert "Checked on a grid" in page and "proves nothing between its points" in page
    parameters = {**BRIEF, "rules": rules, "config": {**BRIEF["config"], "variable_costs": {"t": 1.0}}}
    run = RunFolder.create(tmp_path / "run", TIMES, GROWTH, parameters=parameters)
    run.fit()
    resumed = RunFolder.open(tmp_path / "run").resume(more_epochs=1)
    dense = pd.DataFrame({"t": np.linspace(0.0, 10.0, 129)})
    assert all(np.diff(values).min() > -1e-6 for values in predictions(resumed, dense))


def test_scores_of_a_cross_validation():
    model = brief(rules=["increasing in t"], model_selection="best")
    assert np.isfinite(cross_val_score(model, TIMES, GROWTH, cv=2)).all()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"rules": ["increasing in t", "decreasing in t"]}, GrammarError, "contradict each other"),
        ({"rules": ["increasing in x"]}, GrammarError, "there is no column 'x'"),
        ({"rules": ["y from 100 to 200"]}, GrammarError, "no value of y is in this range"),
        ({"config": {"operator_costs": {"sin": -1.0}}}, MethodError, "the cost of 'sin' in operator_costs"),
        ({"config": {"operator_costs": {"sinus": 1.0}}}, GrammarError, "'sinus' is not an operator"),
        ({"config": {"variable_costs": {"x": 1.0}}}, GrammarError, "there is no column 'x'"),
        ({"config": {"variable_costs": {"t": float("inf")}}}, MethodError, "the cost of 't'"),
        ({"config": {"variable_costs": 3}}, MethodError, "must be a dict of costs by name"),
    ],
)
def test_what_cannot_be_is_refused_before_the_search(parameters, error, message):
    with pytest.raises(error, match=message):
        brief(**parameters).fit(TIMES, GROWTH)


def test_parts_that_cancel_obey_no_rule():
    vocabulary = Vocabulary(["t", "x"], ("add", "sub", "mul", "div"))
    for rule, disguised, plain in (
        ("no offset", "2 * t + 3 * t / t", "2 * t + 3 * x"),
        ("use x", "2 * t + (x - x)", "2 * t + x"),
    ):
        listing = Listing(Grammar(vocabulary, rules=read_rules(rule)))
        assert not listing.allows(Expression.parse(disguised, vocabulary))
        assert listing.allows(Expression.parse(plain, vocabulary))
