"""Fits of plain forms start where their constants have natural values."""

import numpy as np
import pytest
from benchmarks.realistic.curves import Curve, Input
from benchmarks.starts import engines_of, far_laws, is_reached

from ddsr import Engine, Vocabulary
from ddsr.data.dataset import Dataset
from ddsr.data.losses import Loss
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import CheapForms

LAWS = {law.name: law for law in far_laws()}


def test_laws_far_from_the_origin_are_reached():
    """Two of the laws may be missed, since fits depend on the last bits of the processor."""
    with np.errstate(all="ignore"):
        reached = [is_reached(engines_of(law, 0)["constant"], 1500, 6, 40) for law in LAWS.values()]
    assert sum(reached) >= len(reached) - 2


def test_a_narrow_peak_on_a_background_is_reached():
    line = Curve(
        "narrow line",
        "far",
        "0.7 + 3.1*exp(-((w - 6563)/1.1)^2)",
        (Input("w", 6550.0, 6576.0),),
        27,
        0.0,
        "constant",
        "develop",
    )
    with np.errstate(all="ignore"):
        reached = [is_reached(engines_of(line, seed)["constant"], 1500, 6, 40) for seed in range(3)]
    assert sum(reached) >= 2


def test_relative_errors_are_weighed_in_the_choice_of_starts():
    with np.errstate(all="ignore"):
        reached = [
            is_reached(engines_of(LAWS[name], 0)["relative"], 400, 6, 40)
            for name in ("rate constant", "rate constant in a furnace", "vapour pressure", "growth by years")
        ]
    assert sum(reached) >= 3


@pytest.mark.parametrize("loss", ["absolute", "poisson"])
def test_forms_are_fitted_under_other_losses(loss):
    x = np.linspace(0.5, 6.0, 20)[:, None]
    y = np.round(40.0 * np.exp(-0.3 * x[:, 0]))
    data = Dataset.of(x, y, names=["x"], loss=Loss.of(loss))
    engine = Engine(Vocabulary(["x"], ("add", "mul", "div", "exp")), data)
    found = CheapForms(engine, code_in_use(), 8.0, 100).fit(n_starts=3, max_steps=20)
    assert found and all(np.isfinite(form.mean_square) for form in found)


def test_a_constant_input_has_finite_fits():
    vocabulary = Vocabulary(["x"], ("add", "sub", "mul", "div", "pow", "exp"))
    engine = Engine(vocabulary, np.full((8, 1), 3.0), np.arange(8.0))
    found = CheapForms(engine, code_in_use(), 9.0, 200).fit(n_starts=6, max_steps=20)
    assert found and all(np.isfinite(form.mean_square) for form in found)
