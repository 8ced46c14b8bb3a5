"""Which columns are used, and the messages on those that cannot be."""

import re

import numpy as np
import pytest

from command_cases import write_table
from ddsr.cli.fitting import first_equation
from ddsr.cli.reading import Columns, read_new_data, read_training_data
from ddsr.cli.source import MOST_COLUMNS
from ddsr.data.preparation import TableOptions
from ddsr.errors import DDSRError

TABLE = "a,b,label,y,w\n" + "".join(f"{k},{k * k},t{k},{2 * k + 1},{k + 1}\n" for k in range(6))


@pytest.fixture
def path(tmp_path):
    return write_table(tmp_path / "d.csv", TABLE)


def changed(tmp_path, old: str, new: str) -> str:
    assert old in TABLE
    return write_table(tmp_path / "d.csv", TABLE.replace(old, new, 1))


def test_numbers_are_used_and_text_is_ignored(path):
    data = read_training_data(path, Columns("y"))
    assert data.features == ("a", "b", "w") and data.text_columns == ("label",)
    assert data.X[:, 1].tolist() == [0, 1, 4, 9, 16, 25]
    assert data.y.tolist() == [1, 3, 5, 7, 9, 11] and data.weights is None


def test_columns_by_name(path):
    data = read_training_data(path, Columns("y", ("b",), weights="w"))
    assert data.features == ("b",) and data.X.shape == (6, 1)
    assert data.weights.tolist() == [1, 2, 3, 4, 5, 6]
    assert read_training_data(path, Columns("y", ignored=("w", "b"))).features == ("a",)
    assert read_training_data(path, Columns("y", ("b", "a"))).X[2].tolist() == [
        4,
        2,
    ]  # in the order requested


def test_booleans_are_numbers_and_dates_are_not(tmp_path):
    rows = "".join(f"{bool(k % 2)},2026-01-0{k + 1},{k}\n" for k in range(6))
    data = read_training_data(write_table(tmp_path / "d.csv", "is,day,y\n" + rows), Columns("y"))
    assert data.features == ("is",) and data.X[:, 0].tolist() == [0, 1, 0, 1, 0, 1]


def test_dates_of_parquet_are_not_numbers(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    days = pandas.date_range("2026-01-01", periods=6)
    frame = pandas.DataFrame({"day": days, "a": range(6), "lists": [[1]] * 6, "y": range(6)})
    frame.to_parquet(tmp_path / "d.parquet")
    data = read_training_data(str(tmp_path / "d.parquet"), Columns("y"))
    assert data.features == ("a",) and data.text_columns == ("day", "lists")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (Columns("Y"), "no column 'Y'; did you mean 'y'"),
        (Columns("lable"), "no column 'lable'; did you mean 'label'"),
        (Columns("temperature"), "no column 'temperature'; it has 'a', 'b', 'label', 'y', 'w'"),
        (Columns("y", ("q7",)), "no column 'q7'"),
        (Columns("y", ignored=("q7",)), "no column 'q7'"),
        (Columns("y", weights="q7"), "no column 'q7'"),
        (Columns("y", ("a", "y")), "'y' cannot be both a feature and the target"),
        (Columns("y", ("w",), weights="w"), "'w' cannot be both a feature and the weights"),
        (Columns("y", ("a",), ignored=("a",)), "'a' cannot be both a feature and ignored"),
        (Columns("y", weights="y"), "target and the weights"),
        (Columns("y", counts="y"), "target and the counts"),
        (Columns("y", weights="w", counts="w"), "weights and the counts"),
        (Columns("y", ("label",)), "column 'label' of .* has 't0' in row 1 .*not a number"),
        (Columns("label"), "column 'label' of .* has 't0' in row 1 .*: encode text as numbers"),
        (Columns("y", ignored=("a", "b", "label", "w")), "no column from which to predict the target"),
        (
            Columns("y", ignored=("a", "b", "w")),
            "no numeric column from which to predict the target 'y'; column 'label' has 't0' in row 1",
        ),
    ],
)
def test_wrong_columns_are_named(path, columns, message):
    with pytest.raises(DDSRError, match=message):
        read_training_data(path, columns)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("2,4,t2", "2,four,t2", "column 'b' of .* has 'four' in row 3, which is not a number: .* --ignore"),
        ("2,4,t2", "2,inf,t2", "column 'b' of .* is infinite or too large .* in row 3"),
        ("t5,11,", "t5,-Infinity,", "column 'y' of .* is infinite or too large .* in row 6"),
        ("2,4,t2", "2,,t2", "1 of 6 rows of .* missing values, in 'b': .* --missing drop"),
        ("2,4,t2,5", "2,NA,t2,nan", "1 of 6 rows of .* missing values, in 'b' or 'y'|in 'b', 'y'"),
        ("2,4,t2,5,3\n3,9,t3,7,4\n", "", "has 4 rows: at least 5"),
    ],
)
def test_wrong_values_are_named_with_column_and_row(tmp_path, old, new, message):
    with pytest.raises(DDSRError, match=message):
        read_training_data(changed(tmp_path, old, new), Columns("y"))


def test_rows_with_missing_values_can_be_left_out(tmp_path):
    data = read_training_data(
        changed(tmp_path, "2,4,t2", "2,,t2"), Columns("y"), TableOptions(missing="drop")
    )
    assert data.n_dropped == 1 and data.y.tolist() == [1, 3, 7, 9, 11]
    # values that are not used may be missing
    data = read_training_data(changed(tmp_path, "2,4,t2", "2,,t2"), Columns("y", ignored=("b",)))
    assert data.n_dropped == 0 and len(data.y) == 6
    path = changed(tmp_path, "2,4,t2,5,3\n3,9,t3,7,4", "2,,t2,5,3\n,9,t3,7,4")
    with pytest.raises(DDSRError, match=r"has 4 rows \(2 dropped"):
        read_training_data(path, Columns("y"), TableOptions(missing="drop"))


MIXED = "a,colour,day,name,y\n" + "".join(
    f"{k or ''},{('red', 'blue')[k % 2]},2024-01-{k + 1:02d},n{k},{3 * k + 1}\n" for k in range(8)
)
ALL = TableOptions(missing="impute", categories="one-hot", dates="days")


def test_categories_and_dates_become_columns_on_request(tmp_path):
    data = read_training_data(write_table(tmp_path / "d.csv", MIXED), Columns("y"), ALL)
    assert data.features == ("a", "colour=blue", "colour=red", "day [d]")
    assert data.inputs == ("a", "colour", "day")
    assert data.text_columns == ("name",)  # another one in every row
    assert data.X[:, 0].tolist() == [4, 1, 2, 3, 4, 5, 6, 7] and data.X[:, 3].tolist() == list(range(8))
    assert data.n_dropped == 0 and len(data.preparation.notes) == 3
    some = read_training_data(str(tmp_path / "d.csv"), Columns("y", ("name", "a")), ALL)
    assert len(some.features) == 9


@pytest.mark.parametrize("options", [TableOptions(categories="one-hot"), TableOptions(dates="days")])
def test_lists_and_dates_are_no_categories(tmp_path, options):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    days = pandas.date_range("2026-01-01", periods=3).repeat(2)
    frame = pandas.DataFrame({"day": days, "a": range(6), "lists": [[1]] * 6, "y": range(6)})
    frame.to_parquet(tmp_path / "d.parquet")
    data = read_training_data(str(tmp_path / "d.parquet"), Columns("y"), options)
    has_days = options.dates == "days"
    assert data.features == (("day [d]", "a") if has_days else ("a",))
    assert data.text_columns == (("lists",) if has_days else ("day", "lists"))


def test_new_rows_are_prepared_in_any_order_of_columns(tmp_path):
    data = read_training_data(write_table(tmp_path / "d.csv", MIXED), Columns("y"), ALL)
    new = write_table(tmp_path / "new.csv", "day,a,colour\n2024-01-11,,red\n2023-12-31,7,green\n")
    rows = read_new_data(new, data.inputs, "y", data.preparation)
    assert rows.X.tolist() == [[4, 0, 1, 10], [7, 0, 0, -1]] and rows.is_complete.all()
    assert rows.unknown[0].startswith("column 'colour' has 'green' in 1 row")


def test_empty_columns_are_left_out_unless_they_are_asked_for(tmp_path):
    path = write_table(tmp_path / "d.csv", "a,b,y\n" + "".join(f"{k},,{k}\n" for k in range(6)))
    assert read_training_data(path, Columns("y")).empty_columns == ("b",)
    with pytest.raises(DDSRError, match="column 'b' of .* has no values"):
        read_training_data(path, Columns("y", ("a", "b")))


@pytest.mark.parametrize("n_columns", [500, pytest.param(MOST_COLUMNS // 2, marks=pytest.mark.slow)])
def test_thousands_of_columns_are_read_and_explained(tmp_path, n_columns):
    """The time once grew with the square of the number of columns, to minutes."""
    names = [f"x{k}" for k in range(n_columns - 1)]
    rows = ([str(row * row + column % 7) for column in range(n_columns)] for row in range(6))
    text = "\n".join(",".join(row) for row in [[*names, "y"], *rows])
    path = write_table(tmp_path / "d.csv", text + "\n")
    data = read_training_data(path, Columns("y"))
    assert first_equation(data, {}).startswith("best straight line: y = ")


@pytest.mark.parametrize(
    ("parameters", "pattern"),
    [
        ({}, r"best straight line: y = \S+ \* a( [+-] \S+)? \("),
        ({"rules": ("forbid * on a",)}, r"best straight line: y = (?!.*\* a\b)"),
        ({"operators": ("+", "sin")}, r"first equation: y = [^*/-]+ \("),
        ({"rules": ("use a, b",)}, r"first equation: y = .*\b[ab]\b.*\b[ab]\b.* \("),
    ],
)
def test_the_first_equation_obeys_rules_and_operators(tmp_path, parameters, pattern):
    rows = "\n".join(f"{k},{k * k % 7},{3 * k + 0.5}" for k in range(1, 13))
    data = read_training_data(write_table(tmp_path / "d.csv", f"a,b,y\n{rows}\n"), Columns("y"))
    assert re.match(pattern, first_equation(data, parameters))


def test_a_constant_target_is_refused(tmp_path):
    path = write_table(tmp_path / "d.csv", "a,y\n" + "".join(f"{k},7\n" for k in range(6)))
    with pytest.raises(DDSRError, match="the target 'y' is 7 in every row"):
        read_training_data(path, Columns("y"))


def test_new_data_may_lack_the_target_and_values(tmp_path):
    path = write_table(tmp_path / "new.csv", "z,b,a\nq,1,2\nq,,3\n")
    data = read_new_data(path, ("a", "b"), "y")
    assert data.X[0].tolist() == [2, 1] and data.is_complete.tolist() == [True, False]
    assert data.y is None
    path = write_table(tmp_path / "new.csv", "b,y,a\n1,2,3\n4,5,6\n")
    assert read_new_data(path, ("a", "b"), "y").y.tolist() == [2, 5]
    assert np.isfinite(read_new_data(path, ("a", "b"), None).X).all()


def test_new_data_must_have_the_models_columns_as_numbers(tmp_path):
    path = write_table(tmp_path / "new.csv", "a,c\n1,x\n2,inf\n")
    with pytest.raises(DDSRError, match="no column 'b'"):
        read_new_data(path, ("a", "b"))
    with pytest.raises(DDSRError, match="'x' in row 1"):
        read_new_data(path, ("a", "c"))


def test_whole_numbers_of_many_digits_are_named(tmp_path):
    rows = "".join(f"{k},{'7' * 400 if k == 3 else k},{2 * k}\n" for k in range(1, 8))
    path = write_table(tmp_path / "large.csv", "a,b,y\n" + rows)
    with pytest.raises(DDSRError, match="column 'b' of .* is infinite or too large .* in row 3"):
        read_training_data(path, Columns("y"))
