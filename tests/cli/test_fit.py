"""`ddsr fit` on small tables: its output, its files, and the effect of its options."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from clock_cases import Clock
from command_cases import ddsr, line_data, write_table
from ddsr import DDSRRegressor
from ddsr.cli.fitting import estimator_parameters, free_folder
from ddsr.runs import RunFolder
from docs_cases import search_little
from prior_cases import write_weights

ONE_EPOCH = ("--epochs", 1, "--jobs", 1)
QUICK = (*ONE_EPOCH, "--prior", "none")
pytestmark = pytest.mark.usefixtures("brief_epochs")


@pytest.fixture
def table(tmp_path, monkeypatch) -> str:
    """A table in a separate folder, where runs without a name go."""
    monkeypatch.chdir(tmp_path)
    return line_data(tmp_path / "line.csv")


def fitted(*arguments: object) -> dict:
    done = ddsr("fit", *arguments, "--json")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("\n") == 1
    return json.loads(done.stdout)


def test_the_result_for_people(table):
    done = ddsr("fit", table, "--target", "y", "--no-save", *QUICK)
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("y = "))
    head, *rows, ended, chosen = lines[: place + 1]
    assert head.split() == ["size", "R²", "loss", "equation", "for", "y"]
    assert sum(row.startswith("→") for row in rows) == 1
    assert ended.startswith("Ended after ") and "the fit is exact" in ended
    assert chosen.startswith("y = ") and "a" in chosen and "b" in chosen
    assert lines[place + 1].startswith("This form has a probability of ")
    said = done.stderr.splitlines()
    assert said[0] == f"reading {table}" and said[1] == "40 rows: y from a, b, noise"
    assert said[2] == "ignoring non-numeric columns: label"
    assert said[3].startswith("best straight line: y = ") and "epoch 1" in said[4]
    assert list(Path().iterdir()) == [Path("line.csv")]


def test_the_result_for_scripts(table):
    """These keys are documented: others may be added, none removed."""
    result = fitted(table, "-t", "y", "--no-save", "--quiet", *QUICK)
    assert result["stopped_by"] == "exact" and result["epochs"] == 1
    assert result["features"] == ["a", "b", "noise"] and result["left_out"] == ["label"]
    assert result["target"] == "y" and result["rows"] == 40 and result["dropped_rows"] == 0
    assert result["run"] is None and result["seconds"] > 0 and result["candidates"] > 100
    chosen = [row for row in result["equations"] if row["is_best"]]
    assert [row["equation"] for row in chosen] == [result["best"]]
    assert set(chosen[0]) == {"complexity", "loss", "r2", "equation", "is_best"}
    assert chosen[0]["r2"] > 0.999999 and result["outliers"] == []


def test_quiet_says_nothing(table):
    assert ddsr("fit", table, "-t", "y", "--no-save", "--quiet", *QUICK).stderr == ""


def test_a_run_goes_into_a_folder(table):
    result = fitted(table, "-t", "y", "--out", "here/run", *QUICK)
    assert result["run"] == "here/run"
    assert {"run.json", "data.npz", "model.json", "log.jsonl"} <= {
        path.name for path in Path("here/run").iterdir()
    }


def test_without_a_name_the_folder_is_called_after_data_and_time(table):
    first, second = fitted(table, "-t", "y", *QUICK)["run"], fitted(table, "-t", "y", *QUICK)["run"]
    assert first != second
    assert sorted(map(str, Path("ddsr-runs").iterdir())) == sorted([first, second])
    assert first.startswith("ddsr-runs/line-2")


def test_folders_are_never_shared(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.strftime", lambda form: "now")
    names = []
    for _ in range(3):
        folder = free_folder("some/where/data.csv.gz")
        folder.mkdir(parents=True)
        names.append(folder.name)
    assert names == ["data-now", "data-now-2", "data-now-3"]


def test_several_targets_have_an_equation_and_a_folder_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{k},{2 * k + 1},{k * k}" for k in range(12)]
    Path("two.csv").write_text("\n".join(["a,b/c,b c", *rows]))
    done = ddsr("fit", "two.csv", "-t", "b/c", "-t", "b c", "--out", "runs", "--json", *QUICK)
    assert done.exit_code == 0, done.output
    one, other = map(json.loads, done.stdout.splitlines())
    assert one["features"] == other["features"] == ["a"]
    assert (one["target"], other["target"]) == ("b/c", "b c")
    assert [Path(each["run"]) for each in (one, other)] == [Path("runs/b_c"), Path("runs/b_c-2")]
    assert ddsr("predict", "runs/b_c-2", "two.csv").exit_code == 0
    again = ddsr("fit", "two.csv", "-t", "b/c", "-t", "b c", "--out", "runs", *QUICK)
    assert again.exit_code != 0 and "choose another folder" in again.stderr
    assert "given twice" in ddsr("fit", "two.csv", "-t", "a", "-t", "a").stderr


def test_a_bad_target_is_refused_before_the_search_for_another(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("bad.csv").write_text("\n".join(["a,b,c", *(f"{k},{2 * k},7" for k in range(12))]))
    done = ddsr("fit", "bad.csv", "-t", "b", "-t", "c", *QUICK)
    assert done.exit_code != 0 and "the target 'c' is 7 in every row" in done.stderr
    assert done.stdout == "" and not Path("ddsr-runs").exists()


def test_out_and_no_save_exclude_each_other(table):
    done = ddsr("fit", table, "-t", "y", "--out", "run", "--no-save")
    assert done.exit_code == 2 and "cannot be combined" in done.stderr


def test_columns_are_chosen_by_name(table):
    assert fitted(table, "-t", "y", "--features", "b,a", "--no-save", *QUICK)["features"] == ["b", "a"]
    ignored = fitted(table, "-t", "y", "--ignore", "label, noise", "--no-save", *QUICK)
    assert ignored["features"] == ["a", "b"] and ignored["left_out"] == []


def test_weights_count(tmp_path):
    """Rows of weight 0, which follow another law, are ignored."""
    rows = "".join(f"{k},{2 * k if k < 8 else -k},{int(k < 8)}\n" for k in range(1, 16))
    path = write_table(tmp_path / "d.csv", "a,y,w\n" + rows)
    result = fitted(path, "-t", "y", "--weights", "w", "--no-save", *QUICK)
    assert result["features"] == ["a"] and result["best"] == "2 * a"


def test_counts_repeat_rows(tmp_path):
    rows = [(k, 2 * k if k < 8 else -k, 3 * int(k < 8)) for k in range(1, 16)]
    path = write_table(tmp_path / "d.csv", "a,y,n\n" + "".join(f"{a},{y},{n}\n" for a, y, n in rows))
    result = fitted(path, "-t", "y", "--counts", "n", "--no-save", *QUICK)
    assert result["features"] == ["a"] and result["best"] == "2 * a" and result["outliers"] == []


@pytest.mark.slow
def test_the_same_seed_gives_the_same_equations(table):
    noisy = ("-t", "noise", "--selection", "best", "--no-save", "--epochs", 1)
    runs = [fitted(table, *noisy, "--jobs", jobs, "--seed", 3)["equations"] for jobs in (1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != fitted(table, *noisy, "--seed", 4)["equations"]


def test_operators_and_size_limit_the_equations(table):
    chosen = ("-t", "noise", "--selection", "accuracy", "--no-save")
    result = fitted(table, *chosen, "--operators", "-,*", "--max-size", 5, *QUICK)
    text = " ".join(row["equation"] for row in result["equations"])
    assert not any(word in text for word in ("sin", "exp", "log", "sqrt", "/", "^"))
    # scale and offset add four tokens
    assert max(row["complexity"] for row in result["equations"]) <= 5 + 4


def test_guesses_and_rules_are_obeyed(table):
    one = ("-t", "noise", "--selection", "best", "--no-save", *QUICK)
    result = fitted(table, *one, "--rule", "use b", "--rule", "forbid sin on a", "--operators", "+,*,sin")
    found = [row["equation"] for row in result["equations"] if len(row["equation"].split()) > 5]
    assert found and all("b" in equation and "sin(a" not in equation for equation in found)
    guess = "sin(3 * a * a) * exp(b / 7)"
    rows = write_table(Path("g.csv"), "a,b,y\n" + "".join(_guess_rows()))
    result = fitted(rows, "-t", "y", "--no-save", *QUICK, "--guess", guess)
    assert result["stopped_by"] == "exact" and result["candidates"] < 2_000
    done = ddsr("fit", table, "-t", "y", "--no-save", "--guess", "3 * * a")
    assert done.exit_code == 1 and "cannot read the guess '3 * * a'" in done.stderr.splitlines()[-1]


def _guess_rows():
    for a, b in np.random.default_rng(5).uniform(0.5, 2.5, (60, 2)):
        yield f"{a},{b},{np.sin(3 * a * a) * np.exp(b / 7)}\n"


def test_time_is_kept(table, monkeypatch):
    """Measured in readings of the clock, each of which takes time."""
    Clock(tick=300.0).install(monkeypatch)
    result = fitted(table, "-t", "noise", "--time", 3600, "--selection", "best", "--no-save")
    assert result["stopped_by"] == "max_time" and result["epochs"] < 12


def test_missing_values_can_be_dropped(tmp_path):
    rows = "".join(f"{k},{3 * k}\n" for k in range(8))
    path = write_table(tmp_path / "d.csv", "a,y\n,1\n" + rows)
    result = fitted(path, "-t", "y", "--drop-missing", "--no-save", *QUICK)
    assert result["rows"] == 8 and result["dropped_rows"] == 1 and result["best"] == "3 * a"


def test_tables_are_prepared_from_the_fit_to_new_rows(tmp_path, monkeypatch):
    colours = ["red", "blue", "blue", "red"] * 5
    lines = [
        f"{k % 7},{colour},2024-01-{k + 1:02d},{2 * (k % 7) + 3 * (colour == 'red') + 0.5 * k}"
        for k, colour in enumerate(colours)
    ]
    lines.append(",red,2024-01-21,1.0")
    path = write_table(tmp_path / "d.csv", "\n".join(["a,colour,day,y", *lines]))
    guess = "2 * a + 3 * `colour=red` + 0.5 * `day [d]`"
    options = ("--missing", "drop", "--categories", "one-hot", "--dates", "days", "--guess", guess)
    done = ddsr("fit", path, "-t", "y", "--out", tmp_path / "run", *options, "--json", *ONE_EPOCH)
    assert done.exit_code == 0, done.output
    for note in (
        "20 rows: y from a, colour, day",
        "colour is now colour=blue, colour=red",
        "day is now day [d]: days since 2024-01-01",
        "1 of 21 rows with missing values dropped",
    ):
        assert note in done.stderr.splitlines()
    result = json.loads(done.stdout)
    assert result["stopped_by"] == "exact" and result["features"] == ["a", "colour", "day"]
    assert len(result["prepared"]) == 3 and result["dropped_rows"] == 1
    new = write_table(
        tmp_path / "new.csv", "day,colour,a\n2024-01-31,red,1\n2024-01-01,green,2\n2024-01-01,red,\n"
    )
    done = ddsr("predict", tmp_path / "run", new)
    assert [float(line) for line in done.stdout.split()[1:3]] == pytest.approx([20.0, 4.0])
    assert done.stdout.split()[3] == "NaN" and "column 'colour' has 'green' in 1 row" in done.stderr
    assert json.loads(ddsr("show", tmp_path / "run", "--json").stdout)["features"] == ["a", "colour", "day"]
    page = Path(ddsr("report", tmp_path / "run").stdout.strip()).read_text()
    assert "colour is now colour=blue, colour=red" in page and "--categories one-hot" in page
    model = DDSRRegressor.load(tmp_path / "run" / "model.json")
    assert model.predict(pd.read_csv(new)[["a", "colour", "day"]].iloc[:1])[0] == pytest.approx(20.0)
    done = ddsr("resume", tmp_path / "run", "--epochs", 1, "--json")
    assert done.exit_code == 0, done.output
    assert RunFolder.open(tmp_path / "run").model().preparation_ == model.preparation_


def test_missing_inputs_can_be_replaced(tmp_path):
    rows = "".join(f"{k},{3 * k}\n" for k in range(9))
    path = write_table(tmp_path / "d.csv", "a,y\n,12\n" + rows + "20,\n")
    result = fitted(path, "-t", "y", "--missing", "impute", "--no-save", *QUICK)
    assert result["rows"] == 10 and result["dropped_rows"] == 1
    assert result["prepared"] == [
        "1 missing value of a replaced by 4.5, the median",
        "1 of 11 rows with a missing target or weight dropped",
    ]
    done = ddsr("fit", path, "-t", "y", "--missing", "impute", "--drop-missing")
    assert done.exit_code == 2 and "cannot be combined" in done.stderr


def test_outliers_are_reported_by_row_number(tmp_path, monkeypatch):
    """Rows are numbered as in the file, whatever was left out of it."""
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, size=60)
    y = 2 * x + 0.05 * rng.normal(size=60)
    y[30] += 3.0
    weights = np.ones(60, dtype=int)
    weights[40], y[40] = 0, 100.0
    lines = [f"{a},{b},{weight}" for a, b, weight in zip(x, y, weights, strict=True)]
    lines[7] = f",{y[7]},1"
    path = write_table(tmp_path / "wrong.csv", "\n".join(["x,y,w", *lines]))
    arguments = (path, "--target", "y", "--weights", "w", "--drop-missing", "--no-save", *QUICK)
    search_little(monkeypatch, ["2 * x"])
    assert fitted(*arguments)["outliers"] == [31]
    said = ddsr("fit", *arguments).stdout.splitlines()
    assert "Outliers: row 31." in said
    lines = [line.replace(",1", ",0.5") if line.endswith(",1") else line for line in lines]
    path = write_table(tmp_path / "weighed.csv", "\n".join(["x,y,w", *(f"{line}5" for line in lines)]))
    assert fitted(path, *arguments[1:])["outliers"] == []


def test_options_become_parameters_of_the_estimator():
    said = {
        "seconds": None,
        "epochs": None,
        "operators": (),
        "max_size": None,
        "guesses": (),
        "rules": (),
        "selection": None,
        "template": None,
    }
    said |= {"preset": "ddsr", "prior": "default", "seed": 0, "jobs": -1, "device": "auto"}
    assert estimator_parameters(**said)["max_time"] == 60.0  # without an option a fit is still limited
    assert estimator_parameters(**said | {"epochs": 5})["max_time"] is None
    both = estimator_parameters(**said | {"epochs": 5, "seconds": 2.0})
    assert both["max_time"] == 2.0 and both["max_epochs"] == 5
    assert estimator_parameters(**said | {"template": "A * x"})["template"] == "A * x"
    assert estimator_parameters(**said)["prior"] == "default"
    assert estimator_parameters(**said | {"prior": "none"})["prior"] is None
    assert estimator_parameters(**said | {"prior": "a.safetensors"})["prior"] == str(
        Path.cwd() / "a.safetensors"
    )


@pytest.mark.slow
def test_the_prior_can_be_a_file_of_weights(table, tmp_path):
    write_weights(tmp_path / "tiny.safetensors")
    fitted(table, "-t", "y", "--prior", "tiny.safetensors", "--out", "run", *ONE_EPOCH)
    asked = json.loads(Path("run", "run.json").read_text())
    assert asked["parameters"]["prior"] == str(tmp_path / "tiny.safetensors")
    Path("tiny.safetensors").write_bytes(b"not weights")
    for prior, said in (
        ("tiny.safetensors", "cannot read weights"),
        ("nowhere", "nowhere' with the weights"),
    ):
        done = ddsr("fit", table, "-t", "y", "--prior", prior, "--out", "other", *ONE_EPOCH)
        assert done.exit_code != 0 and said in done.stderr and "epoch" not in done.stderr
        assert not Path("other").exists()


def test_curves_for_tensorboard(table):
    pytest.importorskip("tensorboard")
    fitted(table, "-t", "y", "--no-save", "--tensorboard", "curves", *QUICK)
    assert [path.name for path in Path("curves").iterdir()][0].startswith("events.out")


def test_names_of_any_kind(tmp_path):
    rows = "".join(f"{k},{k % 3 + 1},{k * (k % 3 + 1)}\n" for k in range(1, 20))
    path = write_table(tmp_path / "d.csv", "speed (m/s),Länge,E\n" + rows)
    best = fitted(path, "-t", "E", "--no-save", *QUICK)["best"]
    assert "speed (m/s)" in best and "Länge" in best


def test_the_logistic_loss_predicts_probabilities(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{k},{int(k % 7 + k > 22)}" for k in range(40)]
    Path("d.csv").write_text("\n".join(["a,yes", *rows]))
    done = ddsr("fit", "d.csv", "-t", "yes", "--formula", "A * a + B", "--loss", "logistic", "--out", "run")
    assert done.exit_code == 0, done.output
    assert "log-odds of yes = " in done.stdout and "χ²" not in done.stdout
    predicted = ddsr("predict", "run", "d.csv")
    assert "log loss for yes: 0." in predicted.stderr
    chances = [float(line) for line in predicted.stdout.splitlines()[1:]]
    assert all(0.0 <= chance <= 1.0 for chance in chances) and chances[0] < 0.1 < 0.9 < chances[-1]
