"""The laws of the real sets, on synthetic tables, because the sets are not in the repository."""

import gzip

import numpy as np
import pytest
from benchmarks.realistic.laws import LAWS, path_of, read_set, rows_between, shape_of_law, why_absent
from benchmarks.realistic.shapes import has_form
from benchmarks.realistic.tables import OPERATORS, Table

from ddsr import Expression, Vocabulary

RNG = np.random.default_rng(0)
# Constants other than those from which fits start, and ranges like those of the sets.
MADE = {
    "kepler": ("350 * v1^1.5", np.array([[0.39], [0.72], [1.0], [1.5], [5.2], [9.5]])),
    "newton": (
        "log(7e-11 * v2 * v3 / v1^2)",
        np.exp(RNG.uniform([20, 50, 50], [30, 66, 66], size=(30, 3))),
    ),
    "rydberg": ("-log(1.2e7 * (1 / v1^2 - 1 / v2^2))", np.sort(RNG.uniform(1, 9, size=(40, 2)), axis=1)),
    "bode": ("0.5 + 0.2 * exp(0.6 * v1)", np.array([[-1000.0], *([float(n)] for n in range(1, 8))])),
    "absorption": ("log(1 / (0.05 + exp(-0.25 * v1)))", np.linspace(0.0, 45.0, 14)[:, None]),
}


def parsed(text: str, n_columns: int) -> Expression:
    return Expression.parse(text, Vocabulary([f"v{n + 1}" for n in range(n_columns)], OPERATORS))


def shape_of(name: str):
    truth, X = MADE[name]
    return shape_of_law(LAWS[name], Table(X, parsed(truth, X.shape[1]).to_callable()(X)))


@pytest.mark.parametrize("name", MADE)
def test_a_law_is_fitted_to_its_table(name):
    truth, X = MADE[name]
    shape = shape_of(name)
    assert shape.is_finite and len(shape.X) >= 400
    predicted = parsed(truth, X.shape[1]).to_callable()(shape.X)
    np.testing.assert_allclose(shape.values, predicted, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "answer", "is_found"),
    [
        ("kepler", "365 * v1^1.5", True),
        ("kepler", "365 * v1 * sqrt(v1)", True),
        ("kepler", "366 * v1^1.4999", True),
        ("kepler", "90 * v1^2 + 280 * v1 - v1^3", False),
        ("newton", "log(v2 * v3) - 2 * log(v1) - 23.4", True),
        ("newton", "log(v2 * v3 / v1) - 40.1", False),
        ("rydberg", "2 * log(v1 * v2) - log(v2^2 - v1^2) - 16.2", True),
        ("rydberg", "log(v1^3) - 16.2", False),
        ("bode", "0.4 + 0.3 * 1.9^v1", True),
        ("bode", "0.4 + 0.3 * v1^2", False),
        ("absorption", "0.25 * v1 - log(1 + 0.05 * exp(0.25 * v1))", True),
        ("absorption", "3.1 * (1 - exp(-0.1 * v1))", False),
        ("absorption", "3.4 * tanh(0.06 * v1)", False),
    ],
)
def test_a_law_is_recognised_in_any_notation(name, answer, is_found):
    assert has_form(shape_of(name), parsed(answer, MADE[name][1].shape[1])) == is_found


def test_rows_in_between_keep_relations_of_the_rows():
    X = MADE["rydberg"][1]
    assert (rows_between(X)[:, 0] < rows_between(X)[:, 1]).all()
    sparse = rows_between(MADE["bode"][1])
    assert ((sparse >= 1.0) & (sparse <= 7.0)).mean() > 0.5  # one distant value does not take all rows
    wide = np.array([[1.0], [10.0], [1e4]])
    assert np.median(rows_between(wide)) < 100.0


def test_sets_are_read_as_pmlb_writes_them(tmp_path):
    assert "lacks the real sets hubble" in why_absent(tmp_path)
    for name in LAWS:
        path_of(tmp_path, name).write_bytes(b"")
    assert why_absent(tmp_path) is None
    text = "D\ttarget\n0.5\t200\n1\t410\n2\t790\n"
    path_of(tmp_path, "hubble").write_bytes(gzip.compress(text.encode()))
    found = read_set(tmp_path, "hubble")
    assert found.table.X.tolist() == [[0.5], [1.0], [2.0]] and found.table.y.tolist() == [200.0, 410.0, 790.0]
    assert found.shape.law.constants[0] == pytest.approx(398.095, abs=0.01)
