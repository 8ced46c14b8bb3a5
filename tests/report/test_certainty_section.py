"""How sure the choice is, on the page of a report and in a notebook."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from certainty_cases import UNSURE, model_of, outcome
from ddsr.report import report_html
from ddsr.report.charts import band_chart
from ddsr.report.notebook import notebook_html
from ddsr.selection.bands import Band
from page_cases import dots, parsed

S = np.linspace(0.3, 15.0, 12)
X = pd.DataFrame({"S": S})
V = 7.3 * S / (1.9 + S) + 0.2 * np.random.default_rng(0).normal(size=12)


def section(page):
    (found,) = [
        each for each in page.all("section") if each.attributes["aria-labelledby"] == "certainty-title"
    ]
    return found


@pytest.fixture
def only_the_band(monkeypatch):
    """The other charts are not drawn, which takes most of a report's time."""
    monkeypatch.setattr("ddsr.report.page.front_chart", lambda *arguments: ("", []))
    for name in ("parity_chart", "residual_chart"):
        monkeypatch.setattr(f"ddsr.report.page.{name}", lambda *arguments: "")


@pytest.fixture(scope="module")
def page():
    return parsed(report_html(model_of(UNSURE), X, V, target="v"))


def test_the_sentence_stands_on_the_page(page):
    assert "60 %; 2 other forms explain the data about as well." in section(page).text


def test_forms_are_a_table_with_what_is_left(page):
    rows = page.one("table", id="forms").one("tbody").children
    assert [row.children[0].text for row in rows] == ["60 %", "20 %", "10 %", "5 %", "3 %", "2 %"]
    assert [row.attributes.get("class") for row in rows] == ["chosen", None, None, None, None, None]
    assert rows[1].children[3].text == "differs most at S = 0.3 to 0.8, by 2.1 times the noise"
    assert rows[-1].children[2].text == "all other forms that were tried"


def lines(chart):
    """How wide each curve is."""
    styles = [path.attributes.get("style", "") for path in chart.all("path")]
    found = [
        re.match(r"fill: none; stroke: var\(--colour-\d\)(?:; stroke-width: (\d))?", style)
        for style in styles
    ]
    return [int(line[1] or 1) for line in found if line]


def bands(chart):
    return [use for use in chart.all("use") if "fill-opacity: 0.14" in use.attributes["style"]]


def test_one_input_has_a_band_and_the_best_three_other_forms(page):
    chart = section(page).one("svg", "chart")
    assert len(bands(chart)) == 1 and len(dots(chart)) == len(S) + 1
    assert lines(chart) == [1, 1, 1, 2]
    legend = section(page).one("ul", "legend")
    assert [each.text for each in legend.children][0] == "v = 7.3 * S / (1.9 + S) 60 %"
    assert [each.attributes["class"] for each in legend.all("span")][:2] == [
        "swatch colour-0",
        "swatch colour-1",
    ]


@pytest.mark.usefixtures("only_the_band")
def test_without_data_there_is_no_picture():
    shown = section(parsed(report_html(model_of(UNSURE))))
    assert not shown.all("svg", "chart") and shown.all("table")


@pytest.mark.usefixtures("only_the_band")
def test_who_is_sure_needs_no_table():
    shown = section(parsed(report_html(model_of(outcome(0.998, 0.002)), X, V)))
    assert "over 99 %." in shown.text and not shown.all("table")
    assert bands(shown) and lines(shown) == [2]


@pytest.mark.usefixtures("undrawn")
def test_without_weights_there_is_no_section():
    html = report_html(model_of(outcome()), X, V)
    assert "How sure it is" not in html


@pytest.mark.usefixtures("only_the_band")
def test_without_weights_one_input_has_a_curve():
    page = parsed(report_html(model_of(outcome()), X, V, target="v"))
    chart = page.one("figure", "band-figure").one("svg", "chart")
    assert chart.attributes["aria-label"] == "v by S: data, and the equation"
    assert lines(chart) == [2] and not bands(chart) and len(dots(chart)) == len(S)


@pytest.mark.usefixtures("only_the_band")
def test_the_kept_sample_is_enough_for_the_curve():
    model = model_of(UNSURE)
    model.fit_sample_ = pd.DataFrame({"true": V, "predicted": model.predict(X)})
    model.fit_inputs_ = X
    assert bands(section(parsed(report_html(model))))
    model.fit_inputs_ = X[[]]  # of a model with several inputs, or that uses none
    assert not section(parsed(report_html(model))).all("svg", "chart")


@pytest.mark.usefixtures("only_the_band")
def test_of_several_outputs_it_is_that_of_the_report():
    model = model_of(outcome(0.97), UNSURE)
    both = np.column_stack([V, V])
    assert "97 %" in section(parsed(report_html(model, X, both, output=0))).text
    assert "60 %" in section(parsed(report_html(model, X, both, output=1))).text


def test_a_notebook_says_it_too():
    assert "This form has a probability of 60 %" in notebook_html(model_of(UNSURE))
    assert "probability" not in notebook_html(model_of(outcome()))


def test_the_band_widens_where_forms_part():
    equations = [form.entry.equation for form in UNSURE.forms]
    band = Band.over(S, UNSURE, equations)
    width = band.high - band.low
    assert band.x[0] == 0.0 and band.x[-1] > S.max()
    assert np.nanargmax(width) > len(width) // 2  # 1.3 * S departs from the others
    assert all((band.low <= band.curves[0]) & (band.curves[0] <= band.high))


@pytest.mark.parametrize("x", [np.geomspace(0.01, 100.0, 9), np.linspace(-3.0, 3.0, 9), np.full(4, 2.0)])
def test_pictures_stay_in_their_frame(x):
    equations = [form.entry.equation for form in UNSURE.forms]
    y = np.exp(np.linspace(0.0, 6.0, len(x)))
    with np.errstate(all="ignore"):
        drawn = band_chart(Band.over(x, UNSURE, equations), x, y, "S", "v")
    places = re.findall(
        r"(?:^|[ML]) ?(-?[\d.e+]+) (-?[\d.e+]+)", " ".join(re.findall(r' d="([^"]*)"', drawn))
    )
    assert len(places) > 100
    assert all(abs(float(across)) <= 347 and abs(float(down)) <= 254 for across, down in places)


def test_an_undefined_band_is_left_out():
    # no form is defined below 0
    logs = replace(UNSURE, forms=tuple(form for form in UNSURE.forms if "log" in str(form.entry.equation)))
    x = np.linspace(-9.0, 9.0, 12)
    band = Band.over(x, logs, [logs.forms[0].entry.equation])
    assert np.isnan(band.low[0]) and np.isfinite(band.low[-1])
    drawn = band_chart(band, x, np.abs(x), "S", "v")
    assert "nan" not in drawn and bands(parsed(drawn))
