import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from ddsr_bench.report.rates import Rate, interval_bars, paired_p_value, rate_of


def test_wilson_by_hand():
    # 1 of 4: centre (0.25 + 3.8415/8) / (1 + 3.8415/4), half width 1.96·sqrt(0.1875/4 + 3.8415/64) / 1.9604
    rate = rate_of([True, False, False, False])
    assert rate.percent == 25 and (round(rate.low, 2), round(rate.high, 2)) == (4.56, 69.94)


def test_a_rate_counts_every_run():
    assert rate_of([]) is None
    assert rate_of([False] * 3).low == 0 and rate_of([True] * 3).high == 100


def test_bars_reach_from_the_rate_to_its_bounds():
    assert interval_bars([Rate(50.0, 40.0, 65.0), Rate(3.0)]) == [[10.0, 0.0], [15.0, 0.0]]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60))
def test_the_paired_test_is_the_sign_test_of_the_uneven(pairs):
    ours, theirs = [a for a, _ in pairs], [b for _, b in pairs]
    n_gained = sum(a and not b for a, b in pairs)
    n_uneven = sum(a != b for a, b in pairs)
    expected = binomtest(n_gained, n_uneven).pvalue if n_uneven else 1.0
    assert paired_p_value(ours, theirs) == pytest.approx(expected)
    assert paired_p_value(theirs, ours) == paired_p_value(ours, theirs)


def test_thousands_of_pairs_do_not_overflow():
    assert paired_p_value([True] * 5000, [False] * 5000) == pytest.approx(0.0)
    assert paired_p_value([True, False] * 2500, [False, True] * 2500) == 1.0
