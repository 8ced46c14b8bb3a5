"""How sure the choice is, on the page of a report and in a notebook."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from certainty_cases import UNSURE, model_of, outcome
from ddsr.report import report_html
from ddsr.report.band_chart import Band, band_chart
from ddsr.report.notebook import notebook_html
from page_cases import parsed

S = np.linspace(0.3, 15.0, 12)
X = pd.DataFrame({"S": S})
V = 7.3 * S / (1.9 + S) + 0.2 * np.random.default_rng(0).normal(size=12)


def section(page):
    (found,) = [
        each for each in page.all("section") if each.attributes["aria-labelledby"] == "certainty-title"
    ]
    return found


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


def test_one_input_has_a_band_and_the_best_three_other_forms(page):
    shown = section(page)
    assert len(shown.all("path", "band")) == 1 and len(shown.all("path", "sample")) == 1
    assert len(shown.all("path", "thin")) == 3
    assert [each.text for each in shown.one("ul", "legend").children][0] == "v = 7.3 * S / (1.9 + S) 60 %"


def test_without_data_there_is_no_picture():
    shown = section(parsed(report_html(model_of(UNSURE))))
    assert not shown.all("svg", "chart") and shown.all("table")


def test_who_is_sure_needs_no_table():
    shown = section(parsed(report_html(model_of(outcome(0.998, 0.002)), X, V)))
    assert "over 99 %." in shown.text and not shown.all("table")
    assert shown.all("path", "band") and not shown.all("path", "thin")


def test_without_weights_there_is_no_section():
    html = report_html(model_of(outcome()), X, V)
    assert "How sure it is" not in html


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
    for each in parsed(f"<main>{drawn}</main>").all("path"):
        numbers = each.attributes["d"].replace("M", " ").replace("L", " ").replace("a", " ").split()
        assert each.attributes["class"] == "sample" or all(0 <= float(number) <= 520 for number in numbers)


def test_an_undefined_band_is_left_out():
    # no form is defined below 0
    logs = replace(UNSURE, forms=tuple(form for form in UNSURE.forms if "log" in str(form.entry.equation)))
    x = np.linspace(-9.0, 9.0, 12)
    band = Band.over(x, logs, [logs.forms[0].entry.equation])
    assert np.isnan(band.low[0]) and np.isfinite(band.low[-1])
    drawn = band_chart(band, x, np.abs(x), "S", "v")
    assert "nan" not in drawn and 'class="band"' in drawn
