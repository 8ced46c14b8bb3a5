"""Axes, ticks, and what is drawn between them."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.estimator.tables import curves_table, sample_table
from ddsr.report.chart import Axis, Chart, power_text, stairs, tick_text
from ddsr.report.curve_charts import Curves, gain_chart, legend, reward_chart
from ddsr.report.equations import number_text, r2_text
from ddsr.report.fit_charts import Predictions, cloud, hexagons, parity_chart, residual_chart
from ddsr.report.wording import duration_text

numbers = st.floats(-1e12, 1e12).filter(lambda value: value == 0 or abs(value) > 1e-12)


@given(st.lists(numbers, min_size=1, max_size=9))
def test_axes_hold_their_values_and_ticks(values):
    axis = Axis.around(values, "x")
    assert np.all((axis.share(values) > 0) & (axis.share(values) < 1))
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 8
    assert all(axis.low <= value <= axis.high for value, _ in ticks)


@given(st.lists(st.floats(1e-30, 1e30), min_size=1, max_size=9))
def test_logarithmic_axes_hold_their_values_and_ticks(values):
    axis = Axis.around(values, "x", is_log=True)
    assert np.all((axis.share(values) > 0) & (axis.share(values) < 1))
    ticks = axis.ticks()
    assert 1 <= len(ticks) <= 9
    assert len({text for _, text in ticks}) == len(ticks)


def test_ticks_are_round():
    assert Axis(0.0, 10.4, "").ticks() == [(0, "0"), (5, "5"), (10, "10")]
    assert [text for _, text in Axis(0.975, 0.986, "").ticks()] == ["0.975", "0.980", "0.985"]
    assert [text for _, text in Axis(1e-9, 10.0, "", is_log=True).ticks()][:2] == ["10⁻⁸", "10⁻⁶"]
    assert [text for _, text in Axis(0.008, 0.06, "", is_log=True).ticks()] == ["0.01", "0.02", "0.05"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (tick_text(-2.5, 0.5), "−2.5"),
        (tick_text(300000.0, 100000.0), "3e5"),
        (tick_text(101300.0, 100.0), "1.013e5"),
        (tick_text(0.50002, 0.00002), "0.50002"),
        (power_text(-12), "10⁻¹²"),
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


def test_labels_are_escaped():
    svg = Chart(Axis(0, 1, "<a>"), Axis(0, 1, "&")).svg('"<script>', [])
    assert "<a>" not in svg and "<script>" not in svg and "&lt;a&gt;" in svg


def test_stairs_go_across_first():
    assert stairs([(0, 0), (1, 5), (2, 3)]) == [(0, 0), (1, 0), (1, 5), (2, 5), (2, 3)]


def test_fit_is_measured_where_it_is_known():
    fit = Predictions.of(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.5, 2.0, 3.0, np.nan]))
    assert fit.n_left_out == 1
    assert fit.rmse == pytest.approx(0.5 / np.sqrt(3))
    assert fit.r2 == pytest.approx(1 - 0.25 / 2)
    assert "no finite value on 1" in fit.summary
    assert Predictions.of(np.ones(3), np.full(3, np.inf)) is None


def test_rows_that_are_missed_by_far_are_told():
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
    for true in (np.linspace(0, 1, 5), np.ones(5)):
        fit = Predictions.of(true, true)
        assert "sample" in parity_chart(fit, "y") and "sample" in residual_chart(fit, "y")


def test_hexagons_hold_every_row_once():
    places = np.random.default_rng(0).uniform(90, 300, size=(5000, 2))
    centres, counts = hexagons(places)
    assert counts.sum() == 5000
    # each place is in the hexagon whose centre is nearest
    nearest = np.argmin(((places[:, None] - centres) ** 2).sum(axis=2), axis=1)
    assert np.array_equal(np.bincount(nearest, minlength=len(counts)), counts)


def test_densest_hexagon_is_the_strongest():
    x = np.concatenate([np.zeros(3000), np.linspace(-1, 1, 3000)])
    chart = Chart(Axis(-1, 1, ""), Axis(-1, 1, ""))
    drawn = cloud(chart, x, np.zeros(6000))
    strongest = re.search(r'shade-6" d="([^"]*)"', drawn)
    assert strongest and strongest[1].count("M") == 1


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
    assert found.shares() == {"refiner": 0.75, "generator": 0.25}
    assert "refiner 75%, generator 25%" in gain_chart(found)
    assert legend(found).count("<li>") == 2
    assert "0.9 at the end" in reward_chart(found)


def test_one_epoch_is_a_point():
    found = curves([0.5], [1.0], [np.nan])
    assert "curve-end" in reward_chart(found) and "curve-end" in gain_chart(found)


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
    few = sample_table(equation, X.to_numpy(), y.to_numpy())
    assert few.index.to_list() == list(range(200))
    assert np.array_equal(few["predicted"], model.predict(X))
    many = sample_table(equation, np.tile(X.to_numpy(), (10, 1)), np.tile(y.to_numpy(), 10))
    assert len(many) == 500 and many.index[0] == 0 and many.index[-1] == 1999


@pytest.mark.parametrize(
    "values", [(101_000, 102_000), (2_450_000.0, 2_450_100.0), (0.5, 0.50008), (1e9, 2e9)]
)
def test_ticks_can_be_told_apart(values):
    texts = [text for _, text in Axis.around(values, "pressure").ticks()]
    assert len(texts) > 2 and len(set(texts)) == len(texts)


def test_a_long_name_is_cut_where_the_picture_ends():
    fit = Predictions.of(np.arange(5.0), np.arange(5.0) + 0.1)
    chart = parity_chart(fit, "Concrete compressive strength (MPa, megapascals)")
    labels = re.findall(r'class="axis"[^>]*>([^<]*)<', chart)
    assert [len(label) for label in labels] == [44, 34]
    assert all(label.endswith("…") for label in labels)
