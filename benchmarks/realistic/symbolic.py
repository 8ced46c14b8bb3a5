"""Equality of two equations by SymPy, up to the rounding of their numbers.

`python -m benchmarks.realistic.symbolic` does one comparison: JSON in, `true` or `false` out. SymPy may run
forever, and a process can be killed.

Both equations are written in exponentials, logarithms and powers, and each sum below a root or a logarithm
starts with the number 1. Their difference is put over one denominator and expanded. They are equal if the
remaining terms are no larger than rounding explains.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import sympy
from numpy.typing import NDArray
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.functions.elementary.trigonometric import TrigonometricFunction

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS

DIGITS = (7, 6, 5, 4)  # numbers are rounded to these digits in turn, so that 0.36999999 and 0.37 agree
MOST_REST = 2e-3  # of a remaining term, relative to the root mean square of the truth
LARGEST_WHOLE = 1e6
MOST_DENOMINATOR = 8  # of an exponent taken as a fraction


def is_equal(truth: str, answer: str, variables: Sequence[str], points: NDArray[np.float64]) -> bool:
    """Whether two equations are the same function, by algebra.

    `points` (n_points, n_variables) give the signs of the variables and the sizes of terms.
    """
    names = tuple(variables)
    symbols = [
        sympy.Symbol(name, positive=True) if least >= 0.0 else sympy.Symbol(name, real=True)
        for name, least in zip(names, points.min(axis=0), strict=True)
    ]
    placed = {sympy.Symbol(name): symbol for name, symbol in zip(names, symbols, strict=True)}
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    true_form, found = (
        Expression.parse(text, vocabulary).to_sympy().xreplace(placed) for text in (truth, answer)
    )
    size = np.sqrt(np.mean(np.abs(_values(true_form, symbols, points)) ** 2))
    middle = dict(zip(symbols, map(sympy.Float, points[len(points) // 2]), strict=True))
    for digits in DIGITS:
        writer = _Writer(middle, digits)
        numerator, denominator = writer.ratio(writer.write(true_form) - writer.write(found))
        divisor = _values(denominator, symbols, points)
        terms = [_values(term, symbols, points) / divisor for term in sympy.Add.make_args(numerator)]
        if all(np.abs(term).max() <= MOST_REST * size for term in terms):
            return True
    return False


def _values(form: Any, symbols: Sequence[Any], points: NDArray[np.float64]) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        values = sympy.lambdify(symbols, form, "numpy")(*points.T.astype(complex))
    # A value that is not finite counts as large.
    sized = np.broadcast_to(np.asarray(values, dtype=complex), len(points))
    return np.where(np.isfinite(sized), sized, np.inf)


class _Writer:
    """Writes functions in one standard form, with rounded numbers."""

    def __init__(self, middle: dict[Any, Any], digits: int) -> None:
        self._middle = middle
        self._digits = digits

    def write(self, form: Any) -> Any:
        """The same function in exponentials, logarithms and powers."""
        if form.is_number:
            return form if form.is_Integer else form.evalf()
        if form.is_Symbol:
            return form
        if isinstance(form, (TrigonometricFunction, HyperbolicFunction)):
            rewritten = form.rewrite(sympy.exp, deep=False)
            return self.write(rewritten) if not rewritten.has(type(form)) else rewritten
        parts = [self.write(part) for part in form.args]
        if isinstance(form, sympy.exp):
            return self._exponential(parts[0])
        if isinstance(form, sympy.log):
            return self._logarithm(parts[0])
        return self._power(*parts) if form.is_Pow else form.func(*parts)

    def ratio(self, form: Any) -> tuple[Any, Any]:
        """Numerator and denominator, expanded."""
        numerator, denominator = sympy.fraction(sympy.together(form))
        return self._rounded(sympy.expand(numerator)), self._rounded(sympy.expand(denominator))

    def _exponential(self, argument: Any) -> Any:
        found = sympy.Integer(1)
        for term in sympy.Add.make_args(self._divided(argument)):
            logs = [factor for factor in sympy.Mul.make_args(term) if isinstance(factor, sympy.log)]
            if term.is_number:
                found *= sympy.exp(term).evalf()
            elif logs and (term / logs[0]).is_number:
                found *= self._power(logs[0].args[0], term / logs[0])
            else:
                found *= sympy.exp(term)
        return found

    def _divided(self, form: Any) -> Any:
        """A sum of terms; a ratio of polynomials in one variable is divided."""
        numerator, denominator = self.ratio(form)
        used = tuple(denominator.free_symbols)
        is_ratio = denominator.is_Add and len(used) == 1 and form.is_rational_function(*used)
        if not is_ratio or not numerator.free_symbols <= set(used):
            return self._rounded(sympy.expand(form))
        quotient, rest = sympy.div(numerator, denominator, *used)
        lead = self._lead(denominator)
        terms = self._rounded(sympy.expand(rest / lead))
        return self._rounded(quotient) + terms / self._rounded(sympy.expand(denominator / lead))

    def _logarithm(self, argument: Any) -> Any:
        if argument.is_number:
            return sympy.log(argument).evalf()
        number, factors = self._factors(argument)
        return sympy.log(number).evalf() + sum(power * sympy.log(base) for base, power in factors)

    def _power(self, base: Any, exponent: Any) -> Any:
        if base.is_number:
            return self._exponential(exponent * sympy.log(base).evalf())
        if not exponent.is_number:
            return self._exponential(exponent * self._logarithm(base))
        exponent = self._exact(exponent)
        if exponent.is_Integer:
            return base**exponent
        number, factors = self._factors(base)
        found = (number**exponent).evalf()
        for each, power in factors:
            found *= each ** self._exact(power * exponent)
        return found

    def _factors(self, form: Any) -> tuple[Any, list[tuple[Any, Any]]]:
        """A number, and bases with their exponents. A base that is a sum starts with the number 1."""
        number, factors = sympy.Integer(1), []
        for side, sign in zip(self.ratio(form), (1, -1), strict=True):
            shared, rest = self._split(side)
            lead = self._lead(rest)
            number *= lead**sign
            factors.append((self._rounded(sympy.expand(rest / lead)), sympy.Integer(sign)))
            factors += [(base, sign * power) for base, power in shared]
        return number, [(base, power) for base, power in factors if base != 1]

    def _split(self, form: Any) -> tuple[list[tuple[Any, Any]], Any]:
        """The factors shared by all terms of a sum, with their exponents, and the sum without them."""
        terms = [_Term.of(term) for term in sympy.Add.make_args(form)]
        common = set.intersection(*(set(term.powers) for term in terms))
        shared = [(base, min((term.powers[base] for term in terms), key=float)) for base in common]
        # Factor out the slowest exponential: exp(-t) + exp(t) is exp(-t) * (1 + exp(2 * t)).
        slowest = min((term.argument for term in terms), key=self._size)
        divisor = sympy.Mul(sympy.exp(slowest), *(base**power for base, power in shared))
        if slowest != 0:
            shared.append((sympy.exp(slowest), sympy.Integer(1)))
        return shared, self._rounded(sympy.expand(form / divisor))

    def _lead(self, form: Any) -> Any:
        """The coefficient of the first term, with the sign that makes the rest positive."""
        terms = sorted(
            (term.as_coeff_Mul() for term in sympy.Add.make_args(form)),
            key=lambda pair: sympy.default_sort_key(pair[1]),
        )
        lead = sympy.Float(abs(terms[0][0]))
        return -lead if self._size(form) < 0.0 else lead

    def _size(self, form: Any) -> float:
        return float(sympy.re(sympy.sympify(form).xreplace(self._middle).evalf()))

    def _rounded(self, form: Any) -> Any:
        return form.xreplace({each: self._rounded_number(float(each)) for each in form.atoms(sympy.Float)})

    def _rounded_number(self, value: float) -> Any:
        rounded = float(f"{value:.{self._digits}g}")
        is_whole = rounded.is_integer() and abs(rounded) < LARGEST_WHOLE
        return sympy.Integer(int(rounded)) if is_whole else sympy.Float(rounded)

    def _exact(self, number: Any) -> Any:
        """A fraction if the number is nearly one, so that powers combine."""
        if not number.is_real:
            return number
        value = float(number)
        near = sympy.Rational(value).limit_denominator(MOST_DENOMINATOR)
        is_near = abs(float(near) - value) <= 10.0 ** (1 - self._digits) * max(abs(value), 1.0)
        return near if is_near else self._rounded_number(value)


class _Term:
    """A product of powers with numeric exponents, and the argument of its exponential."""

    def __init__(self, powers: dict[Any, Any], argument: Any) -> None:
        self.powers = powers
        self.argument = argument

    @classmethod
    def of(cls, form: Any) -> _Term:
        powers: dict[Any, Any] = {}
        argument = sympy.Integer(0)
        for factor in sympy.Mul.make_args(form):
            if isinstance(factor, sympy.exp):
                argument += factor.args[0]
            elif not factor.is_number:
                base, exponent = factor.as_base_exp()
                if exponent.is_real and exponent.is_number:
                    powers[base] = exponent
        return cls(powers, argument)


def main() -> None:
    """Do one comparison."""
    asked = json.loads(sys.stdin.read())
    points = np.array(asked["points"], dtype=np.float64)
    print(json.dumps(is_equal(asked["truth"], asked["answer"], asked["variables"], points)))


if __name__ == "__main__":
    main()
