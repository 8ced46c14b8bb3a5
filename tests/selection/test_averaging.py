"""Predictions of several forms: the uncertainty of their constants."""

import numpy as np

from ddsr.selection.averaging import covariance_of


def test_a_constant_without_effect_is_undetermined():
    information = np.diag([1e-320, 4.0])
    covariance = covariance_of((True, True), information, 2.0, 10)
    np.testing.assert_allclose(covariance, np.diag([0.0, 2.0 / 8.0 / 4.0]))
