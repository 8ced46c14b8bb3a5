"""The figure of a model: front, fit and residuals."""

import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

from certainty_cases import UNSURE, model_of, outcome
from ddsr import DDSRRegressor
from ddsr.errors import DataError, MethodError

S = np.linspace(0.3, 15.0, 12)
X = pd.DataFrame({"S": S})
V = 7.3 * S / (1.9 + S) + 0.2 * np.random.default_rng(0).normal(size=12)
LITTLE = {"evaluations_per_epoch": 300, "max_length": 12}


@pytest.fixture(autouse=True)
def backend():
    from matplotlib import pyplot

    before = matplotlib.get_backend()
    pyplot.switch_backend("Agg")
    yield
    pyplot.close("all")
    pyplot.switch_backend(before)


@pytest.fixture(scope="module")
def two_inputs():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.uniform(1.0, 3.0, size=(600, 3)), columns=["a", "$b_1$", "unused"])
    y = table["a"] * table["$b_1$"] + 0.05 * rng.normal(size=600)
    model = DDSRRegressor("ddsr:generator=none", max_epochs=1, random_state=0, config=LITTLE, prior=None)
    return model.fit(table, y.rename("power")), table, y


def labels(axes):
    return axes.get_xlabel(), axes.get_ylabel()


def points(axes):
    """The places of the dots of a panel."""
    (dots,) = [line for line in axes.lines if line.get_marker() == "o" and line.get_alpha() == 0.7]
    return np.column_stack(dots.get_data())


def test_one_input_is_drawn_with_its_curve_and_band():
    figure = model_of(UNSURE).plot(X, V)
    front, fit, residuals = figure.axes
    assert labels(front) == ("size (tokens)", "mean squared error")
    assert labels(fit) == ("S", "y") and labels(residuals)[0] == "predicted y"
    assert (points(fit) == np.column_stack([S, V])).all()
    assert [text.get_text() for text in fit.get_legend().get_texts()] == ["95 % band", "equation", "data"]
    assert figure.get_suptitle() == "y = 7.3 * S / (1.9 + S)"
    predicted = model_of(UNSURE).predict(X)
    assert np.allclose(points(residuals), np.column_stack([predicted, V - predicted]))
    figure.canvas.draw()


def test_another_equation_and_one_without_weights_have_no_band():
    model = model_of(UNSURE)
    for figure in (model.plot(X, V, index=3), model_of(outcome()).plot(X, V)):
        texts = [text.get_text() for text in figure.axes[1].get_legend().get_texts()]
        assert texts == ["equation", "data"]
    assert model.plot(X, V, index=3).get_suptitle() == "y = 1.3 * S"


def test_the_chosen_equation_is_marked():
    front = model_of(outcome(0.6, 0.2, best=1)).plot().axes[0]
    entry = UNSURE.front.entries[1]
    assert front.lines[-1].get_label() == "chosen"
    assert front.lines[-1].get_xdata()[0] == entry.size
    assert front.lines[-1].get_ydata()[0] == pytest.approx((entry.nrmse * 2.0) ** 2)


def test_without_rows_there_is_only_the_front():
    assert len(model_of(UNSURE).plot().axes) == 1


def test_several_inputs_need_the_name_of_one(two_inputs):
    model, table, y = two_inputs
    assert labels(model.plot(table, y).axes[1]) == ("true power", "predicted power")
    fit = model.plot(table, y, x="$b_1$").axes[1]
    assert labels(fit) == ("$b_1$", "power") and "medians" in fit.get_title()
    curve = next(line for line in fit.lines if line.get_label() == "equation")
    at, value = curve.get_xdata()[100], curve.get_ydata()[100]
    row = table.median().to_frame().T.assign(**{"$b_1$": at})
    assert model.predict(row)[0] == pytest.approx(value)
    with pytest.raises(DataError, match="x='c' is not an input; the inputs are: a,"):
        model.plot(table, y, x="c")


def test_the_sample_of_the_fit_is_enough(two_inputs):
    model, table, _ = two_inputs
    assert "unused" not in model.fit_inputs_ and len(model.fit_inputs_) == len(model.fit_sample_) == 500
    figure = model.plot(x="a")
    predicted = points(figure.axes[2])[:, 0]
    assert np.allclose(predicted, model.fit_sample_["predicted"])
    assert np.array_equal(points(figure.axes[1])[:, 0], table["a"][model.fit_sample_.index])


def test_of_several_outputs_one_is_drawn():
    model, both = model_of(UNSURE, outcome(0.9, best=3)), np.column_stack([V, V + 1.0])
    for output in (1, "y1"):
        figure = model.plot(X, both, output=output)
        assert figure.get_suptitle() == "y1 = 1.3 * S"
        assert (points(figure.axes[1])[:, 1] == V + 1.0).all()
    for output in (None, 2, "z", True):
        with pytest.raises(DataError, match="pass output, one of 0 \\(y0\\), 1 \\(y1\\)"):
            model.plot(X, both, output=output)


def test_wrong_rows_are_refused():
    model = model_of(UNSURE)
    with pytest.raises(DataError, match="pass both X and y"):
        model.plot(X)
    with pytest.raises(DataError, match="y has the shape"):
        model.plot(X, V[:3])


def test_matplotlib_is_asked_for_in_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MethodError, match="^plot needs matplotlib: pip install matplotlib$"):
        model_of(UNSURE).plot(X, V)
