"""Checks of scikit-learn that the estimator fails on purpose, with the reasons."""

FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": (
        "scikit-learn takes a weight of 2 for a second copy of the row. Weights of DDSRRegressor are "
        "relative: multiplying all of them by a constant changes nothing. Counts repeat rows."
    )
}


def expected_failures(estimator):
    """The format of `parametrize_with_checks` and `check_estimator`."""
    return FAILURES
