"""Products of powers of symbols and polynomials, some of them under one square root."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from math import isqrt

MOST_TAKEN_IN = 4  # every subset of at most this many factors is tried under a root; of more, single ones
MOST_TERMS = 12  # longer sums are not worth writing

Monomial = tuple[int, ...]
"""Exponent of each symbol; may be negative after a division."""
Polynomial = tuple[tuple[Monomial, Fraction], ...]
"""Terms of a sum, more than one."""
Base = int | Polynomial
"""Base of a power: a symbol by number, or a polynomial."""


@dataclass(frozen=True)
class Factors:
    """A coefficient times whole powers; no exponent is 0."""

    coefficient: Fraction = Fraction(1)
    powers: Mapping[Base, int] = field(default_factory=dict)

    @classmethod
    def of_term(cls, monomial: Monomial, coefficient: Fraction) -> Factors:
        """Return one term of a polynomial as factors."""
        return cls(coefficient, {symbol: power for symbol, power in enumerate(monomial) if power})

    def times(self, other: Factors, exponent: int = 1) -> Factors:
        """Return self · other^exponent."""
        powers = Counter(self.powers)
        for base, power in other.powers.items():
            powers[base] += exponent * power
        coefficient = self.coefficient * other.coefficient**exponent
        return Factors(coefficient, {base: power for base, power in powers.items() if power})

    def without(self, bases: Collection[Base]) -> Factors:
        """Return the factors without these bases."""
        kept = {base: power for base, power in self.powers.items() if base not in bases}
        return replace(self, powers=kept)

    def flipped(self, polynomial: Polynomial) -> Factors:
        """Return the same value with −p in place of a polynomial p among the bases."""
        if polynomial not in self.powers:
            return self
        power = self.powers[polynomial]
        return self.without([polynomial]).times(
            Factors(Fraction((-1) ** power), {negated(polynomial): power})
        )

    @property
    def polynomials(self) -> list[Polynomial]:
        """Bases that are sums."""
        return [base for base in self.powers if isinstance(base, tuple)]

    @property
    def monomial(self) -> Factors:
        """Coefficient and powers of symbols."""
        return self.without(self.polynomials)


@dataclass(frozen=True)
class Symbols:
    """Facts about the symbols of a rational function."""

    positive: frozenset[int]
    radicands: Mapping[int, Factors]
    """radicands of the symbols that are square roots"""

    def is_positive(self, base: Base) -> bool:
        """Return whether a base is certainly positive."""
        if isinstance(base, int):
            return base in self.positive
        return all(
            coefficient > 0 and all(symbol in self.positive for symbol, power in enumerate(monomial) if power)
            for monomial, coefficient in base
        )


@dataclass(frozen=True)
class Product:
    """outer · √inner; positive bases are under the root only if their exponent is not whole."""

    outer: Factors
    inner: Factors
    positive: frozenset[Base]
    """bases that are positive wherever the product has a value"""

    @classmethod
    def of(cls, factors: Factors, symbols: Symbols) -> Product:
        """Return a product with all roots among the factors merged into one."""
        roots = [base for base in factors.powers if isinstance(base, int) and base in symbols.radicands]
        outer, inner = factors.without(roots), Factors()
        for root in roots:
            radicand, power = symbols.radicands[root], factors.powers[root]
            whole = int(power / 2)
            outer, inner = outer.times(radicand, whole), inner.times(radicand, power - 2 * whole)
        inner, flipped = _of_positive_number(inner)
        outer = outer if flipped is None else outer.flipped(flipped)
        bases = {*outer.powers, *inner.powers}
        positive = {base for base in bases if symbols.is_positive(base)}
        if inner.coefficient > 0 and len(roots) == 1:  # √u has a value only where u is not negative
            unsure = [base for base, power in inner.powers.items() if power % 2 and base not in positive]
            positive |= set(unsure) if len(unsure) == 1 else set()
        return cls(outer, inner, frozenset(positive)).balanced()

    def balanced(self) -> Product:
        """Move whole powers of positive bases, and squares of numbers, out of the root."""
        outer, inner = self.outer, self.inner
        for base in [base for base in inner.powers if base in self.positive]:
            total = Fraction(inner.powers[base], 2) + outer.powers.get(base, 0)
            under = 0 if total.denominator == 1 else (1 if total > 0 else -1)
            whole = int(total - Fraction(under, 2))
            outer = outer.without([base]).times(Factors(powers={base: whole}))
            inner = inner.without([base]).times(Factors(powers={base: under}))
        root = _square_root(inner.coefficient)
        if root is not None:
            outer = replace(outer, coefficient=outer.coefficient * root)
            inner = replace(inner, coefficient=Fraction(1))
        elif abs(outer.coefficient) != 1:  # 2 √(x/2) is √(2 x)
            inner = replace(inner, coefficient=inner.coefficient * outer.coefficient**2)
            outer = replace(outer, coefficient=Fraction(1 if outer.coefficient > 0 else -1))
        return replace(self, outer=outer, inner=inner)

    def multiplied_out(self) -> Product | None:
        """Multiply polynomials of equal exponents; None if there are none or the result is too long."""
        outer, inner = _multiplied_out(self.outer), _multiplied_out(self.inner)
        if outer is None or inner is None or (outer == self.outer and inner == self.inner):
            return None
        return replace(self, outer=outer, inner=inner)

    def divisions(self) -> Iterator[Product]:
        """Yield the product with one polynomial p as t · (p/t).

        t is a term of p, or takes the product's monomial into p. A new divisor must be positive, not 0.
        """
        for polynomial in self.outer.polynomials:
            power, monomial = self.outer.powers[polynomial], self.outer.monomial
            divisors = [divisor for divisor in _terms(polynomial) if self.positive.issuperset(divisor.powers)]
            is_safe = power == 1 or self.positive.issuperset(monomial.powers)
            if abs(power) == 1 and is_safe and (monomial.powers or monomial.coefficient != 1):
                divisors.append(Factors().times(monomial, -power))
            for divisor in divisors:
                yield replace(self, outer=_divided(self.outer, polynomial, divisor)).balanced()
        for polynomial in self.inner.polynomials:
            divisors = [divisor for divisor in _terms(polynomial) if divisor.coefficient > 0]
            divisors = [divisor for divisor in divisors if self.positive.issuperset(divisor.powers)]
            for divisor in (*divisors, *self._taken_in(polynomial)):
                yield replace(self, inner=_divided(self.inner, polynomial, divisor)).balanced()

    def _taken_in(self, polynomial: Polynomial) -> Iterator[Factors]:
        """Yield divisors of p under the root that move positive factors into it: x √(1 − y/x²) is √(x² − y).

        Divisors that leave only reciprocals, or a −1, are skipped: 1 / √(1/v² − 1/c²) and c / √(c²/v² − 1)
        are less usual than v / √(1 − v²/c²).
        """
        power = self.inner.powers[polynomial]
        if abs(power) != 1:
            return
        outside = [base for base in self.outer.monomial.powers if base in self.positive]
        for n_taken in range(1, len(outside) + 1 if len(outside) <= MOST_TAKEN_IN else 2):
            for taken in combinations(outside, n_taken):
                divisor = Factors(powers={base: -2 * power * self.outer.powers[base] for base in taken})
                quotient = _quotient(polynomial, divisor)
                if all(any(monomial) or coefficient > 0 for monomial, coefficient in quotient) and any(
                    max(monomial) > 0 or not any(monomial) for monomial, _ in quotient
                ):
                    yield divisor

    def knowing(self, symbols: Symbols) -> Product:
        """Return the product with all symbols known to be positive, not only its own bases."""
        return replace(self, positive=self.positive | symbols.positive).balanced()


def negated(polynomial: Polynomial) -> Polynomial:
    """Return −p."""
    return tuple((monomial, -coefficient) for monomial, coefficient in polynomial)


def _terms(polynomial: Polynomial) -> list[Factors]:
    return [Factors.of_term(*term) for term in polynomial]


def _of_positive_number(inner: Factors) -> tuple[Factors, Polynomial | None]:
    """Move a negative coefficient into a polynomial p, and return p too: c − v in place of −(v − c)."""
    odd = [polynomial for polynomial in inner.polynomials if inner.powers[polynomial] % 2]
    if inner.coefficient > 0 or not odd:
        return inner, None
    return inner.flipped(odd[0]), odd[0]


def _square_root(number: Fraction) -> Fraction | None:
    if number <= 0:
        return None
    root = Fraction(isqrt(number.numerator), isqrt(number.denominator))
    return root if root**2 == number else None


def _divided(factors: Factors, polynomial: Polynomial, divisor: Factors) -> Factors:
    """Write p^k as t^k · (p/t)^k."""
    power = factors.powers[polynomial]
    rest = factors.without([polynomial]).times(divisor, power)
    return rest.times(Factors(powers={_quotient(polynomial, divisor): power}))


def _quotient(polynomial: Polynomial, divisor: Factors) -> Polynomial:
    """Return p/t for a divisor t without sums."""
    quotient = []
    for monomial, coefficient in polynomial:
        exponents = [old - divisor.powers.get(symbol, 0) for symbol, old in enumerate(monomial)]
        quotient.append((tuple(exponents), coefficient / divisor.coefficient))
    return tuple(quotient)


def _multiplied_out(factors: Factors) -> Factors | None:
    of_power: dict[int, list[Polynomial]] = {}
    for polynomial in factors.polynomials:
        of_power.setdefault(factors.powers[polynomial], []).append(polynomial)
    powers: dict[Base, int] = dict(factors.monomial.powers)
    for power, polynomials in of_power.items():
        product = polynomials[0]
        for other in polynomials[1:]:
            product = _product_of(product, other)
            if len(product) > MOST_TERMS:
                return None
        powers[product] = power
    return replace(factors, powers=powers)


def _product_of(left: Polynomial, right: Polynomial) -> Polynomial:
    terms: dict[Monomial, Fraction] = {}
    for one, a in left:
        for other, b in right:
            monomial = tuple(p + q for p, q in zip(one, other, strict=True))
            terms[monomial] = terms.get(monomial, Fraction(0)) + a * b
    return tuple((monomial, number) for monomial, number in terms.items() if number)
