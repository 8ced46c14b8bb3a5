"""The laws of the benchmarks of templates and losses."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import losses, templates

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS

TEMPLATES = templates.read_laws()
LAWS = [law for law, _ in TEMPLATES] + [law for _, law in losses.read_laws()]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.name)
def test_a_law_has_its_own_form_and_no_other(law):
    vocabulary = Vocabulary(law.columns, tuple(OPERATORS))
    assert np.isfinite(law.values(law.rows(50, 0))).all()
    assert law.is_form_of(Expression.parse(law.formula, vocabulary))
    assert not law.is_form_of(Expression.parse(f"1.7 + 0.3 * tanh({law.columns[0]})", vocabulary))


def test_half_of_each_law_is_known():
    assert len(TEMPLATES) == 30 and len({law.name for law, _ in TEMPLATES}) == 30
    for law, template in TEMPLATES:
        assert all(name in template for name in law.columns)


@pytest.mark.parametrize(("loss", "kind"), losses.KINDS.items())
def test_targets_are_what_the_loss_expects(loss, kind):
    laws = [law for each, law in losses.read_laws() if each == kind]
    assert len(laws) == 10
    for law in laws:
        X, y = losses.drawn(law, loss, seed=0)
        assert X.shape == (len(y), len(law.columns))
        assert (y >= 0.0).all() and (y == np.round(y)).all()
        if loss == "logistic":
            assert set(y) == {0.0, 1.0} and 0.05 < y.mean() < 0.95


def test_one_row_in_twenty_is_an_outlier():
    law = LAWS[0]
    X, y = losses.drawn(law, "huber", seed=0)
    clean = losses.drawn(law, "squared", seed=0)[1]
    assert (y != clean).sum() == round(losses.OUTLIERS * len(X))
