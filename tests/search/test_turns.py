"""How time is shared between contributors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.errors import MethodError
from ddsr.search.contributors.contract import TimeShare
from ddsr.search.contributors.names import GENERATOR, REFINER
from ddsr.search.turns import KEPT, Balance

AMOUNTS = st.floats(0.0, 1e6)
CREDITS = st.lists(st.tuples(st.sampled_from([REFINER, GENERATOR]), AMOUNTS, AMOUNTS))


def shared(least=0.1, most=0.5, head_start=0.0, **settings):
    return Balance(REFINER, {GENERATOR: TimeShare(least, most, head_start)}, **settings)


def simulated(balance, n_epochs, gain_a_second, turn=2.0):
    """The generator's share of the time, if the refiner gains 1 per second in epochs of one second."""
    for _ in range(n_epochs):
        balance.credit(REFINER, 1.0, 1.0)
        if balance.is_turn_of(GENERATOR):
            balance.credit(GENERATOR, gain_a_second * turn, turn)
    return balance.totals[GENERATOR] / sum(balance.totals.values())


def test_gains_per_second_earn_time():
    balance = shared(least=0.03, most=0.9)
    balance.credit(REFINER, gain=6.0, seconds=3.0)
    assert balance.share(GENERATOR) == 0.03  # nothing is known about the generator yet
    balance.credit(GENERATOR, gain=1.0, seconds=0.25)
    assert balance.share(GENERATOR) == pytest.approx(4 / (2 + 4))


def test_old_gains_are_forgotten():
    balance = shared(least=0.01, most=0.99)
    balance.credit(GENERATOR, 1.0, 1.0)
    balance.credit(REFINER, 1.0, 1.0)
    assert balance.share(GENERATOR) == pytest.approx(0.5)
    for _ in range(10):
        balance.credit(GENERATOR, 0.0, 1.0)
    assert balance.gains[GENERATOR] == pytest.approx(KEPT**10)
    assert balance.totals[GENERATOR] == 11.0  # the time is not forgotten
    assert balance.share(GENERATOR) < 0.1


@pytest.mark.parametrize(
    ("gain_a_second", "expected"), [(0.0, 0.1), (0.25, 0.2), (1.0, 0.5), (100.0, 0.5)], ids=str
)
def test_the_generator_gets_its_share_of_the_time(gain_a_second, expected):
    assert simulated(shared(), 2000, gain_a_second) == pytest.approx(expected, abs=0.01)


def test_without_gains_the_generator_has_the_least_share():
    balance = shared()
    balance.credit(REFINER, 0.0, 1.0)
    balance.credit(GENERATOR, 0.0, 1.0)
    assert balance.share(GENERATOR) == 0.1


def test_the_refiner_has_a_head_start():
    balance = shared(head_start=2.5)
    turns = []
    for _ in range(4):
        balance.credit(REFINER, 1.0, 1.0)
        turns.append(balance.is_turn_of(GENERATOR))
    assert turns == [False, False, True, True]


def test_without_a_clock_turns_go_by_epochs():
    """Seconds, gains and the head start must not matter, because they differ from run to run."""
    for seconds in (0.01, 100.0):
        balance = shared(least=0.25, head_start=1e9, is_timed=False)
        turns = []
        for _ in range(12):
            balance.credit(REFINER, 1.0 / seconds, seconds)
            turns.append(balance.is_turn_of(GENERATOR))
            if turns[-1]:
                balance.credit(GENERATOR, 5.0, seconds)
        assert turns == [False, False, False, True] * 3


def test_the_share_may_be_zero_or_one():
    assert simulated(shared(least=0.0, most=1.0), 50, 1.0) == 0.0
    assert simulated(shared(least=0.0, most=1.0, is_timed=False), 50, 1.0) == 0.0
    always = shared(least=1.0, most=1.0, is_timed=False)
    always.credit(REFINER, 0.0, 1.0)
    assert always.is_turn_of(GENERATOR)


@given(CREDITS, st.floats(0.001, 1.0), st.floats(0.001, 1.0))
def test_the_share_stays_within_its_limits(credits, one, other):
    least, most = min(one, other), max(one, other)
    balance = shared(least, most)
    for credit in credits:
        balance.credit(*credit)
        assert least <= balance.share(GENERATOR) <= most
    assert balance.n_epochs == sum(part == REFINER for part, _, _ in credits)


def test_several_contributors_earn_their_turns():
    """Each gets time by what it gains per second, compared with all others."""
    balance = Balance(REFINER, {"one": TimeShare(0.05, 0.9), "other": TimeShare(0.05, 0.9)})
    for _ in range(2000):
        balance.credit(REFINER, 1.0, 1.0)
        for name, gain in (("one", 2.0), ("other", 1.0)):
            if balance.is_turn_of(name):
                balance.credit(name, 4.0 * gain, 4.0)
    spent = sum(balance.totals.values())
    assert balance.totals["one"] / spent == pytest.approx(0.5, abs=0.02)
    assert balance.totals["other"] / spent == pytest.approx(0.25, abs=0.02)


def test_a_saved_balance_without_a_contributor_counts_it_from_now_on():
    saved = shared().saved()
    balance = Balance(REFINER, {GENERATOR: TimeShare(0.1, 0.5), "mine": TimeShare(0.1, 0.5)})
    balance.restore(saved)
    assert balance.totals == {REFINER: 0.0, GENERATOR: 0.0, "mine": 0.0}


@pytest.mark.parametrize("limits", [(0.5, 0.4), (-0.1, 0.4), (0.1, 1.1), (0.1, 0.4, -1.0)])
def test_limits_of_a_share_are_checked(limits):
    with pytest.raises(MethodError, match="time share"):
        TimeShare(*limits)
