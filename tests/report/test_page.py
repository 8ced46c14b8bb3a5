"""The contents of a report's page."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from ddsr import DDSRClassifier, DDSRRegressor
from ddsr.errors import DataError, DDSRError, ReportError
from ddsr.expression import Expression
from ddsr.report import Background, report_html, write_report
from ddsr.report.equations import number_text, sympy_source
from page_cases import HOSTILE_NAMES, dots, fitted, parsed, table
from strategies import PLAIN

LARGEST_PAGE = 500_000
SECTIONS = ["choice", "front", "fit", "certainty", "constants", "search", "all", "run", "again"]


@pytest.fixture(scope="module")
def html(model, data):
    return report_html(model, *data, target="energy")


@pytest.fixture(scope="module")
def page(html):
    return parsed(html)


def equation_data(page):
    return json.loads(page.one("script", id="equation-data").texts[0])


def test_page_has_every_section(page):
    assert [heading.attributes["id"] for heading in page.all("h2")] == [f"{name}-title" for name in SECTIONS]
    assert page.one("head").one("title").text == "An equation for energy"


def test_page_needs_no_other_file(html, page):
    assert "default-src 'none'" in html
    for element in page.all():
        for name in ("src", "href", "xlink:href", "action", "data"):
            assert element.attributes.get(name, "#").startswith(("#", "data:image/png;base64,"))
        assert "url(" not in element.attributes.get("style", "")
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(", html)


@pytest.mark.usefixtures("undrawn")
def test_rows_missed_by_far_are_named_unless_rows_have_weights(model, data):
    X, y = data
    noise = 0.01 * np.std(y) * np.random.default_rng(0).normal(size=len(y))
    wrong = model.predict(X) + noise
    wrong[17] += 0.8 * np.ptp(wrong)
    note = "Outliers: row 18 (of the rows used"
    assert note in report_html(model, X, wrong)
    assert "Outliers" not in report_html(model, X, wrong, background=Background(is_weighted=True))


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("labels", [("no", "yes"), ("blue", "green", "red")])
def test_labels_are_compared_with_the_values_of_a_classifier(labels):
    X, y = table(["mass", "speed"])[0], np.array(labels)[np.arange(200) % len(labels)]
    model = DDSRClassifier("uniform", max_epochs=1, random_state=0, config={"batch_size": 20}).fit(X, y)
    html = report_html(model, X, y, output=None if len(labels) == 2 else 1)
    assert "On 200 rows" in html and "DDSRClassifier(" in html and "ddsr fit" not in html


def test_every_shape_that_is_placed_is_drawn(page):
    names = {element.attributes["id"] for element in page.all() if "id" in element.attributes}
    placed = {element.attributes["xlink:href"].removeprefix("#") for element in page.all("use")}
    clips = set(re.findall(r"url\(#(\w+)\)", str([element.attributes for element in page.all()])))
    assert placed and clips and placed | clips <= names


def test_every_equation_is_a_point_and_a_row(page, model):
    points, rows = page.all("span", "point"), page.one("table", id="equations").one("tbody").children
    assert len(points) == len(rows) == len(model.equations_)
    chosen = int(np.flatnonzero(model.equations_["is_best"])[0])
    assert [k for k, point in enumerate(points) if "chosen" in point.attributes["class"]] == [chosen]
    assert [k for k, row in enumerate(rows) if row.attributes.get("class") == "chosen"] == [chosen]
    for point, equation in zip(points, model.front_, strict=True):
        assert point.attributes["aria-label"].endswith(equation.equation.text(4))
    sizes = [int(row.one("td", data_fact="complexity").text) for row in rows]
    assert sizes == model.equations_["complexity"].to_list()


def test_points_fall_as_the_loss_does(page, model):
    places = [point.attributes["style"] for point in page.all("span", "point")]
    x, y = np.array([re.findall(r"[\d.]+", place) for place in places], dtype=float).T
    assert np.all(np.diff(x[np.argsort(model.equations_["complexity"])]) >= 0)
    losses = model.equations_["loss"].to_numpy()
    # pages count downwards: a higher loss is higher on the page
    slope = np.polyfit(np.log(losses), y, 1)[0]
    assert slope < 0
    assert np.allclose(y, np.polyval(np.polyfit(np.log(losses), y, 1), np.log(losses)), atol=0.05)


def test_what_is_copied_computes_the_equation(page, model, data):
    X, _ = data
    for index, equation in enumerate(equation_data(page)):
        expected = model.predict(X, index)
        scope = {}
        exec(equation["copies"]["Python"], scope)
        computed = scope["equation"](*(X[name] for name in X.columns))
        assert np.allclose(computed, expected, rtol=1e-9, equal_nan=True)
        scope = {}
        exec(equation["copies"]["SymPy"], scope)
        copied, own = scope["equation"], model.sympy(index)
        # as it reads a text, SymPy multiplies the number before a sum into it: the writing may differ
        somewhere = {
            symbol: 0.7 + place / 7 for place, symbol in enumerate(sorted(own.free_symbols, key=str))
        }
        assert copied.free_symbols == own.free_symbols
        assert float(copied.subs(somewhere)) == pytest.approx(float(own.subs(somewhere)), rel=1e-12)
        assert equation["copies"]["LaTeX"] == model.latex(index)
        assert equation["exact"] == model.equations_["equation"][index]


@pytest.mark.parametrize("text", ["0.25", "1", "sqrt(2)"])
def test_a_number_is_copied_as_sympys(text):
    expression = Expression.parse(text, PLAIN)
    scope = {}
    exec(sympy_source(expression), scope)
    assert scope["equation"].free_symbols == set()
    assert float(scope["equation"]) == float(expression.to_sympy())


def test_numbers_of_the_choice_are_shown(page, model):
    tiles = page.one("ul", "tiles").text
    assert f"{model.best_.size} tokens" in tiles
    assert f"{model.get_best()['r2']:.3f}"[:4] in tiles


@pytest.mark.usefixtures("undrawn")
def test_an_error_weighted_by_the_noise_is_named_so(page, model, monkeypatch):
    assert "(weighted)" not in page.one("ul", "tiles").text
    monkeypatch.setattr(model, "noise_", "relative")
    assert "root mean squared error (weighted)" in parsed(report_html(model)).one("ul", "tiles").text


def test_constants_have_their_intervals(page, model):
    section = next(section for section in page.all("section") if section.all(id="constants-title"))
    table = model.confidence_intervals()
    rows = [[cell.text for cell in row.children] for row in section.one("tbody").children]
    assert [row[0] for row in rows] == table.index.to_list()
    assert table.attrs["equation"] in section.text
    for (_, value, error, low, high), known in zip(rows, table.to_dict("records"), strict=True):
        assert value == number_text(known["value"], 6)
        expected = ["fixed", "", ""]
        if not known["is_exact"]:
            interval = [number_text(known[name], 6) for name in ("low", "high")]
            expected = [number_text(known["standard_error"], 2), *interval]
        assert [error, low, high] == expected


@pytest.mark.usefixtures("undrawn")
def test_model_that_measured_no_constants_has_no_such_section(data, monkeypatch):
    model = fitted(*data, max_epochs=1, model_selection="best")
    for outcome in model.outcomes_:
        monkeypatch.setattr(model, "outcomes_", [replace(outcome, information=[None] * len(outcome.front))])
    assert "constants-title" not in report_html(model)


def test_what_ran_is_named(page, model):
    run = next(section for section in page.all("section") if section.all(id="run-title"))
    assert "the maximum number of epochs was reached" in run.text
    assert "random_state" in run.text and "'ddsr:generator=none'" in run.text
    assert "numpy" in run.text and np.__version__ in run.text
    assert "200 rows" in run.text and "mass" in run.text


@pytest.mark.usefixtures("undrawn")
def test_facts_of_a_run_stand_before_those_of_this_machine(model):
    background = Background(
        seconds=4000, search={"expressions scored": "123"}, machine={"ddsr": "0.0.7"}, shell="ddsr fit x.csv"
    )
    text = parsed(report_html(model, background=background)).text
    assert "1 h 06 min" in text and "expressions scored123" in text and "0.0.7" in text
    assert "ddsr fit x.csv" in text and np.__version__ not in text


def test_names_are_escaped_everywhere(hostile_model, hostile_data):
    html = report_html(hostile_model, *hostile_data, target="<img src=x onerror=alert(1)>", title="<b>&")
    page = parsed(html)
    assert len(page.all("script")) == 2
    assert page.all("img") == page.all("b", onerror="") == []
    assert not any(name.startswith("on") for element in page.all() for name in element.attributes)
    assert page.one("head").one("title").text == "<b>&"
    assert HOSTILE_NAMES[0] in page.text
    assert any(HOSTILE_NAMES[0] in equation["text"] for equation in equation_data(page))


def test_names_of_all_scripts_are_shown():
    X, y = table(["名前", "🚀", "β"])
    page = parsed(report_html(fitted(X, y, max_epochs=1, model_selection="best"), X, y, target="目標"))
    assert "名前" in page.one("section", "hero").one("span", "equation").text
    assert "true 目標" in page.text


def test_model_that_was_loaded_shows_what_it_can(model, data, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    page = parsed(report_html(loaded))
    assert "This model was saved without data" in page.text
    assert len(page.all("svg", "chart")) == 2 + bool(page.all("ul", "legend"))  # front, reward and gains
    assert "200 rows" in parsed(report_html(loaded, *data)).text


@pytest.mark.slow
def test_model_keeps_enough_rows_to_draw_its_fit():
    X, y = table(["a", "b"], n_rows=1200)
    model = fitted(X, y, max_epochs=1)
    page = parsed(report_html(model))
    assert "On 500 of the 1,200 training rows" in page.text
    assert len(dots(page)) >= 2 * 500


def test_many_rows_are_drawn_as_densities(model):
    X, y = table(["mass", "v_0", "beta"], n_rows=50_000)
    html = report_html(model, X, y)
    assert "50,000 rows" in html and "Darker hexagons" in html
    assert len(parsed(html).all("image")) == 2
    assert len(html.encode()) < LARGEST_PAGE


@pytest.mark.usefixtures("undrawn")
def test_rows_without_a_value_are_counted():
    X, y = table(["a", "b"])
    model = fitted(X, np.log(X["a"]), max_epochs=1, operators=("+", "*", "log"))
    X.iloc[:7, 0] = -1.0
    assert "no finite value on 7 of them" in parsed(report_html(model, X, y)).text
    X["a"] = -1.0
    assert "no finite value on any" in parsed(report_html(model, X, y)).text


@pytest.mark.usefixtures("undrawn")
def test_wide_data_are_not_listed_to_the_end():
    X, y = table([f"column {k}" for k in range(45)])
    page = parsed(report_html(fitted(X, y, max_epochs=1, model_selection="best")))
    assert "and 15 more" in page.text


def test_report_is_a_file_or_nothing(model, data, tmp_path):
    assert write_report(model, tmp_path / "report.html", *data) == tmp_path / "report.html"
    assert (tmp_path / "report.html").stat().st_size < LARGEST_PAGE
    with pytest.raises(DDSRError, match="cannot write"):
        write_report(model, tmp_path / "missing" / "report.html")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("lacking", ["X", "y"])
def test_half_of_the_data_is_refused(model, data, lacking):
    given = {"X": data[0], "y": data[1]} | {lacking: None}
    with pytest.raises(DataError, match="both X and y"):
        report_html(model, **given)


def test_data_of_different_lengths_are_refused(model, data):
    with pytest.raises(DataError, match="200 rows, but y has 199"):
        report_html(model, data[0], data[1][:-1])


def test_each_of_several_outputs_has_a_report(data):
    X, y = data
    model = fitted(X, np.column_stack([y, -2 * y]), max_epochs=1, model_selection="best")
    with pytest.raises(ReportError, match="output, from 0 to 1"):
        report_html(model, X, y)
    with pytest.raises(ReportError, match="output, from 0 to 1"):
        report_html(model, output=2)
    for given in ((X, np.column_stack([y, -2 * y])), (X, -2 * y), ()):
        page = parsed(report_html(model, *given, output=1))
        exact = [equation["exact"] for equation in equation_data(page)]
        assert exact == model.equations_[1]["equation"].to_list()
        assert len(dots(page)) >= 2 * 200


def test_model_without_equations_is_refused():
    with pytest.raises(ReportError, match="not fitted"):
        report_html(DDSRRegressor())
