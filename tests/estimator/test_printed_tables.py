"""Tables of equations print within a terminal's width, and are otherwise data frames."""

import pickle

import pandas as pd
import pytest

from ddsr.estimator.printed_tables import EquationTable, FormTable


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> EquationTable:
    monkeypatch.setenv("COLUMNS", "60")
    return EquationTable(
        {
            "complexity": [1, 7],
            "loss": [2.5, 0.01],
            "r2": [0.181311, 0.9990961],
            "equation": ["x", "7.347468446327473 * x / (1.881238566942392 + x)"],
            "is_best": [False, True],
        }
    )


def test_the_chosen_equation_is_marked_and_has_few_digits(table: EquationTable) -> None:
    assert str(table).splitlines() == [
        "      complexity       r2  equation",
        "0              1 0.181311  x",
        "1  →           7 0.999096  7.347 * x / (1.881 + x)",
    ]


@pytest.mark.parametrize(("is_best", "r2"), [((False, True, False), 0.5), ((False, False, True), 0.6)])
def test_equations_with_the_same_text_are_one_line(is_best: tuple[bool, ...], r2: float) -> None:
    """They differ in digits that are not shown; the arrow stays at the chosen one."""
    texts = ["x", "x^1.50001", "x^1.50002"]
    table = EquationTable(
        {"complexity": [1, 3, 3], "r2": [0.1, 0.5, 0.6], "equation": texts, "is_best": is_best}
    )
    _, first, last = str(table).splitlines()
    assert first.endswith("x") and "→" in last and f"{r2:.6f}  x^1.5" in last
    assert len(table) == 3


def test_long_equations_are_cut(table: EquationTable) -> None:
    table.loc[1, "equation"] = " + ".join(["sin(x)"] * 20)
    lines = str(table).splitlines()
    assert max(map(len, lines)) == 60 and lines[-1].endswith("…")


def test_selected_rows_print_alike_and_other_columns_as_ever(table: EquationTable) -> None:
    assert "→" in str(table[table["r2"] > 0.5]) and "→" in str(table.tail(1))
    columns = table[["complexity", "loss"]]
    assert str(columns) == str(pd.DataFrame(columns.to_dict()))
    assert str(table.head(0)).startswith("Empty")


def test_it_is_a_data_frame(table: EquationTable) -> None:
    assert isinstance(table, pd.DataFrame) and list(table.columns)[:2] == ["complexity", "loss"]
    again = pickle.loads(pickle.dumps(table))
    pd.testing.assert_frame_equal(again, table)
    assert str(again) == str(table)
    assert "loss" in table.to_csv() and table["r2"].max() == 0.9990961


def test_forms_print_their_weights() -> None:
    forms = FormTable({"weight": [0.75], "n_constants": [1], "equation": ["2.123456 * x"]})
    assert str(forms).splitlines() == ["    weight  equation", "0 0.750000  2.123 * x"]
