"""What the charts show, and the numbers beside them."""

import re
from types import SimpleNamespace

import matplotlib
import numpy as np
import pandas as pd
import pytest

from ddsr.data.row_samples import spread_evenly
from ddsr.estimator.tables import curves_table, sample_table
from ddsr.report.charts import SAMPLE, front_chart, gain_chart, parity_chart, residual_chart, reward_chart
from ddsr.report.curves import Curves
from ddsr.report.equations import number_text, r2_text, shown_equations
from ddsr.report.facts import duration_text
from ddsr.report.fits import Predictions
from page_cases import dots, parsed, texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (number_text(-1.5e-7), "−1.5·10⁻⁷"),
        (r2_text(0.93), "0.9300"),
        (r2_text(0.99987), "0.9998700"),
        (r2_text(1 - 3e-12), "1 − 3·10⁻¹²"),
        (r2_text(1.0), "1"),
        (r2_text(-0.5), "−0.5000"),
        (duration_text(0.4213), "0.421 s"),
        (duration_text(245), "4 min 05 s"),
        (duration_text(8000), "2 h 13 min"),
    ],
)
def test_numbers_are_written_to_be_read(text, expected):
    assert text == expected


def numbered(values):
    """A fit that predicts the values nearly."""
    values = np.asarray(values, dtype=float)
    return Predictions.of(values, values + 0.01 * np.ptp(values) * np.cos(np.arange(len(values))))


def test_names_are_escaped_and_no_formulas():
    fit = numbered(range(9))
    for name in ("<script>", '"&amp;"', "$x_1$ [$]", "名 🚀", "a\x00\x1b\nb"):
        chart = parsed(parity_chart(fit, name))
        shown = "a   b" if "\n" in name else name
        assert {" ".join(f"{kind} {shown}".split()) for kind in ("true", "predicted")} <= texts(chart)
        assert chart.one("svg").attributes["aria-label"].startswith("Predicted against true values of")
        assert not chart.all("script")


def test_a_long_name_is_cut_where_the_picture_ends():
    labels = texts(
        parsed(parity_chart(numbered(range(5)), "Concrete compressive strength (MPa, megapascals)"))
    )
    cut = [label for label in labels if label.endswith("…")]
    assert len(cut) == 2 and all(len(label) <= 36 for label in cut)


@pytest.mark.parametrize(
    "values", [(101_000, 102_000), (2_450_000.0, 2_450_100.0), (0.5, 0.50008), (1e9, 2e9), (-3e-9, 4e-9)]
)
def test_ticks_can_be_told_apart(values):
    chart = parsed(residual_chart(numbered(np.linspace(*values, 7)), "pressure"))
    ticks = [element for element in chart.all("text") if re.fullmatch(r"[−\d.]+", element.text)]
    across = [tick for tick in ticks if "middle" in tick.attributes["style"]]
    names = [tick.text for tick in across]
    assert len(set(names)) == len(names) > 2
    places = [float(tick.attributes["x"]) for tick in across]
    assert min(np.diff(places)) > 6.5 * max(map(len, names))  # room for all of them beside each other


def test_settings_of_matplotlib_neither_change_a_chart_nor_are_changed():
    before = parity_chart(numbered(range(9)), "y")
    changed = {"axes.facecolor": "red", "text.usetex": True, "lines.markersize": 30, "svg.fonttype": "path"}
    with matplotlib.rc_context(changed):
        assert parity_chart(numbered(range(9)), "y") == before
        assert {name: matplotlib.rcParams[name] for name in changed} == changed


def test_colours_are_those_of_the_page():
    chart = parity_chart(numbered(range(9)), "y")
    assert "fill: var(--soft)" in chart and "stroke: var(--grid)" in chart
    assert set(re.findall(r"(?:fill|stroke): (#\w+)", chart)) == {SAMPLE}
    assert "<style" not in chart and "<metadata" not in chart and 'id="axes' not in chart


def test_points_of_the_front_lie_on_its_line(model):
    equations = shown_equations(model, "y")
    picture, points = front_chart(equations)
    (chart,) = parsed(picture).children
    width, height = (float(size) for size in chart.attributes["viewbox"].split()[2:])
    (line,) = [
        path for path in chart.all("path") if "stroke-opacity: 0.45" in path.attributes.get("style", "")
    ]
    corners = np.array(re.findall(r"[ML] ([\d.]+) ([\d.]+)", line.attributes["d"]), dtype=float)
    for point in points:
        place = np.array([point["left"] * width, point["top"] * height]) / 100
        assert min(np.abs(corners - place).max(axis=1)) < 0.05
    assert [point["equation"] for point in points] == equations


def test_losses_of_zero_have_a_place():
    model_like = [
        SimpleNamespace(loss=loss, complexity=2 * k, r2_text="", short_text="", is_chosen=False)
        for k, loss in enumerate((1.0, 1e-40, 0.0), 1)
    ]
    _, points = front_chart(model_like)
    assert points[1]["top"] == points[2]["top"] > points[0]["top"] > 0


def test_fit_is_measured_where_it_is_known():
    fit = Predictions.of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 2.0, 3.0, np.nan]))
    assert fit.n_left_out == 1
    assert fit.rmse == pytest.approx(0.5 / np.sqrt(3))
    assert fit.r2 == pytest.approx(1 - 0.25 / 2)
    assert "no finite value on 1" in fit.summary
    assert Predictions.of(np.ones(3), np.full(3, np.inf)) is None


def test_rows_that_are_missed_by_far_are_named():
    true = np.linspace(0.0, 1.0, 120)
    predicted = true + 0.01 * np.random.default_rng(0).normal(size=120)
    assert "Outliers" not in Predictions.of(true, predicted).summary
    predicted[[20, 60]] += 0.5, 0.9
    predicted[3] = np.nan
    text = "Outliers: rows 61, 21 (of the rows used, counted from 1)."
    assert Predictions.of(true, predicted).summary.endswith(text)
    sample = pd.DataFrame({"true": true, "predicted": predicted}, index=range(0, 600, 5))
    assert Predictions.sampled(SimpleNamespace(fit_sample_=sample)).far == (301, 101)
    many = np.linspace(0.0, 1.0, 1000)
    far = many + 0.01 * np.random.default_rng(0).normal(size=1000)
    far[:12] += 0.5
    assert Predictions.of(many, far).summary.endswith(" and 2 more (of the rows used, counted from 1).")


def test_perfect_and_constant_fits_can_be_drawn():
    for true in (np.linspace(0, 1, 5), np.ones(5), np.zeros(1), np.array([1.0, np.nextafter(1.0, 2)])):
        fit = Predictions.of(true, true)
        for chart in (parity_chart(fit, "y"), residual_chart(fit, "y")):
            assert len(dots(parsed(chart))) == len(true)


def test_dots_lie_on_the_line_where_the_fit_is_perfect():
    true = np.array([-3.0, 0.5, 7.0])
    chart = parsed(parity_chart(Predictions.of(true, true), "y"))
    (line,) = [path for path in chart.all("path") if "dasharray" in path.attributes.get("style", "")]
    ends = np.array(re.findall(r"[ML] ([\d.]+) ([\d.]+)", line.attributes["d"]), dtype=float)
    for x, y in dots(chart):
        assert y == pytest.approx(np.interp(x, *ends.T), abs=0.01)


@pytest.mark.parametrize(("n_rows", "n_dots", "n_images"), [(500, 500, 0), (501, 0, 1), (1501, 0, 1)])
def test_many_rows_are_drawn_as_pixels(n_rows, n_dots, n_images):
    rng = np.random.default_rng(0)
    true = rng.normal(size=n_rows)
    chart = residual_chart(Predictions.of(true, true + 0.1 * rng.normal(size=n_rows)), "y")
    assert len(dots(parsed(chart))) == n_dots and len(parsed(chart).all("image")) == n_images
    assert len(chart) < 80_000


def curves(best, refiner, generator):
    n_epochs = len(best)
    table = curves_table([])
    for name, column in zip(
        ("best_reward", "seconds_refine", "gain_refiner", "gain_generator"),
        (best, [0.5] * n_epochs, refiner, generator),
        strict=True,
    ):
        table[name] = column
    return Curves.of(table.reset_index(drop=True))


def test_curves_are_summed_up():
    found = curves([0.2, 0.9, 0.5], [3.0, 0.0, 0.0], [np.nan, 1.0, 0.0])
    assert found.seconds.tolist() == [0.5, 1.0, 1.5]
    assert found.best_reward.tolist() == [0.2, 0.9, 0.9]
    assert found.legend == [("refiner", "75%"), ("generator", "25%")]
    assert "refiner 75%, generator 25%" in gain_chart(found)
    assert "0.9 at the end" in reward_chart(found)


def test_one_epoch_is_a_point():
    found = curves([0.5], [1.0], [np.nan])
    assert all(len(dots(parsed(chart(found)))) == 1 for chart in (reward_chart, gain_chart))


def test_epochs_that_a_file_left_out_count_in_the_time():
    table = curves_table([])
    table["best_reward"], table["seconds_refine"] = [0.1, 0.2], [1.0, 3.0]
    table.index = [0, 10]
    assert Curves.of(table).seconds.tolist() == [10.0, 40.0]


def test_sources_that_found_nothing_are_left_out():
    assert list(curves([0.5], [1.0], [np.nan]).gains) == ["refiner"]
    assert curves([0.5], [0.0], [np.nan]).gains == {}


def test_no_epochs_are_no_curves():
    assert Curves.of(curves_table([])) is None
    assert Curves.of(None) is None


def test_sample_is_spread_over_the_data(model, data):
    X, y = data
    equation = model.best_.equation
    few = sample_table(equation, X.to_numpy(), y.to_numpy(), spread_evenly(len(y), 500))
    assert few.index.to_list() == list(range(200))
    assert np.array_equal(few["predicted"], model.predict(X))
    many = spread_evenly(2000, 500)
    assert len(many) == 500 and many[0] == 0 and many[-1] == 1999
