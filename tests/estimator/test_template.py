"""Templates in the estimator: a known part of the formula, its constants, and what is searched."""

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from ddsr import DDSRRegressor
from ddsr.errors import ExpressionError, GrammarError, TemplateError
from ddsr.report import report_html

RNG = np.random.default_rng(1)
S = RNG.uniform(0.2, 10.0, 40)
TABLE = pd.DataFrame({"S": S})
RATE = 7.3 * S / (1.9 + S) * (1.0 + 0.02 * RNG.normal(size=40))
DECAY = pd.DataFrame({"t": RNG.uniform(0.2, 3.0, 60), "x": RNG.uniform(0.5, 2.0, 60)})
Y = 2.5 * np.exp(-0.7 * DECAY.t) + DECAY.x**2
BRIEF = {"evaluations_per_epoch": 1000, "max_length": 12, "prior": None}


def brief(template: str, **parameters: object) -> DDSRRegressor:
    return DDSRRegressor(template=template, max_epochs=1, config=BRIEF, random_state=0, **parameters)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def filled() -> DDSRRegressor:
    return brief("A * exp(-f(t)) + g(x)").fit(DECAY, Y)


def test_a_formula_is_fitted_without_a_search() -> None:
    model = DDSRRegressor(template="Vmax * S / (Km + S)").fit(TABLE, RATE)
    table = model.confidence_intervals()
    assert list(table.index) == ["Vmax", "Km"]
    assert table.loc["Vmax", "value"] == pytest.approx(7.3, abs=4.0 * table.loc["Vmax", "standard_error"])
    assert table.loc["Km", "value"] == pytest.approx(1.9, abs=4.0 * table.loc["Km", "standard_error"])
    assert not table["is_exact"].any() and (table["standard_error"] > 0.0).all()
    assert table.attrs["equation"] == "Vmax * S / (Km + S)"
    assert model.stopped_by_ == "exhausted" and len(model.equations_) == 1
    assert model.score(TABLE, RATE) > 0.99


def test_starting_values_far_away_are_no_obstacle() -> None:
    t = np.linspace(0.0, 10.0, 40)
    y = 12.0 * np.exp(-0.37 * t) + 5.0 * np.cos(1.3 * t)
    model = DDSRRegressor(template="A * exp(-k * x0) + B * cos(w * x0)").fit(t[:, None], y)
    assert model.score(t[:, None], y) == pytest.approx(1.0)


def test_equations_fill_the_template(filled: DDSRRegressor) -> None:
    assert len(filled.equations_) > 1
    for entry in filled.front_:
        expression = entry.expression
        assert expression.is_filled
        _, f, g = expression.parts
        assert {*f.variables_used} <= {"t"} and {*g.variables_used} <= {"x"}


def test_predictions_and_files(filled: DDSRRegressor, tmp_path: Path) -> None:
    predicted = filled.predict(DECAY)
    assert np.isfinite(predicted).all()
    filled.save(tmp_path / "model.json")
    for other in (DDSRRegressor.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(filled))):
        np.testing.assert_array_equal(other.predict(DECAY), predicted)
        assert other.template == filled.template and str(other) == str(filled)
    expected = filled.best_.expression.to_callable()(DECAY.to_numpy())
    np.testing.assert_allclose(predicted, expected, rtol=1e-9)


def test_the_report_and_the_views_show_the_formula(filled: DDSRRegressor) -> None:
    text = filled.best_.equation.text(4)
    assert text in str(filled)
    assert "exp" in report_html(filled, DECAY, Y)
    assert "math" in filled._repr_html_()


def test_scikit_learn_tools() -> None:
    model = DDSRRegressor(template="Vmax * S / (Km + S)")
    assert clone(model).template == model.template
    assert (cross_val_score(model, TABLE, RATE, cv=3) > 0.9).all()


def test_several_targets() -> None:
    model = DDSRRegressor(template="a * S / (b + S)").fit(TABLE, np.column_stack([RATE, 2.0 * RATE]))
    first, second = model.confidence_intervals()
    assert second.loc["a", "value"] == pytest.approx(2.0 * first.loc["a", "value"], rel=1e-3)


@pytest.mark.parametrize(
    ("parameters", "error", "what"),
    [
        ({"template": "A *"}, TemplateError, "unexpected end"),
        ({"template": "2 * S"}, TemplateError, "nothing to fit"),
        ({"template": "f(S)", "guesses": ["S"]}, ExpressionError, "a guess says what fills it, such as 'f"),
        ({"template": "f(S)", "preset": "dsr"}, GrammarError, "cannot fill a template"),
        ({"template": "A * f(S)", "config": {"max_length": 2}}, GrammarError, "at least 3 tokens"),
        (
            {"template": "A * f(S)", "rules": ["depth at most 3"]},
            GrammarError,
            "does not apply to a template",
        ),
        ({"template": "A + f(S)", "rules": ["at most 0 of ?"]}, GrammarError, "but the template has 1: A"),
    ],
)
def test_what_cannot_be_done_is_said(
    parameters: dict[str, object], error: type[Exception], what: str
) -> None:
    with pytest.raises(error, match=what):
        DDSRRegressor(max_epochs=1, **parameters).fit(TABLE, RATE)  # type: ignore[arg-type]


@pytest.mark.parametrize("formula", ["a * sqrt(x - d)", "a * log(x - d)", "a * sqrt(b - x) + c"])
def test_constants_start_where_the_formula_is_defined(formula):
    x = np.linspace(0.5, 10.0, 40)
    model = DDSRRegressor(template=formula).fit(pd.DataFrame({"x": x}), 2.0 + np.sqrt(x))
    assert np.isfinite(model.predict(pd.DataFrame({"x": x}))).all()


def test_a_formula_has_intervals_but_no_probability():
    x = np.linspace(0.5, 10.0, 40)
    table = pd.DataFrame({"x": x})
    y = 7.0 * x / (1.5 + x) + 0.1 * np.random.default_rng(0).normal(size=40)
    model = DDSRRegressor(template="V * x / (K + x)").fit(table, y)
    low, high = model.predict_interval(table).T
    assert ((low < y) & (y < high)).mean() > 0.8 and (high - low < 1.0).all()
    assert model.forms_["weight"].tolist() == [1.0]
    assert "probability" not in str(model)
    assert len(model.suggest(table, 2)) == 2


@pytest.mark.parametrize(
    ("template", "what"), [("A * S + f(w)", "already has S"), ("A + f(w)", r"not an input .* \(f\(w\)\)")]
)
def test_a_required_column_must_be_an_input_of_a_function(template, what):
    with pytest.raises(GrammarError, match=f"rule 'use S': .*{what}"):
        brief(template, rules=["use S"]).fit(TABLE.assign(w=1.0 + S**2), RATE)
    table = TABLE.rename(columns={"S": "my S"})
    brief("A + f(`my S`)", rules=["use `my S`", "use my S"]).fit(table, RATE)
