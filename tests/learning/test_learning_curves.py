"""Learning curves are restored as they were saved."""

import copy

import numpy as np
import pytest

from ddsr.learning.curves import EpochStats, UpdateStats, restored_curves, saved_curves

EPOCHS = [
    EpochStats(0.5, 0.25, float("nan"), 1.0, None, {"sample": 0.1}),
    EpochStats(
        0.75,
        0.5,
        0.3,
        0.9,
        UpdateStats(1.0, 0.1, 2.0, 0.0),
        {"sample": 0.1, "update": 0.2},
        {"a": 1.0},
        invalid_share=0.2,
        repeated_share=0.1,
    ),
]


def test_curves_are_restored():
    assert repr(restored_curves(saved_curves(EPOCHS))) == repr(EPOCHS)


def test_curves_without_shares_are_restored():
    saved = saved_curves(EPOCHS)
    del saved["shares"]
    for stats, expected in zip(restored_curves(saved), EPOCHS, strict=True):
        assert np.isnan(stats.invalid_share) and np.isnan(stats.repeated_share)
        assert stats.best_reward == expected.best_reward


@pytest.mark.parametrize("kind", [np.complex128, np.str_, np.bool_])
@pytest.mark.parametrize("path", ["rewards", "shares", "updates", "seconds/values", "gains/values"])
def test_values_that_are_not_real_numbers_are_refused(path, kind):
    saved = copy.deepcopy(saved_curves(EPOCHS))
    *folders, name = path.split("/")
    place = saved[folders[0]] if folders else saved
    place[name] = np.nan_to_num(place[name]).astype(kind)
    with pytest.raises(ValueError, match="not real numbers"):
        restored_curves(saved)
