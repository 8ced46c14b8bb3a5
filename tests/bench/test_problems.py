import gzip
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats
from sklearn.model_selection import train_test_split

from ddsr.cli.entry import main
from ddsr.errors import BenchError
from ddsr_bench.problems.formula import evaluate_formula, parse_formula
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite, sample_rows
from ddsr_bench.problems.trial import make_data, split_rows

PMLB = Path(__file__).resolve().parents[3] / "shared" / "data" / "pmlb"
NEWTON = BenchmarkProblem("newton", "m*a", ("m", "a"), ((1.0, 5.0), (-2.0, 2.0)), 10_000)


@pytest.mark.parametrize(
    "suite, count", [("feynman", 119), ("strogatz", 14), ("nguyen", 12), ("ground-truth", 133)]
)
def test_suites_are_whole(suite, count):
    problems = load_suite(suite)
    assert len({problem.name for problem in problems}) == len(problems) == count


@pytest.mark.parametrize("suite", ["feynman", "strogatz", "nguyen"])
def test_every_formula_is_finite_and_varies_in_its_ranges(suite):
    for problem in load_suite(suite):
        rows = sample_rows(problem, 2_000, np.random.default_rng(1))
        y = evaluate_formula(problem.formula, problem.variables, rows)
        assert np.isfinite(y).all(), problem.name
        assert y.std() > 0, problem.name
        names = {str(symbol) for symbol in parse_formula(problem.formula, problem.variables).free_symbols}
        # Strogatz's systems have two variables, of which an equation may use only one.
        assert names == set(problem.variables) or problem.source == "pmlb", problem.name


def test_names_that_sympy_knows_otherwise_are_variables():
    names = ("I", "E", "S", "N", "Q", "beta", "gamma", "lambda", "pi")
    form = parse_formula(" + ".join(names) + " + 1e1*E", names)
    assert {str(symbol) for symbol in form.free_symbols} == set(names)
    assert evaluate_formula("lambda^2*I", ("lambda", "I"), np.array([[3.0, 2.0]])) == 18.0


@pytest.mark.parametrize("text", ["x +", "x + z", "x < 2", "", "x)", "f(x)(x)"])
def test_invalid_formulas_are_refused_with_their_text(text):
    with pytest.raises(BenchError, match="formula|variables"):
        parse_formula(text, ("x",))


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').getcwd()",
        "x + input()",
        "eval(chr(49))",
        "x.is_real",
        "(x).func(2)",
        "[x][0]",
        "__name__ + x",
        "exit(x)",
        "\uff45val(x)",  # a full-width letter, which Python normalises
    ],
)
def test_a_formula_is_no_program(text, monkeypatch):
    monkeypatch.setattr("sympy.parsing.sympy_parser.eval_expr", lambda *_: pytest.fail("it was executed"))
    with pytest.raises(BenchError, match="not a formula|not supported in a formula"):
        parse_formula(text, ("x",))


def test_operators_functions_and_numbers_are_parsed():
    text = "Piecewise((x, x > 1.e-3), (0, True)) + Max(x, .5)*abs(x) - max(1, x)^2 + Abs(_y)*id"
    form = parse_formula(text, ("x", "_y", "id"))
    assert {str(symbol) for symbol in form.free_symbols} == {"x", "_y", "id"}


def test_rows_are_drawn_evenly_and_split_three_to_one():
    data = make_data(NEWTON, seed=3, noise=0.0)
    assert len(data.X_train) == len(data.y_train) == 7_500
    assert len(data.X_test) == len(data.y_test) == 2_500
    assert list(data.X_train.columns) == ["m", "a"]
    m = np.concatenate([data.X_train["m"], data.X_test["m"]])
    assert stats.kstest(m, stats.uniform(1, 4).cdf).pvalue > 1e-3
    for X, y in ((data.X_train, data.y_train), (data.X_test, data.y_test)):
        np.testing.assert_allclose(y, X["m"] * X["a"])


@pytest.mark.parametrize("n_rows", [4, 5, 7, 20, 400, 10_000])
@pytest.mark.parametrize("seed", [0, 16_850])
def test_the_split_is_that_of_srbench(n_rows, seed):
    expected = train_test_split(np.arange(n_rows), train_size=0.75, test_size=0.25, random_state=seed)
    for rows, expected_rows in zip(split_rows(n_rows, seed), expected, strict=True):
        assert np.array_equal(rows, expected_rows)


def test_the_seed_and_the_name_decide_the_data():
    first, again, other = (make_data(NEWTON, seed, 0.1) for seed in (1, 1, 2))
    assert first.X_train.equals(again.X_train) and np.array_equal(first.y_train, again.y_train)
    assert not first.X_train.equals(other.X_train)
    renamed = BenchmarkProblem("hooke", *list(vars(NEWTON).values())[1:])
    assert not first.X_train.equals(make_data(renamed, 1, 0.1).X_train)


@pytest.mark.parametrize("noise", [0.001, 0.01, 0.1])
def test_noise_is_a_share_of_the_rms_and_spares_the_test(noise):
    clean, noisy = make_data(NEWTON, 0, 0.0), make_data(NEWTON, 0, noise)
    assert np.array_equal(clean.y_test, noisy.y_test) and clean.X_train.equals(noisy.X_train)
    deviate = (noisy.y_train - clean.y_train) / (noise * np.sqrt(np.mean(clean.y_train**2)))
    assert stats.kstest(deviate, stats.norm.cdf).pvalue > 1e-3


@pytest.mark.skipif(not PMLB.is_dir(), reason=f"no copy of pmlb's data in {PMLB}")
def test_trajectories_obey_their_equations():
    for problem in load_suite("strogatz"):
        data = make_data(problem, 0, 0.0, PMLB)
        assert len(data.y_train) == 300 and len(data.y_test) == 100
        values = evaluate_formula(problem.formula, problem.variables, data.X_test.to_numpy())
        np.testing.assert_allclose(values, data.y_test, atol=1e-9)


def test_missing_trajectories_say_how_to_get_them(tmp_path):
    problem = load_suite("strogatz")[0]
    for folder in (None, tmp_path):
        with pytest.raises(BenchError, match=r"ddsr\[bench\].*--data DIR"):
            make_data(problem, 0, 0.0, folder)
    (tmp_path / problem.name).mkdir()
    path = tmp_path / problem.name / f"{problem.name}.tsv.gz"
    path.write_bytes(gzip.compress(b"target\tx\n1\t2\n"))
    with pytest.raises(BenchError, match="no column y"):
        make_data(problem, 0, 0.0, tmp_path)


def test_a_users_own_table(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("name,formula,ranges,n\nohm,U/R,U:1:5;R:-2:-1,40\nlens,1/(1/a+1/b),a:1:2;b:1:2,8\n")
    ohm, lens = load_suite(str(path))
    assert ohm == BenchmarkProblem("ohm", "U/R", ("U", "R"), ((1.0, 5.0), (-2.0, -1.0)), 40)
    assert len(make_data(lens, 0, 0.0).y_train) == 6


HEADER = "name,formula,ranges,n\n"


@pytest.mark.parametrize(
    "line, message",
    [
        ("a,x +,x:0:1,9", "a: not a formula: 'x \\+'"),
        ("a,sine(x),x:0:1,9", "a: .*uses an unknown function: sine"),
        ("a,zeta(x) + besselj(x 2),x:2:3,9", "a: not a formula"),
        ("a,zeta(x),x:2:3,9", "a: 'zeta\\(x\\)' cannot be evaluated"),
        ("a,x*y,x:0:1,9", "a: .*uses y, but the variables are x"),
        ("a,sqrt(x),x:-1:1,9", "a: .*not finite everywhere"),
        ("a,2*pi,x:0:1,9", "a: .*is constant"),
        ("a,,x:0:1,9", "a: the row has no formula"),
        (",x,x:0:1,9", "the row has no name"),
        ("a,atan2(x,y),x:0:1;y:0:1,9", "a: more cells than columns.*double quotes"),
        ("a,x", "a: ranges must have"),
    ],
)
def test_a_formula_that_cannot_be_used_is_refused_with_its_line(tmp_path, line, message):
    path = tmp_path / "bad.csv"
    path.write_text(f"{HEADER}good,x,x:0:1,9\n{line}\n")
    with pytest.raises(BenchError, match=f"bad.csv:\n  line 3: {message}"):
        load_suite(str(path))


def test_all_faults_are_listed_before_any_run(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(f"{HEADER}a,x +,x:0:1,9\nb,x,x:0:1,9\nc,x,x:1:0,9\n\nb,x,x:0:1,9\nd,x,x:0:1,3\n")
    store = tmp_path / "store"
    options = ["--suite", str(path), "--method", "linear", "--time", "1", "--store", str(store)]
    done = CliRunner().invoke(main, ["bench", "run", *options])
    faults = [line.split(":")[0].strip() for line in done.output.splitlines()[1:]]
    assert done.exit_code == 1 and faults == ["line 2", "line 4", "line 6", "line 7"]
    assert "b appears twice, first in line 3" in done.output and not store.exists()


def test_a_table_as_spreadsheets_write_it(tmp_path):
    path = tmp_path / "mine.csv"
    text = '\ufeffname, formula, ranges, n\r\nangle, "atan2(x, y)", x:1:2;y:1:2, 40\r\n'
    path.write_bytes(text.encode())
    (problem,) = load_suite(str(path))
    assert problem == BenchmarkProblem("angle", "atan2(x, y)", ("x", "y"), ((1.0, 2.0), (1.0, 2.0)), 40)
    path.write_bytes("name,formula,ranges,n\nå,x,x:0:1,9\n".encode("latin-1"))
    with pytest.raises(BenchError, match="as a table"):
        load_suite(str(path))


@pytest.mark.parametrize(
    "table, message",
    [
        ("name,formula\na,x\n", "no column ranges, n"),
        ("name,formula,ranges,n\n", "no problems"),
        ("name,formula,ranges,n\na,x,x:1,5\n", "line 2.*ranges must have"),
        ("name,formula,ranges,n\na,x,x:5:1,5\n", "lower to a higher"),
        ("name,formula,ranges,n\na,x,x:0:inf,5\n", "lower to a higher"),
        ("name,formula,ranges,n\na,x,x:0:1,many\n", "whole number"),
        ("name,formula,ranges,n\na,x,x:0:1,2\n", "at least 4"),
        ("name,formula,ranges,n\na,x,x:0:1;x:0:1,9\n", "two ranges"),
        ("name,formula,ranges,n\na,x,2 x:0:1,9\n", "not valid names"),
        ("name,formula,ranges,n\na,x,x:0:1,9\na,x,x:0:1,9\n", "a appears twice"),
    ],
)
def test_a_bad_table_is_refused_with_its_place(tmp_path, table, message):
    path = tmp_path / "bad.csv"
    path.write_text(table)
    with pytest.raises(BenchError, match=message):
        load_suite(str(path))


def test_an_unknown_suite_names_the_known():
    with pytest.raises(
        BenchError, match="'feinman'.*feynman, strogatz, nguyen, ground-truth, black-box.*CSV"
    ):
        load_suite("feinman")


def test_undrawable_requests_are_refused():
    with pytest.raises(BenchError, match="not finite"):
        make_data(BenchmarkProblem("bad", "log(x)", ("x",), ((-1.0, 1.0),), 10), 0, 0.0)
    for noise in (-0.1, float("nan"), float("inf")):
        with pytest.raises(BenchError, match="noise"):
            make_data(NEWTON, 0, noise)
