"""In small tables plain forms are candidates, whatever the search finds."""

import time

import numpy as np
import pytest

from ddsr import DDSRRegressor, Vocabulary
from ddsr.config import DefaultConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.expression import OPERATORS
from ddsr.price.description_length import FEW_ROWS
from ddsr.price.enumeration import AT_A_TIME, CheapForms
from ddsr.price.table_code import TableCode
from ddsr.search.plain_forms import MOST_VARIABLES, plain_forms
from ddsr.search.presets import parse_method, pose

LITTLE = {"evaluations_per_epoch": 1000, "max_length": 12}


def posed(n_rows=20, n_columns=1, **settings):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 9.0, size=(n_rows, n_columns))
    y = 7.3 * X[:, 0] / (1.9 + X[:, 0]) + 0.1 * rng.normal(size=n_rows)
    names = [f"x{column}" for column in range(n_columns)]
    config = DefaultConfig(**{"evaluations_per_epoch": 1000, **settings})
    return pose(parse_method("ddsr"), Vocabulary(names, config.operators), X, y, config=config, device="cpu")


def little(**parameters):
    """A model with little search."""
    return DDSRRegressor(
        "ddsr:generator=none", max_epochs=1, random_state=0, config=LITTLE, prior=None, **parameters
    )


def test_the_law_is_among_them():
    texts = [model.expression.text(precision=2) for model in plain_forms(posed(), NEVER)]
    assert any(text.endswith("+ x0)") and "* x0 / (" in text for text in texts)
    assert len(texts) == len(set(texts))


def test_the_limits_of_the_search_hold_for_them():
    for model in plain_forms(posed(max_length=3, max_constants=0), NEVER):
        assert len(model.expression) <= 7 and len(model.free_constants) <= 2


def test_some_are_fitted_even_after_the_end():
    assert plain_forms(posed(), Deadline(0.0))


@pytest.mark.parametrize(("n_rows", "fewest"), [(20, 1500), (FEW_ROWS, 300)])
def test_the_common_laws_are_fitted_even_on_a_busy_machine(monkeypatch, n_rows, fewest):
    given, problem = [], posed(n_rows)

    def noted(self, *, fewest, **settings):
        given.append(fewest)
        return []

    monkeypatch.setattr(CheapForms, "fit", noted)
    plain_forms(problem, Deadline(0.0))
    assert given == [fewest]


def test_the_limit_on_evaluations_holds_for_them(monkeypatch):
    limits = []

    def limited(engine, code, most_nats, most):
        limits.append(most)
        return CheapForms(engine, code, most_nats, most)

    monkeypatch.setattr("ddsr.search.plain_forms.CheapForms", limited)
    for end in (NEVER, Deadline(time.monotonic() + 3600.0)):
        assert plain_forms(posed(max_evaluations=150), end)
    assert limits == [150, 150]


@pytest.mark.parametrize(
    ("n_rows", "n_columns"), [(FEW_ROWS + 1, 1), (20, MOST_VARIABLES + 1)], ids=["rows", "columns"]
)
def test_large_tables_have_no_plain_forms(n_rows, n_columns):
    assert plain_forms(posed(n_rows, n_columns), NEVER) == ()


def test_only_operators_that_were_given_are_used():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 9.0, size=(15, 1))
    y = 3.0 * X[:, 0] + 1.0 + 0.1 * rng.normal(size=15)
    model = little(operators=("+", "*")).fit(X, y)
    for entry in model.front_:
        names = {entry.equation.vocabulary.names[token] for token in entry.equation.tokens}
        assert not names & (set(OPERATORS) - {"add", "mul"})


def test_rules_hold_for_them():
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 9.0, size=(15, 1))
    y = 12.0 * np.exp(-0.4 * X[:, 0]) + 0.1 * rng.normal(size=15)
    model = DDSRRegressor(
        "ddsr:generator=none",
        max_epochs=1,
        random_state=0,
        rules=["forbid exp on x0"],
        config=LITTLE,
        prior=None,
    )
    model.fit(X, y)
    assert not any("exp" in entry.equation.text() for entry in model.front_)


def test_fitting_stops_when_the_time_is_up():
    cheap = CheapForms(posed().engine, TableCode.shipped(), 14.0, most=2 * AT_A_TIME)
    assert len(cheap) == 2 * AT_A_TIME
    fitted = cheap.fit(n_starts=1, max_steps=2, deadline=Deadline(0.0))
    assert len(cheap.fit(n_starts=1, max_steps=2, deadline=Deadline(0.0), fewest=AT_A_TIME + 1)) > AT_A_TIME
    assert 0 < len(fitted) <= AT_A_TIME and max(form.nats for form in fitted) <= cheap.nats[AT_A_TIME - 1]
