import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ddsr.price.simple_numbers import ANY_DOUBLE, is_exact, nats_of, nats_of_whole, near


@pytest.mark.parametrize(
    ("value", "simple"),
    [
        (1.98, 2.0),
        (-0.4991, -0.5),
        (0.3341, 1 / 3),
        (6.28, 2 * math.pi),
        (0.0796, 1 / (4 * math.pi)),
        (1.4139, math.sqrt(2)),
        (0.7072, 1 / math.sqrt(2)),
        (2.5066, math.sqrt(2 * math.pi)),
        (0.39895, 1 / math.sqrt(2 * math.pi)),
        (3.6999999, 3.7),
        (299792458.1, 299792458.0),
        (1.0000001e-23, 1e-23),
        (-1e-9, -1e-9),
    ],
)
def test_numbers_that_people_write_are_candidates(value: float, simple: float) -> None:
    assert any(number.value == pytest.approx(simple, rel=1e-15) for number in near(value))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_simple_number_is_its_own_candidate_and_parses(value: float) -> None:
    for number in near(value):
        assert math.isfinite(number.value) and number.nats > 0
        assert nats_of(number.value) <= number.nats + 1e-9
        assert float(repr(number.value)) == number.value
        assert math.copysign(1, number.value) == math.copysign(1, value)


def test_simpler_numbers_are_cheaper() -> None:
    lengths = [nats_of(value) for value in (1.0, 2.0, 3.0, 0.5, 1 / 3, 3 / 7, 3.71, 3.7182, 0.123456789)]
    assert lengths == sorted(lengths)
    assert lengths[-1] == ANY_DOUBLE
    assert nats_of(-2.0) > nats_of(2.0)


def test_the_code_of_integers_obeys_krafts_inequality() -> None:
    """Kraft's inequality: the probabilities of all numbers add up to at most 1."""
    assert sum(math.exp(-nats_of_whole(number)) for number in range(1, 100_000)) < 1.0


def test_exact_is_more_than_a_decimal() -> None:
    assert all(map(is_exact, (0.0, 2.0, -0.75, 2 / 3, math.pi / 6, -math.sqrt(3))))
    assert not any(map(is_exact, (3.71, 0.123, -2.718281828459045)))
