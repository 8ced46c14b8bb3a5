"""The benchmark of interval coverage, on models with known coverage."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from benchmarks.realistic import coverage
from benchmarks.realistic.curves import curves
from benchmarks.realistic.tables import draw, truth_of

CURVES = {curve.name: curve for curve in curves()}


class Known:
    """Predicts the law with a given error, and intervals as wide as the noise requires."""

    def __init__(self, curve, off=0.0, has_forms=True):
        self.curve, self.off = curve, off
        self.outcomes_ = [SimpleNamespace(forms=("a form",) * has_forms)]

    def predict_interval(self, X, level, *, of_measurements):
        from scipy.special import ndtri

        law = truth_of(self.curve).to_callable()(X.to_numpy())
        noise = coverage.noise_at(self.curve, draw(self.curve, 0), law)
        reach = ndtri(0.5 + 0.5 * level) * noise if of_measurements else 1e-9 * np.abs(law)
        return np.column_stack([law + self.off * noise - reach, law + self.off * noise + reach])


@pytest.mark.parametrize("name", ["Michaelis-Menten", "drag", "damped oscillation"])
def test_correct_intervals_have_their_stated_coverage(name):
    curve = CURVES[name]
    shares = coverage.shares_of(Known(curve), curve, draw(curve, 0))
    for place in coverage.PLACES:
        for level in coverage.LEVELS:
            assert shares[coverage.key(place, "measurements", level)] == pytest.approx(level)
            assert shares[coverage.key(place, "law", level)] == 1.0


def test_wrong_intervals_cover_less():
    curve = CURVES["damped oscillation"]
    shares = coverage.shares_of(Known(curve, off=2.0), curve, draw(curve, 0))
    assert shares[coverage.key("within", "law", 0.95)] == 0.0
    assert 0.4 < shares[coverage.key("within", "measurements", 0.95)] < 0.6


def test_an_undefined_interval_covers_nothing():
    ends, law = np.array([[np.nan, np.nan], [0.0, 2.0]]), np.array([1.0, 1.0])
    assert coverage.covered_law(ends, law, law).tolist() == [0.0, 1.0]
    assert coverage.covered_measurements(ends, law, law)[0] == 0.0


def test_rows_beyond_are_outside_the_range():
    for curve in curves():
        rows = coverage.rows_of(curve)
        low = np.array([each.least for each in curve.inputs])
        high = np.array([each.largest for each in curve.inputs])
        assert (rows["within"] >= low - 1e-12 * np.abs(low)).all()
        assert (rows["within"] <= high + 1e-12 * np.abs(high)).all()
        assert ((rows["beyond"] < low) | (rows["beyond"] > high)).any(axis=1).all()
        assert len(rows["beyond"]) > 0


def test_fits_that_are_in_the_file_are_not_done_again(tmp_path, monkeypatch, capsys):
    path = tmp_path / "fits.jsonl"
    curve = curves("develop")[0]
    shares = coverage.shares_of(Known(curve), curve, draw(curve, 0)) | {"beyond law 0.5": None}
    task = {"curve": curve.name, "draw": 0, "seconds": 2.0}
    path.write_text(json.dumps({"task": task, "shares": shares}) + '\n{"task": {"cu')
    monkeypatch.setattr(coverage, "run", None)
    coverage.main(["--seconds", "2", "--curves", "1", "--out", str(path)])
    said = capsys.readouterr().out
    assert "2 s, 1 fit\n" in said and "within  measurements    50 %:  50.0" in said
    assert "beyond  law             50 %: no fit" in said


def test_a_model_without_weights_counts_for_nothing():
    curve = CURVES["drag"]
    shares = coverage.shares_of(Known(curve, has_forms=False), curve, draw(curve, 0))
    assert set(shares.values()) == {None}
