"""What a notebook shows of an estimator."""

import numpy as np
import pytest
from sklearn import config_context

from ddsr import DDSRRegressor
from ddsr.report import notebook_html
from ddsr.report.notebook import MOST_ROWS
from page_cases import HOSTILE_NAMES, dots, fitted, parsed


def test_fitted_model_shows_its_equations(model):
    page = parsed(model._repr_html_())
    assert len(page.all("tr", "ddsr-chosen")) == 1
    assert len(page.one("tbody").children) == min(MOST_ROWS, len(model.equations_))
    (choice,) = page.one("div", "ddsr-choice").all("span", "equation")
    assert model.best_.equation.text(4) in choice.attributes["aria-label"]
    assert len(dots(page)) == 200


def test_every_output_is_shown(data):
    X, y = data
    model = fitted(X, np.column_stack([y, -2 * y]), max_epochs=1, model_selection="best")
    page = parsed(model._repr_html_())
    labels = [choice.one("span").attributes["aria-label"] for choice in page.all("div", "ddsr-choice")]
    assert [label[:5] for label in labels] == ["y0 = ", "y1 = "]


def test_jupyter_is_shown_the_same(model):
    bundle = model._repr_mimebundle_()
    assert bundle["text/html"] == model._repr_html_()
    assert "DDSRRegressor" in bundle["text/plain"]


def test_model_before_its_fit_is_shown_as_scikit_learn_does():
    bundle = DDSRRegressor()._repr_mimebundle_()
    assert "sk-top-container" in bundle["text/html"] and "ddsr-view" not in bundle["text/html"]
    assert "sk-top-container" in DDSRRegressor()._repr_html_()


def test_text_alone_is_shown_where_that_is_asked_for(model):
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert "text/html" not in model._repr_mimebundle_()


def test_styles_stay_within_the_view(model):
    rules = parsed(notebook_html(model)).one("style").text
    selectors = [rule.partition("{")[0] for rule in rules.split("}") if rule.strip()]
    assert all(part.strip().startswith(".ddsr-view") for rule in selectors for part in rule.split(","))


def test_names_are_escaped(hostile_model):
    page = parsed(notebook_html(hostile_model))
    assert page.all("script") == []
    assert any(HOSTILE_NAMES[0] in span.attributes["aria-label"] for span in page.all("span", "equation"))


@pytest.mark.parametrize("lacking", ["fit_sample_"])
def test_model_without_rows_has_no_picture(model, lacking, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert not hasattr(loaded, lacking)
    assert not parsed(notebook_html(loaded)).all("svg", "chart")
