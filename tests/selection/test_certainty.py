"""How sure a model is, as stated by `print`, the command, and the live views."""

import io
import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from certainty_cases import UNSURE, model_of, outcome
from command_cases import ddsr
from ddsr import DDSRRegressor, Expression, Vocabulary
from ddsr.estimator.uncertainty import forms_table
from ddsr.live import NotebookView, PlainView, TerminalView
from ddsr.live.board import Board
from ddsr.search.front import FrontEntry
from ddsr.selection.certainty import Certainty, certainty_of, percent, where_text
from ddsr.selection.parting import Parting
from ddsr.selection.posterior import MOST_FORMS, Form

SAID = """\
This form has a probability of 60 %; 2 other forms explain the data about as well.
  20 %  v = 6.1 * (1 - exp(-0.5 * S))  (differs most at S = 0.3 to 0.8, by 2.1 times the noise)
  10 %  v = 2.1 * S^0.5  (differs above S = 19, outside the data)
   5 %  v = 1.3 * S  (predicts the same within the noise)""".splitlines()


def test_other_forms_are_counted_and_the_best_three_are_named():
    assert certainty_of(UNSURE).lines("v") == SAID


def test_a_sure_model_says_so():
    assert certainty_of(outcome(0.95, 0.05)).lines("v") == ["This form has a probability of 95 %."]
    assert certainty_of(outcome(1.0)).lines("v") == ["This form has a probability of over 99 %."]


def test_forms_of_less_than_a_tenth_of_the_weight_are_named_and_not_counted():
    lines = certainty_of(outcome(0.9, 0.06, 0.009)).lines("v")
    assert lines[0].endswith("90 %; no other form explains the data about as well.")
    assert len(lines) == 2 and "6 %" in lines[1]


def test_one_form_is_not_forms():
    sentence = certainty_of(outcome(0.8, 0.2)).sentence
    assert sentence.endswith("1 other form explains the data about as well.")


def test_if_forms_were_dropped_their_number_is_a_lower_bound():
    form = UNSURE.forms[0]
    forms = tuple(
        Form(replace(form.entry, nrmse=form.entry.nrmse + 0.01 * number), 0.05, None)
        for number in range(MOST_FORMS)
    )
    said = certainty_of(replace(UNSURE, forms=forms)).sentence
    assert "; at least 19 other forms explain" in said


def test_the_choice_need_not_be_the_likeliest():
    lines = certainty_of(outcome(0.6, 0.2, 0.1, 0.05, 0.03, best=1)).lines("v")
    assert lines[0] == "This form has a probability of 20 %; 4 other forms explain the data about as well."
    assert lines[1] == "  60 %  v = 7.3 * S / (1.9 + S)"


def test_without_weights_nothing_is_said():
    assert certainty_of(outcome()) is None
    assert str(model_of(outcome())) == "y = 7.3 * S / (1.9 + S)    R² 0.990000"
    unlisted = replace(UNSURE, forms=UNSURE.forms[1:])  # the choice has no weight
    assert certainty_of(unlisted) is None


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (Parting({"x": (0.1, 0.02)}, 3.0, True), "differs below x = 0.1, outside the data"),
        (Parting({"x": (2.0, 2.0)}, 12.6, False), "differs most at x = 2, by 13 times the noise"),
        (
            Parting({"a": (1.5, 1.5), "b": (2e5, 2e5)}, 1.0, False),
            "differs most at a = 1.5, b = 2e+05, by 1.0 times the noise",
        ),
        (
            Parting({"a": (1.5, 1.5), "b": (2.0, 2.0)}, 1.26, True),
            "differs outside the data, for example at a = 1.5, b = 2, by 1.3 times the noise",
        ),
    ],
)
def test_the_place_where_forms_differ_is_described(place, said):
    assert where_text(place) == said


def test_probabilities_are_below_100_percent():
    assert [percent(share) for share in (1.0, 0.991, 0.99, 0.5, 0.01, 0.009)] == [
        "over 99 %",
        "over 99 %",
        "99 %",
        "50 %",
        "1 %",
        "under 1 %",
    ]


def test_names_that_a_terminal_would_act_on_are_escaped():
    form = Form(FrontEntry(Expression.parse("2 * `\x1b[1m`", Vocabulary(["\x1b[1m"])), 0.1), 0.2, None)
    lines = Certainty(replace(form, weight=0.7), 1, False, (form,)).lines("\x1b[2m")
    assert not any("\x1b" in line for line in lines)


# print(model)


def test_print_shows_the_choice_and_how_sure_it_is():
    lines = str(model_of(UNSURE)).splitlines()
    assert lines[0] == "y = 7.3 * S / (1.9 + S)    R² 0.990000"
    assert lines[1:] == [line.replace("v = ", "y = ") for line in SAID]


def test_print_before_a_fit_is_the_estimator():
    model = DDSRRegressor(max_time=3)
    assert str(model) == repr(model) == "DDSRRegressor(max_time=3)"


def test_print_of_several_targets_has_all_of_them():
    lines = str(model_of(UNSURE, outcome(0.97))).splitlines()
    assert lines[1] == SAID[0] and lines[-2].startswith("y1 = ")
    assert lines[-1] == "This form has a probability of 97 %."


# What is left


def test_weights_and_what_is_left_add_up_to_one():
    table = forms_table(UNSURE)
    assert table.attrs["weight_left"] == pytest.approx(0.02)
    assert table["weight"].sum() + table.attrs["weight_left"] == pytest.approx(1.0)
    assert forms_table(outcome()).attrs["weight_left"] == 0.0


# The command


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.json"
    model_of(UNSURE).save(path)
    return path


def test_the_command_says_how_sure_it_is(saved):
    shown = ddsr("show", saved).stdout
    assert shown.splitlines()[-4:] == [line.replace("v = ", "y = ") for line in SAID]


def test_json_output_has_the_weights(saved):
    content = json.loads(ddsr("show", saved, "--json").stdout)
    assert content["probability"] == 0.6 and content["weight_left"] == pytest.approx(0.02)
    assert [form["weight"] for form in content["forms"]] == [0.6, 0.2, 0.1, 0.05, 0.03]
    assert content["forms"][0]["equation"] == "7.3 * S / (1.9 + S)"


def test_files_keep_where_forms_differ(saved):
    read = DDSRRegressor.load(saved)
    assert [form.parting for form in read.outcomes_[0].forms] == [form.parting for form in UNSURE.forms]


@pytest.mark.parametrize("left_out", ["parting", "forms"])
def test_files_without_them_are_read(saved, left_out):
    content = json.loads(saved.read_text())
    (output,) = content["outputs"]
    if left_out == "forms":
        del output["forms"]
    for form in output.get("forms", ()):
        del form["parting"]
    saved.write_text(json.dumps(content))
    assert ("probability" in str(DDSRRegressor.load(saved))) == (left_out != "forms")
    assert ddsr("show", saved).exit_code == 0


# Live views


def test_lines_end_with_the_choice():
    stream = io.StringIO()
    PlainView(Board("v"), stream).on_choice([UNSURE])
    assert stream.getvalue().splitlines() == ["chosen: v = 7.3 * S / (1.9 + S)", *SAID]
    stream = io.StringIO()
    PlainView(Board("v"), stream).on_choice([outcome()])
    assert stream.getvalue() == ""


def test_the_terminal_shows_it_before_it_vanishes():
    stream = io.StringIO()
    with TerminalView(Board("v"), Console(file=stream, force_terminal=True, width=120, height=40)) as view:
        view.on_choice([UNSURE])
    assert SAID[0] in stream.getvalue() and "7.3 * S / (1.9 + S)" in stream.getvalue()


def test_a_fit_passes_its_choice_to_the_notebook_view():
    shown = []
    view = NotebookView("v", show=lambda view: shown.append(view._repr_html_()))
    x = np.linspace(0.3, 9.0, 12)
    model = DDSRRegressor(
        "ddsr:generator=none",
        max_epochs=1,
        random_state=0,
        config={"evaluations_per_epoch": 300, "max_length": 9},
        prior=None,
        callback=view,
    )
    y = 2.3 * x + 0.1 * np.random.default_rng(0).normal(size=12)
    model.fit(pd.DataFrame({"S": x}), y)
    sentence = certainty_of(model.outcomes_[0]).sentence
    assert sentence in shown[-1] and sentence not in shown[0]
    assert view.board.chosen is model.best_


def test_several_targets_are_shown_by_name():
    board = Board("v")
    board.finish([UNSURE, outcome(0.97)])
    assert board.certainty[0] == f"y0: {SAID[0]}"
    assert board.certainty[-1] == "y1: This form has a probability of 97 %."


def test_print_calls_the_target_by_its_name(tmp_path):
    X = pd.DataFrame({"x": np.arange(1.0, 9.0)})
    settings = {"preset": "uniform", "max_epochs": 1}
    model = DDSRRegressor(**settings).fit(X, pd.Series(2.0 * X["x"], name="force"))
    model.save(tmp_path / "model.json")
    assert str(DDSRRegressor.load(tmp_path / "model.json")).startswith("force = ")
    two = pd.DataFrame({"a": X["x"], "b": -X["x"]})
    assert [line.split()[0] for line in str(DDSRRegressor(**settings).fit(X, two)).splitlines()] == ["a", "b"]
    assert str(DDSRRegressor(**settings).fit(X, X["x"].to_numpy())).startswith("y = ")
