"""Listed equations are fitted on all rows at the end of a search."""

from dataclasses import replace

import numpy as np
import pytest

from ddsr import DDSRRegressor, Engine, Expression, Vocabulary
from ddsr.config import DenoiserConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.refitting import refitted, seconds_to_refit

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 3.0, size=(3000, 1))  # more rows than a search fits on
Y = 2.5 * X[:, 0] + RNG.standard_t(2, size=3000)
VOCABULARY = Vocabulary(["x0"], ["add", "mul", "exp"])
ENGINE = Engine(VOCABULARY, X, Y)
SLOPE = float(X[:, 0] @ Y / (X[:, 0] @ X[:, 0]))
TINY = {"operators": ("add", "mul"), "batch_size": 20, "max_length": 7}
TINY_OF = {
    "paper": TINY | {"denoiser": DenoiserConfig(feed_forward_width=16)},
    "dsr": TINY,
    "uniform": TINY,
}


def entry(text, nrmse=None):
    expression = Expression.parse(text, VOCABULARY)
    reached = float(ENGINE.refit([expression], max_steps=0).nrmse[0])
    return FrontEntry(expression, reached if nrmse is None else nrmse, 1.0, 0.0)


@pytest.mark.parametrize("preset", TINY_OF)
def test_all_that_is_listed_is_fitted_on_all_rows(preset):
    model = DDSRRegressor(preset, max_epochs=1, random_state=0, device="cpu", config=TINY_OF[preset])
    front = model.fit(X, Y).front_
    line = next(entry for entry in front if entry.size == 3)
    assert line.expression.constants[0] == pytest.approx(SLOPE, rel=1e-6)
    again = ENGINE.refit([Expression.parse(entry.equation.text(), VOCABULARY) for entry in front])
    np.testing.assert_allclose(again.nrmse, [entry.nrmse for entry in front], rtol=1e-9)
    assert model.best_ in front.entries


def test_a_time_limit_leaves_time_to_refit():
    config = TINY | {"max_evaluations": 20}
    model = DDSRRegressor("uniform", max_time=600, random_state=0, config=config).fit(X, Y)
    line = next(entry for entry in model.front_ if entry.size == 3)
    assert line.expression.constants[0] == pytest.approx(SLOPE, rel=1e-6)
    assert seconds_to_refit(10.0) == 0.2 and seconds_to_refit(3600.0) == 1.0


def test_no_error_grows_and_the_order_stays():
    rough = ParetoFront((entry("x0"), entry("2.4 * x0"), entry("2.3 * x0 + 0.5")))
    front = refitted(rough, rough.entries[1], ENGINE, NEVER)
    assert [each.size for each in front] == [1, 3, 5]
    assert all(new.nrmse <= old.nrmse for new, old in zip(front, rough, strict=True))
    assert front.entries[0] is rough.entries[0]  # it has no constants
    assert front.entries[1].expression.constants[0] == pytest.approx(SLOPE, rel=1e-9)


def test_an_entry_that_the_refit_does_not_improve_is_unchanged():
    luck = replace(entry("2.4 * x0"), nrmse=0.0)
    assert refitted(ParetoFront((luck,)), luck, ENGINE, NEVER).entries == (luck,)


def test_an_entry_that_a_smaller_one_now_matches_is_dropped():
    front = ParetoFront((entry("1.0 * x0"), entry("x0 + (x0 + x0)")))
    assert front.entries[0].nrmse > front.entries[1].nrmse
    assert [each.size for each in refitted(front, front.entries[0], ENGINE, NEVER)] == [3]


def test_after_the_deadline_nothing_changes():
    front = ParetoFront((entry("x0"), entry("2.4 * x0")))
    assert refitted(front, front.entries[1], ENGINE, Deadline(0.0)) == front


def test_a_front_without_constants_is_left_alone():
    front = ParetoFront((entry("x0"),))
    assert refitted(front, front.entries[0], ENGINE, NEVER) is front
