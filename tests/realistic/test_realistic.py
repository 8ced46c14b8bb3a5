"""The suite of realistic tables: its curves, and its verdicts on known answers."""

import numpy as np
import pytest
from benchmarks.realistic.curves import curves
from benchmarks.realistic.judging import fit_truth, is_form_right, is_useful, swings
from benchmarks.realistic.shapes import n_numbers
from benchmarks.realistic.tables import dense_rows, draw, truth_of, vocabulary_of

from ddsr import Expression

CURVES = {curve.name: curve for curve in curves()}


def parsed(name: str, text: str) -> Expression:
    return Expression.parse(text, vocabulary_of(CURVES[name]))


def test_there_are_enough_of_each_kind():
    assert len(curves("develop")) >= 30 and len(curves("report")) >= 30
    assert {len(curve.inputs) for curve in curves()} == {1, 2, 3, 4}
    assert {curve.kind for curve in curves()} == {"relative", "absolute"}
    assert {each.spacing for curve in curves() for each in curve.inputs} == {"even", "geometric"}
    assert all(8 <= curve.n_rows <= 60 for curve in curves())
    assert len({curve.field for curve in curves()}) == 14
    assert len(CURVES) == len(curves())


@pytest.mark.parametrize("curve", curves(), ids=lambda curve: curve.name)
def test_tables_have_the_noise_that_is_stated(curve):
    table, other = draw(curve, 0), draw(curve, 1)
    clean = truth_of(curve).to_callable()(table.X)
    assert np.array_equal(table.y, draw(curve, 0).y) and not np.array_equal(table.y, other.y)
    scale = np.abs(clean) if curve.kind == "relative" else np.std(clean)
    size = np.sqrt(np.mean(((table.y - clean) / scale) ** 2))
    assert 0.4 * curve.noise < size < 1.8 * curve.noise
    assert np.isfinite(truth_of(curve).to_callable()(dense_rows(curve, 0.25))).all()


@pytest.mark.parametrize("name", ["Michaelis-Menten", "drag", "damped oscillation", "Newton cooling"])
def test_the_truth_passes(name):
    curve = CURVES[name]
    table = draw(curve, 0)
    truth = fit_truth(curve, table)
    assert is_form_right(curve, truth) and is_useful(curve, table, truth) and not swings(curve, truth)


def test_other_numbers_are_the_same_form_and_other_forms_are_not():
    curve = CURVES["Michaelis-Menten"]
    assert is_form_right(curve, parsed(curve.name, "5 * S / (3 + S)"))
    assert is_form_right(curve, parsed(curve.name, "1 / (0.3 / S + 0.1)"))
    assert not is_form_right(curve, parsed(curve.name, "4.1 * atan(0.8 * S)"))
    # with so many constants it could fit any curve
    wavy = " + ".join(f"{k}.1 * S^{k} / (1.{k} + S^{k})" for k in range(1, 4))
    assert not is_form_right(curve, parsed(curve.name, wavy))


def test_exponents_that_are_fitted_count():
    curve = CURVES["mass-luminosity"]
    assert is_form_right(curve, parsed(curve.name, "1.1 * M^4"))  # with free numbers it is the law
    # it fits the law only with all four numbers free, two more than the law has
    assert not is_form_right(curve, parsed(curve.name, "1.1 * M^4 + 0.3 * M^3"))


def test_an_oscillation_between_rows_is_detected():
    curve = CURVES["first-order decay"]
    assert swings(curve, parsed(curve.name, "12.4 * exp(-0.37 * t) + 0.4 * sin(19 * t)"))
    assert not swings(curve, parsed(curve.name, "12.4 / (1 + t)"))


def test_an_answer_that_is_wrong_beyond_the_rows_is_not_useful():
    curve = CURVES["first-order decay"]
    table = draw(curve, 0)
    assert not is_useful(curve, table, parsed(curve.name, "12.4 - 4.1 * t + 0.31 * t^2"))


def test_constants_are_counted_as_a_reader_would():
    assert n_numbers(parsed("Michaelis-Menten", "7.3 * S / (1.9 + S)")) == 2
    assert n_numbers(parsed("Michaelis-Menten", "7.3 * S^2 / (1 + S)")) == 1
    assert n_numbers(parsed("Michaelis-Menten", "2.1 * 3.4 * S^0.7")) == 2
