"""Equations as MathML, which browsers typeset, in the notation of a textbook.

`to_latex` keeps the structure of an expression. Here constants are rounded, x + -2 becomes x − 2, a fraction
of fractions becomes one fraction, and simple fractions and multiples of π are shown as such. SymPy's printer
of MathML cannot do this: it reorders terms and does not escape names.
"""

from __future__ import annotations

import re
from fractions import Fraction
from html import escape
from html.entities import html5
from itertools import pairwise
from math import pi
from typing import NamedTuple

from ddsr.expression import Expression, Operator
from ddsr.expression.printing import Precision, constant_writer
from ddsr.expression.symbolic import LARGEST_DENOMINATOR

# A double that equals such a fraction, or such a multiple of π, is shown as one.
LARGEST_NUMERATOR = 100
# With more characters in the exponent, an exponential is written as exp(…), since exponents are small.
LONGEST_EXPONENT = 18
NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "gamma": "Γ"}
NUMBER = re.compile(r"(<msup>)?<mn>")
WORD = r"<mi>[^<]{2,}</mi>"


class Quotient(NamedTuple):
    """A product of factors over another, with a sign; an empty product is 1.

    A factor is the markup of one element, or the terms of a sum.
    """

    above: tuple[str | tuple[Quotient, ...], ...] = ()
    below: tuple[str | tuple[Quotient, ...], ...] = ()
    is_negative: bool = False

    @property
    def sole(self) -> str | tuple[Quotient, ...]:
        """The only factor of the term; empty if there are others."""
        return self.above[0] if len(self.above) == 1 and not self.below and not self.is_negative else ""

    @property
    def terms(self) -> tuple[Quotient, ...]:
        """The terms of a sum; the term itself if it is not a sum."""
        return self.sole if isinstance(self.sole, tuple) else (self,)

    @property
    def negated(self) -> Quotient:
        """The term with the opposite sign."""
        return self._replace(is_negative=not self.is_negative)

    @property
    def inverse(self) -> Quotient:
        """One over the term."""
        return Quotient(self.below, self.above, self.is_negative)

    def times(self, other: Quotient) -> Quotient:
        """Return the product of two terms."""
        is_negative = self.is_negative != other.is_negative
        return Quotient(self.above + other.above, self.below + other.below, is_negative)


def to_mathml(expression: Expression, target: str, precision: Precision) -> str:
    """Return `target = expression` as `math` elements, one per term, so that lines can break between them."""
    names = expression.vocabulary.variables
    written = constant_writer(expression.precision_of_expanded(precision))
    term = expression.expanded.fold(
        variable=lambda column: Quotient((name_of(names[column]),)),
        constant=lambda value: _number(value, written(abs(value))),
        one=Quotient(),
        apply=_apply,
    )
    first, *others = _signed(term)
    parts = [f'{name_of(target)}<mo form="infix">=</mo>{first}', *others]
    return "<wbr>".join(f'<math displaystyle="true">{part}</math>' for part in parts)


def name_of(name: str) -> str:
    """Return the markup of a name: a letter with an index, a Greek letter for its name, or upright text."""
    name = " ".join(name.split())
    found = re.fullmatch(r"([^\W\d_]+?)(?:_(.+)|(\d+))?", name)
    stem, index = (found[1], found[2] or found[3]) if found else (name, None)
    greek = html5.get(f"{stem};", "")
    letter = greek if len(greek) == 1 and "Α" <= greek <= "ω" else stem
    if len(letter) > 1 or not index:
        return f"<mi>{escape(name if len(letter) > 1 else letter, quote=False)}</mi>"
    return f"<msub><mi>{letter}</mi><mtext>{escape(index, quote=False)}</mtext></msub>"


def _number(value: float, rounded: str) -> Quotient:
    """Return a rounded number, or the simple fraction or multiple of π that it equals."""
    size = abs(value)
    mantissa, _, exponent = rounded.partition("e")
    factors = [] if mantissa == "1" else [f"<mn>{mantissa}</mn>"]
    if exponent:
        factors.append(f"<msup><mn>10</mn>{_row(_whole(int(exponent)))}</msup>")
    fraction = None if float(rounded) == size else _simple_fraction(size)
    return (fraction or Quotient(tuple(factors)))._replace(is_negative=value < 0)


def _simple_fraction(size: float) -> Quotient | None:
    """Return p/q, p π/q or p/(q π), if that is exactly this double."""
    symbol = Quotient(("<mi>π</mi>",))
    for unit, term in ((1.0, Quotient()), (pi, symbol), (1 / pi, symbol.inverse)):
        if not size <= unit * LARGEST_NUMERATOR:
            continue
        top, bottom = Fraction(size / unit).limit_denominator(LARGEST_DENOMINATOR).as_integer_ratio()
        value = top / (bottom * pi) if term.below else top * unit / bottom
        if 0 < top <= LARGEST_NUMERATOR and value == size:
            return _whole(top).times(_whole(bottom).inverse).times(term)
    return None


def _whole(value: int) -> Quotient:
    return _number(value, str(abs(value)))


def _apply(row: Operator, operands: list[Quotient]) -> Quotient:
    first, last = operands[0], operands[-1]
    match row.name:
        case "add":
            return Quotient((first.terms + last.terms,))
        case "sub":
            return Quotient((first.terms + last.negated.terms,))
        case "mul":
            return first.times(last)
        case "div":
            return first.times(last.inverse)
        case "inverse":
            return first.inverse
        case "neg":
            return first.negated
        case "pow":
            return _power(first, last)
        case "square" | "cube":
            return _power(first, _whole(2 if row.name == "square" else 3))
        case "sqrt":
            return Quotient((f"<msqrt>{_row(first)}</msqrt>",))
        case "abs":
            return Quotient((f"<mrow><mo>|</mo>{_row(first)}<mo>|</mo></mrow>",))
        case "floor":
            return Quotient((f"<mrow><mo>⌊</mo>{_row(first)}<mo>⌋</mo></mrow>",))
        case "exp" if len(re.sub(r"<[^>]*>|&\w+;", "", _row(first))) <= LONGEST_EXPONENT:
            return Quotient((f"<msup><mi>e</mi>{_row(first)}</msup>",))
    argument = _parenthesised("<mo>,</mo>".join(map(_row, operands)))
    return Quotient((f"<mrow><mi>{NAMES.get(row.name, row.name)}</mi><mo>&af;</mo>{argument}</mrow>",))


def _power(base: Quotient, exponent: Quotient) -> Quotient:
    is_atom = base == Quotient() or (isinstance(base.sole, str) and re.match(r"<(?!msup)", base.sole))
    markup = _row(base) if is_atom else _parenthesised(_row(base))
    return Quotient((f"<msup>{markup}{_row(exponent)}</msup>",))


def _parenthesised(markup: str) -> str:
    return f"<mrow><mo>(</mo>{markup}<mo>)</mo></mrow>"


def _row(term: Quotient) -> str:
    """Return one element with the whole term and its sign."""
    parts = _signed(term)
    is_element = len(parts) == 1 and not term.is_negative and (bool(term.below) or len(term.above) < 2)
    return parts[0] if is_element else f"<mrow>{''.join(parts)}</mrow>"


def _signed(term: Quotient) -> list[str]:
    """Return the markup of each term of a sum, with the sign before it."""
    signs = [f'<mo form="infix">{"−" if each.is_negative else "+"}</mo>' for each in term.terms]
    signs[0] = '<mo form="prefix">−</mo>' if term.terms[0].is_negative else ""
    return [sign + _unsigned(each) for sign, each in zip(signs, term.terms, strict=True)]


def _unsigned(term: Quotient) -> str:
    if term.below:
        return f"<mfrac>{_row(Quotient(term.above))}{_row(Quotient(term.below))}</mfrac>"
    parts = [
        each if isinstance(each, str) else _parenthesised(_row(Quotient((each,)))) for each in term.above
    ]
    parts.sort(key=lambda part: not NUMBER.match(part))
    written = parts[:1] or ["<mn>1</mn>"]
    for left, right in pairwise(parts):
        is_ambiguous = NUMBER.match(right) or re.match(f"(<msup>)?{WORD}", right) or re.fullmatch(WORD, left)
        written += ["<mo>⋅</mo>" if is_ambiguous else '<mo rspace="0.17em">&it;</mo>', right]
    return "".join(written)
