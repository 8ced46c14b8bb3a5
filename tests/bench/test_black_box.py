"""Problems without an equation: SRBench's protocol, a user's own table, the size of the models."""

import gzip
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from ddsr.cli.entry import main
from ddsr.errors import BenchError
from ddsr_bench.judge.judge import JudgeProcess
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite
from ddsr_bench.problems.trial import make_data, standardise
from ddsr_bench.runner.one import Limits

PMLB = Path(__file__).resolve().parents[3] / "shared" / "data" / "pmlb"
MEASURED = BenchmarkProblem("measured", None, ("x0", "x1"), (), 60, source="pmlb", is_standardised=True)


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"city-mpg": rng.normal(50, 9, 60), "class": rng.integers(0, 3, 60)})
    table["target"] = 1e4 + 30 * table["city-mpg"]
    (tmp_path / "measured").mkdir()
    table.to_csv(tmp_path / "measured" / "measured.tsv.gz", sep="\t", index=False)
    return tmp_path


def test_the_suite_is_srbenchs_without_three():
    problems = load_suite("black-box")
    assert len({problem.name for problem in problems}) == len(problems) == 119
    assert all(problem.formula is None and problem.is_standardised for problem in problems)
    assert problems[0] == BenchmarkProblem(
        "1027_ESL", None, ("x0", "x1", "x2", "x3"), (), 488, source="pmlb", is_standardised=True
    )


@pytest.mark.skipif(not PMLB.is_dir(), reason=f"no copy of pmlb's data in {PMLB}")
def test_the_table_of_the_suite_is_that_of_its_data():
    for problem in load_suite("black-box")[::10]:
        data = make_data(problem, 0, 0.0, PMLB)
        n_test = int(np.ceil(problem.n_rows / 4))
        n_train = problem.n_rows - n_test if problem.n_rows <= 10_000 else 10_000
        assert (len(data.y_train), len(data.y_test)) == (n_train, n_test)
        assert len(data.X_train.columns) == len(problem.variables)
        assert abs(data.y_train.mean()) < 1e-9 and data.y_train.std() == pytest.approx(1)


def test_split_and_scales_are_those_of_scikit_learn(folder):
    data = make_data(MEASURED, 3, 0.0, folder)
    table = pd.read_csv(folder / "measured" / "measured.tsv.gz", sep="\t")
    train, test = train_test_split(table, train_size=0.75, test_size=0.25, random_state=3)
    scaler = StandardScaler().fit(train)
    found = np.column_stack([data.X_train, data.y_train]), np.column_stack([data.X_test, data.y_test])
    np.testing.assert_allclose(found[0], scaler.transform(train), atol=1e-9)
    np.testing.assert_allclose(found[1], scaler.transform(test), atol=1e-9)
    assert list(data.X_train.columns) == ["x0", "x1"]


@pytest.mark.parametrize("n_rows", [10_000, 10_001, 30_000])
def test_training_rows_of_large_sets_are_drawn_as_in_srbench(tmp_path, n_rows):
    """After the split, with repetition, by NumPy's global generator; all test rows are kept."""
    table = pd.DataFrame({"a": np.arange(n_rows), "target": np.arange(n_rows) % 7.0})
    table.to_csv(tmp_path / "large.csv", index=False)
    data = make_data(load_suite(str(tmp_path / "large.csv"))[0], 5, 0.0)
    train, test = train_test_split(np.arange(n_rows), train_size=0.75, test_size=0.25, random_state=5)
    if n_rows > 10_000:
        np.random.seed(5)
        train = train[np.random.choice(np.arange(len(train)), size=10_000)]
    np.testing.assert_array_equal(data.X_train["a"], train)
    np.testing.assert_array_equal(data.X_test["a"], test)
    np.testing.assert_array_equal(data.y_train, train % 7.0)


@given(arrays.arrays(np.float64, (7, 3), elements=st.floats(-1e6, 1e6, allow_subnormal=False)))
def test_standardising_is_scikit_learns(columns):
    columns[:, 0] = 0.1  # constant except for the rounding of its mean
    scaler = StandardScaler().fit(columns[:5])
    for found, rows in zip(standardise(columns[:5], columns[5:]), (columns[:5], columns[5:]), strict=True):
        np.testing.assert_allclose(found, scaler.transform(rows), rtol=1e-6, atol=1e-6)


def test_noise_is_on_the_standardised_target(folder):
    clean, noisy = (make_data(MEASURED, 0, noise, folder) for noise in (0.0, 0.1))
    assert np.array_equal(clean.y_test, noisy.y_test)
    assert 0.05 < np.std(noisy.y_train - clean.y_train) < 0.2


def test_without_its_data_it_says_how_to_get_them(tmp_path):
    for place in (None, tmp_path):
        with pytest.raises(BenchError, match=r"ddsr\[bench\].*1027_ESL.*--data DIR"):
            make_data(load_suite("black-box")[0], 0, 0.0, place)


def test_data_that_changed_are_refused(folder):
    with pytest.raises(BenchError, match="has 2 features, but 1 are known"):
        make_data(replace(MEASURED, variables=("x0",)), 0, 0.0, folder)


@pytest.mark.parametrize(
    "name, text, variables",
    [
        ("ohm.csv", "U,R,current\n" + "1,2,0.5\n2,2,1\n" * 4, ("U", "R")),
        ("ohm.tsv", "target\tU\tR\n" + "0.5\t1\t2\n1\t2\t2\n" * 4, ("U", "R")),
        ("ohm.data.csv", "U in V;R;current\n" + "1;2;0.5\n2;2;1\n" * 4, ("x0", "x1")),
        ("ohm.csv.gz", "exp,R,current\n" + "1,2,0.5\n2,2,1\n" * 4, ("x0", "x1")),
    ],
)
def test_a_users_own_data(tmp_path, name, text, variables):
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    (problem,) = load_suite(str(path))
    assert problem.variables == variables and problem.formula is None and problem.n_rows == 8
    assert problem.name in ("ohm", "ohm.data") and not problem.is_standardised
    data = make_data(problem, 0, 0.0)
    np.testing.assert_allclose(data.X_train.iloc[:, 0] / data.X_train.iloc[:, 1], data.y_train)


@pytest.mark.parametrize(
    "text, message",
    [
        ("a,b\n1,2\n3,oops\n", "column 'b', row 2: 'oops' is not a finite number"),
        ("a,b\n1,2\n,1\n", "column 'a', row 2: .*not a finite number"),
        ("a\n1\n", "has only one column"),
        ("a,b\n1,2\n", "has 1 rows"),
        ("", "cannot read"),
    ],
)
def test_bad_data_are_refused_with_their_place(tmp_path, text, message):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(BenchError, match=message):
        load_suite(str(path))


def test_the_size_is_that_of_the_simplified_model_or_of_the_raw_one():
    slow = "+".join(f"sin(x0+{i})**{i}*exp(x1*{i})/(x0**{i}+x1)" for i in range(2, 40))
    with closing(JudgeProcess()) as process:
        simple = process.judge("x0 + x0 + 0.00001*x1", MEASURED, 0.9, 20.0)
        assert simple.simplified == "2*x0" and simple.complexity == 3 and simple.error is None
        assert simple.solved_srbench is None and simple.solved_paper is None
        raw = process.judge(slow, MEASURED, 0.9, 1.0)
        assert raw.error == "timeout" and raw.simplified is None and raw.complexity > 300
        assert raw.solved_srbench is None


def test_a_run_is_a_row_without_a_verdict(folder, template, warm_slot):
    task = replace(template, problem=MEASURED, data_dir=str(folder))
    found, failed = (
        warm_slot.perform(replace(task, method=method), Limits()) for method in ("linear", "raising")
    )
    assert found.error is None and found.r2_test > 0.999
    assert found.simplified == "x0" and found.complexity == 1
    assert failed.error is not None
    assert all(row.solved_srbench is None and row.solved_paper is None for row in (found, failed))


@pytest.mark.slow
def test_the_command_takes_a_table_of_data(tmp_path):
    path = tmp_path / "ohm.csv"
    path.write_text("U,R,current\n" + "".join(f"{u},{u % 3 + 1},{u / (u % 3 + 1)}\n" for u in range(1, 21)))
    options = ["--suite", str(path), "--method", "linear", "--time", "1", "--store", str(tmp_path / "store")]
    done = CliRunner().invoke(main, ["bench", "run", "--memory", "8", *options])
    assert done.exit_code == 0, done.output
    assert "1/1 ohm linear noise=0 seed=0: R² " in done.output and "U" in done.output
