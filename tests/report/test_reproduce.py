"""Lines of code that repeat a fit."""

import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pytest

from ddsr import DDSRRegressor, MustAppear
from ddsr.config import DefaultConfig
from ddsr.report import report_html
from ddsr.report.facts import changed_parameters, hardware, versions
from ddsr.report.reproduce import python_lines, recipes, reproduce_note, shell_line


def test_python_lines_find_the_same_equations(model, data, tmp_path, monkeypatch):
    X, y = data
    X.assign(energy=y).to_csv(tmp_path / "data.csv", index=False)
    monkeypatch.chdir(tmp_path)
    scope = {}
    exec(python_lines(model, "energy", tuple(X.columns)), scope)
    assert scope["model"].equations_["equation"].to_list() == model.equations_["equation"].to_list()


def test_classes_are_imported(data):
    settings = {"rules": [MustAppear("mass")], "config": DefaultConfig(patience=3)}
    lines = python_lines(DDSRRegressor(max_time=2.0, **settings), "y", ("mass",))
    scope = {}
    exec(lines.partition("data = ")[0], scope)
    call = next(line for line in lines.splitlines() if line.startswith("model = "))
    made = eval(call.removeprefix("model = ").removesuffix(".fit(X, y)"), scope)
    assert made.rules == settings["rules"] and made.config == settings["config"] and made.max_time == 2.0


def test_what_numpy_made_is_written_as_python():
    settings = {"max_epochs": np.int64(2), "random_state": np.random.RandomState(0)}
    lines = python_lines(DDSRRegressor(**settings), "y", ("x",))
    assert "model = DDSRRegressor(max_epochs=2).fit(X, y)" in lines
    assert "--epochs 2" in shell_line(DDSRRegressor(**settings), "y", ("x",))
    assert "not a number" in reproduce_note(DDSRRegressor(**settings))


def test_shell_line_names_what_was_set():
    model = DDSRRegressor("paper", max_time=60, random_state=3, operators=("+", "sin"))
    words = shlex.split(shell_line(model, "it's y", ("a,b", "c")))
    assert words[:5] == ["ddsr", "fit", "data.csv", "--target", "it's y"]
    options = dict(zip(words[5::2], words[6::2], strict=True))
    assert options == {
        **{"--features": '"a,b",c', "--preset": "paper", "--time": "60", "--seed": "3"},
        **{"--operators": "+,sin"},
    }


@pytest.mark.parametrize(
    "weights, argument", [("sample_weight", "weights"), ("counts", "counts"), ("y_err", "errors")]
)
@pytest.mark.usefixtures("undrawn")
def test_code_passes_what_the_fit_was_given(weights, argument, data):
    X, y = data
    search = DDSRRegressor("uniform", max_epochs=1, random_state=0, config={"batch_size": 20})
    html = unescape(report_html(search.fit(X, y, **{weights: np.ones(len(y))}), X, y))
    assert f"fit(X, y, {weights}=data['{argument}'])" in html


def test_shell_line_has_costs():
    config = {"max_length": 9, "operator_costs": {"sin": 3.0, "+": 0.5}, "variable_costs": {"a=b": 2.0}}
    words = shlex.split(shell_line(DDSRRegressor(max_epochs=2, config=config), "y", ("a=b",)))
    options = list(zip(words[5::2], words[6::2], strict=True))
    costs = {("--operator-cost", "sin=3"), ("--operator-cost", "+=0.5"), ("--variable-cost", "a=b=2")}
    assert costs < set(options) and ("--max-size", "9") in options


def test_shell_line_has_units_of_names_with_commas():
    model = DDSRRegressor(max_epochs=2, units={"a,b": "kg", "c": "m/s"}, y_units="J")
    words = shlex.split(shell_line(model, "y", ("a,b", "c")))
    assert words[words.index("--units") + 1] == '"a,b=kg",c=m/s,y=J'


def test_shell_line_has_rules_and_the_largest_size():
    settings = {"rules": ["use x", "no sin below exp"], "guesses": ["C * x"], "config": {"max_length": 9}}
    words = shlex.split(shell_line(DDSRRegressor(max_epochs=2, **settings), "y", ("x",)))
    options = list(zip(words[5::2], words[6::2], strict=True))
    assert {("--rule", "use x"), ("--rule", "no sin below exp"), ("--guess", "C * x")} < set(options)
    assert ("--max-size", "9") in options


@pytest.mark.parametrize(
    ("prior", "written", "word"),
    [
        (None, "prior=None", "none"),
        ("a b.safetensors", "prior='a b.safetensors'", "a b.safetensors"),
        (Path("b.safetensors"), "prior='b.safetensors'", "b.safetensors"),
    ],
)
def test_the_prior_is_written(prior, written, word):
    model = DDSRRegressor(max_epochs=2, prior=prior)
    assert written in python_lines(model, "y", ("x",))
    words = shlex.split(shell_line(model, "y", ("x",)))
    assert words[words.index("--prior") + 1] == word


def test_paths_among_settings_are_imported():
    config = {"prior": Path("b.safetensors")}
    lines = python_lines(DDSRRegressor(config=config), "y", ("x",))
    scope = {}
    exec(lines.partition("data = ")[0], scope)
    call = next(line for line in lines.splitlines() if line.startswith("model = "))
    assert eval(call.removeprefix("model = ").removesuffix(".fit(X, y)"), scope).config == config


@pytest.mark.parametrize(
    "settings",
    [
        {"config": {"patience": 3}, "max_time": 1},
        {"config": {"patience": 3, "max_length": 9}, "max_time": 1},
        {"rules": [MustAppear("x")], "max_time": 1},
        {"rules": {"must_appear": ["x"]}, "max_time": 1},
        {"random_state": 0},
    ],
)
def test_what_the_command_would_do_otherwise_has_no_shell_line(settings):
    assert shell_line(DDSRRegressor(**settings), "y", ("x",)) is None


def test_defaults_and_callbacks_are_not_settings():
    assert changed_parameters(DDSRRegressor(callback=print)) == {}
    assert changed_parameters(DDSRRegressor(n_jobs=2)) == {"n_jobs": 2}
    assert changed_parameters(DDSRRegressor(guesses=[], rules=[])) == {}  # as a model file returns them


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({}, "No random_state"),
        ({"random_state": 0, "max_time": 5}, "depends on the speed of the machine"),
        ({"random_state": 0, "max_epochs": 5}, "gives the same equations on"),
    ],
)
def test_what_can_be_expected_is_said(settings, said):
    assert said in reproduce_note(DDSRRegressor(**settings))


def test_recipes_are_for_python_and_a_shell(model):
    assert [recipe.title for recipe in recipes(model, "y")] == ["Python"]  # its config has no option
    assert [recipe.title for recipe in recipes(model, "y", "ddsr fit mine.csv")] == ["Python", "Shell"]
    assert recipes(model, "y", "ddsr fit mine.csv")[1].text == "ddsr fit mine.csv"


@pytest.mark.usefixtures("undrawn")
def test_weights_are_part_of_it(data):
    model = DDSRRegressor("uniform", max_epochs=1, random_state=0, config={"batch_size": 20})
    rows = np.random.default_rng(0).uniform(1, 2, size=(30, 1))
    for weights, is_said in ((np.ones(30), True), (None, False)):
        page = report_html(model.fit(rows, rows[:, 0] ** 2, sample_weight=weights))
        assert ("sample_weight=data[&#39;weights&#39;]" in page) == is_said
        assert ("the column with the weights of the rows" in page) == is_said
    words = shlex.split(shell_line(DDSRRegressor(max_time=1), "y", ("x",), extras=["weights"]))
    assert words[words.index("--weights") + 1] == "weights"


@pytest.mark.usefixtures("undrawn")
def test_counts_are_part_of_it():
    model = DDSRRegressor("uniform", max_epochs=1, random_state=0, config={"batch_size": 20})
    rows = np.random.default_rng(0).uniform(1, 2, size=(30, 1))
    page = report_html(model.fit(rows, rows[:, 0] ** 2, counts=np.full(30, 2)))
    assert "counts=data[&#39;counts&#39;]" in page and "the column with the counts of the rows" in page
    words = shlex.split(shell_line(DDSRRegressor(max_time=1), "y", ("x",), extras=["counts"]))
    assert words[words.index("--counts") + 1] == "counts"


def test_machine_and_versions_are_known():
    assert {"Python", "numpy", "scikit-learn"} <= versions().keys()
    assert {"processor", "cores", "system"} <= hardware().keys()


def test_a_time_without_end_can_be_written():
    model = DDSRRegressor("uniform", max_time=np.inf, max_epochs=1, random_state=0).fit(*2 * [np.eye(4)])
    text = python_lines(model, "y", ("x",))
    assert 'max_time=float("inf")' in text and shell_line(model, "y", ("x",)) is None
    assert "depends on the speed" not in reproduce_note(model)
