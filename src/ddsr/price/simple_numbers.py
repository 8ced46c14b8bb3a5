"""Simple numbers, as people write them, and the nats to write each.

The code of a number names its kind, then its whole numbers by Rissanen's universal code. A number that has
several codes costs as much as the shortest.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import floor, isfinite, log, log2, log10, pi, sqrt
from typing import NamedTuple

# Nats of each kind, from its frequency among constants of equations.
FREE = -log(0.2)
INTEGER = -log(0.42)
FRACTION = -log(0.25)
OF_PI = -log(0.05)
ROOT = -log(0.04)
DECIMAL = -log(0.04)
FIXED = -log(0.2)  # of the first simple number where people put a measured one
CHANCE = -log(0.05)  # that a root or multiple of pi there is not due to chance
MINUS, PLUS = -log(0.3), -log(0.7)

LARGEST_DENOMINATOR = 8
LARGEST_PARTS = 100  # parts of a fraction, multiple of pi or root: with larger parts they fit any number
MOST_DIGITS = 6
ANY_DOUBLE = 53 * log(2) + 11 * log(2)


class SimpleNumber(NamedTuple):
    """A double and the nats to write it."""

    value: float
    nats: float


@lru_cache(maxsize=4096)
def near(value: float) -> tuple[SimpleNumber, ...]:
    """Return the nearest simple number of every kind except zero, cheapest first."""
    sign, size = (-1.0, -value) if value < 0 else (1.0, value)
    if not isfinite(value) or size == 0.0:
        return ()
    sign_nats = MINUS if value < 0 else PLUS
    cheapest: dict[float, float] = {}
    for number in (*_integers(size), *_fractions(size), *_of_pi(size), *_roots(size), *_decimals(size)):
        cheapest[number.value] = min(number.nats, cheapest.get(number.value, number.nats))
    found = [SimpleNumber(sign * number, nats + sign_nats) for number, nats in cheapest.items()]
    return tuple(sorted(found, key=lambda number: (number.nats, abs(number.value - value))))


def nats_of(value: float) -> float:
    """Return the nats to write exactly this double: few if it is simple, else all its bits.

    -1 is a sign and costs nothing: -f must cost no more than 1 - f, whose 1 is a single token.
    """
    if value == -1.0:
        return 0.0
    if value == 0.0:
        return INTEGER
    return next((number.nats for number in near(value) if number.value == value), ANY_DOUBLE)


@lru_cache(maxsize=65536)
def nats_of_measured(value: float) -> float:
    """Return the nats of a number in a place where people put measured values.

    Few measured values are simple in their units. If one looks like a root or a multiple of pi, that is
    nearly always chance.
    """
    size = abs(value)
    if value == -1.0:
        return FIXED + INTEGER + nats_of_whole(1) + MINUS
    if size in (0.0, 1.0):
        return FIXED + nats_of(value)
    is_plain = any(number.value == size for number in (*_integers(size), *_fractions(size)))
    is_special = any(number.value == size for number in (*_of_pi(size), *_roots(size)))
    return FIXED + nats_of(value) + (CHANCE if is_special and not is_plain else 0.0)


@lru_cache(maxsize=65536)
def is_exact(value: float) -> bool:
    """Return whether a double is a whole number, fraction, multiple of pi or root, not a rounded decimal."""
    size = abs(value)
    if size == 0.0:
        return True
    exact = (*_integers(size), *_fractions(size), *_of_pi(size), *_roots(size))
    return any(number.value == size for number in exact)


def nats_of_whole(number: int) -> float:
    """Return the nats of 1, 2, … by Rissanen's code: log₂ 2.865 + log₂ n + log₂ log₂ n + … positive bits."""
    bits, rest = log2(2.865064), log2(number)
    while rest > 0:
        bits += rest
        rest = log2(rest)
    return bits * log(2)


def _integers(size: float) -> Iterator[SimpleNumber]:
    if size < 1e15:
        for whole in {int(size), int(size) + 1} - {0}:
            yield SimpleNumber(float(whole), INTEGER + nats_of_whole(whole))


def _ratios(size: float) -> Iterator[tuple[int, int, float]]:
    """Yield p, q and the nats of p/q in lowest terms, nearest to `size` for each q."""
    for denominator in range(1, LARGEST_DENOMINATOR + 1):
        if size * denominator > LARGEST_PARTS:
            return
        ratio = Fraction(round(size * denominator), denominator)
        if ratio.denominator == denominator and ratio > 0:
            nats = nats_of_whole(ratio.numerator) + nats_of_whole(denominator)
            yield ratio.numerator, denominator, nats


def _fractions(size: float) -> Iterator[SimpleNumber]:
    for numerator, denominator, nats in _ratios(size):
        if denominator > 1:
            # The denominator 1 is not needed here, and its share goes to the others.
            saved = nats_of_whole(denominator) - nats_of_whole(denominator - 1)
            yield SimpleNumber(numerator / denominator, FRACTION + nats - saved)


def _of_pi(size: float) -> Iterator[SimpleNumber]:
    for numerator, denominator, nats in _ratios(size / pi):
        yield SimpleNumber(numerator * pi / denominator, OF_PI + nats)
    for numerator, denominator, nats in _ratios(1 / (size * pi)):  # 1/pi, 1/(4 pi)
        yield SimpleNumber(denominator / (numerator * pi), OF_PI + log(4) + nats)
    for numerator, denominator, nats in _ratios(size / pi**2):  # 4 pi^2
        yield SimpleNumber(numerator * pi**2 / denominator, OF_PI + log(4) + nats)


def _roots(size: float) -> Iterator[SimpleNumber]:
    for number, is_inverse in ((size, False), (1 / size, True)):
        square = round(number * number) if number * number < LARGEST_PARTS else 0
        if square > 1 and round(sqrt(square)) ** 2 != square:
            value = 1 / sqrt(square) if is_inverse else sqrt(square)
            yield SimpleNumber(value, ROOT + log(2) + nats_of_whole(square))
        halves = round(2 * number * number / pi) if number * number < LARGEST_PARTS else 0
        if halves > 0:  # sqrt(pi), sqrt(2 pi), sqrt(pi/2)
            root = sqrt(halves * pi / 2)
            nats = ROOT + OF_PI + log(2) + nats_of_whole(halves)
            yield SimpleNumber(1 / root if is_inverse else root, nats)


def _decimals(size: float) -> Iterator[SimpleNumber]:
    for n_digits in range(1, MOST_DIGITS + 1):
        rounded = float(f"{size:.{n_digits}g}")
        if isfinite(rounded):
            exponent = abs(floor(log10(rounded)))
            yield SimpleNumber(rounded, DECIMAL + n_digits * log(10) + log(2) * (1 + exponent))
