"""How time is shared between contributors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.search.turns import GENERATOR, KEPT, REFINER, Balance

AMOUNTS = st.floats(0.0, 1e6)
CREDITS = st.lists(st.tuples(st.sampled_from([REFINER, GENERATOR]), AMOUNTS, AMOUNTS))


def shared(least=0.1, most=0.5, head_start=0.0, **settings):
    return Balance(least_share=least, most_share=most, head_start=head_start, **settings)


def simulated(balance, n_epochs, gain_a_second, turn=2.0):
    """The generator's share of the time, if the refiner gains 1 per second in epochs of one second."""
    for _ in range(n_epochs):
        balance.credit(REFINER, 1.0, 1.0)
        if balance.is_generators_turn:
            balance.credit(GENERATOR, gain_a_second * turn, turn)
    return balance.totals[GENERATOR] / sum(balance.totals.values())


def test_gains_per_second_earn_time():
    balance = shared(least=0.03, most=0.9)
    balance.credit(REFINER, gain=6.0, seconds=3.0)
    assert balance.share == 0.03  # nothing is known about the generator yet
    balance.credit(GENERATOR, gain=1.0, seconds=0.25)
    assert balance.share == pytest.approx(4 / (2 + 4))


def test_old_gains_are_forgotten():
    balance = shared(least=0.01, most=0.99)
    balance.credit(GENERATOR, 1.0, 1.0)
    balance.credit(REFINER, 1.0, 1.0)
    assert balance.share == pytest.approx(0.5)
    for _ in range(10):
        balance.credit(GENERATOR, 0.0, 1.0)
    assert balance.gains[GENERATOR] == pytest.approx(KEPT**10)
    assert balance.totals[GENERATOR] == 11.0  # the time is not forgotten
    assert balance.share < 0.1


@pytest.mark.parametrize(
    ("gain_a_second", "expected"), [(0.0, 0.1), (0.25, 0.2), (1.0, 0.5), (100.0, 0.5)], ids=str
)
def test_the_generator_gets_its_share_of_the_time(gain_a_second, expected):
    assert simulated(shared(), 2000, gain_a_second) == pytest.approx(expected, abs=0.01)


def test_without_gains_the_generator_has_the_least_share():
    balance = shared()
    balance.credit(REFINER, 0.0, 1.0)
    balance.credit(GENERATOR, 0.0, 1.0)
    assert balance.share == 0.1


def test_the_refiner_has_a_head_start():
    balance = shared(head_start=2.5)
    turns = []
    for _ in range(4):
        balance.credit(REFINER, 1.0, 1.0)
        turns.append(balance.is_generators_turn)
    assert turns == [False, False, True, True]


def test_without_a_clock_turns_go_by_epochs():
    """Seconds, gains and the head start must not matter, because they differ from run to run."""
    for seconds in (0.01, 100.0):
        balance = shared(least=0.25, head_start=1e9, is_timed=False)
        turns = []
        for _ in range(12):
            balance.credit(REFINER, 1.0 / seconds, seconds)
            turns.append(balance.is_generators_turn)
            if turns[-1]:
                balance.credit(GENERATOR, 5.0, seconds)
        assert turns == [False, False, False, True] * 3


def test_the_share_may_be_zero_or_one():
    assert simulated(shared(least=0.0, most=1.0), 50, 1.0) == 0.0
    assert simulated(shared(least=0.0, most=1.0, is_timed=False), 50, 1.0) == 0.0
    always = shared(least=1.0, most=1.0, is_timed=False)
    always.credit(REFINER, 0.0, 1.0)
    assert always.is_generators_turn


@given(CREDITS, st.floats(0.001, 1.0), st.floats(0.001, 1.0))
def test_the_share_stays_within_its_limits(credits, one, other):
    balance = shared(least=min(one, other), most=max(one, other))
    for credit in credits:
        balance.credit(*credit)
        assert balance.least_share <= balance.share <= balance.most_share
    assert balance.n_epochs == sum(part == REFINER for part, _, _ in credits)
