r"""An expression as a person would write it, in the subset of TeX that matplotlib's mathtext lays out.

`to_latex` keeps the tree as it is, for others to go on with; here it is written to be read: constants are
rounded, `x + -2` is x − 2, a fraction of fractions is one fraction, simple fractions and multiples of π are
shown as such.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from math import pi

from ddsr.expression import Expression, Operator
from ddsr.expression.printing import check_precision, digits

SUM, PRODUCT, POWER, ATOM = 1, 2, 4, 9
# A double that is exactly such a fraction, or such a multiple of pi, stands for it.
LARGEST_NUMERATOR, LARGEST_DENOMINATOR = 100, 16
# What is longer is written as exp(…): an exponent is small print.
LONGEST_EXPONENT = 9
GREEK = frozenset(
    (
        "alpha",
        "beta",
        "gamma",
        "delta",
        "epsilon",
        "zeta",
        "eta",
        "theta",
        "iota",
        "kappa",
        "lambda",
        "mu",
        "nu",
    )
    + ("xi", "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta")
    + ("Lambda", "Xi", "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega")
)
ONE = r"\mathrm{1}"
FUNCTIONS = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}
RAISED_AT_NAME = ("sin", "cos", "tan", "sinh", "cosh", "tanh")


@dataclass(frozen=True)
class Part:
    """A written part: `top`, or `top` over `bottom`, with a minus in front where `is_negative`."""

    top: str
    precedence: int = ATOM
    size: int = 1
    """tokens"""
    is_negative: bool = False
    bottom: str = ""
    top_precedence: int = ATOM
    bottom_precedence: int = ATOM
    function: str = ""
    """the name, where it is a function of `argument` whose power is written at the name"""
    argument: str = ""

    @property
    def text(self) -> str:
        """All but the minus."""
        return rf"\dfrac{{{self.top}}}{{{self.bottom}}}" if self.bottom else self.top

    @property
    def signed(self) -> str:
        """With the minus."""
        return f"-{self.text}" if self.is_negative else self.text

    def within(self, least: int) -> str:
        """In parentheses if it binds less tightly than that, or has a minus."""
        is_safe = self.precedence >= least and not self.is_negative
        return self.signed if is_safe else rf"\left({self.signed}\right)"


def to_mathtext(expression: Expression, target: str = "", precision: int = 4) -> str:
    """What stands between dollar signs; with `target = ` in front where it is given."""
    check_precision(precision)
    names = expression.vocabulary.variables
    written = expression.fold(
        variable=lambda column: Part(name_of(names[column])),
        constant=lambda value: number(value, precision),
        one=number(1.0, precision),
        apply=_apply,
    )
    return f"{name_of(target)} = {written.signed}" if target else written.signed


def name_of(name: str) -> str:
    """A letter, with its index below it; a Greek letter by its name; any other name upright as it stands."""
    stem, _, index = name.partition("_")
    if not index and (found := re.fullmatch(r"([A-Za-z]+?)(\d+)", name)):
        stem, index = found.groups()
    if (len(stem) == 1 and stem.isalpha()) or stem in GREEK:
        letter = rf"\{stem}" if stem in GREEK else stem
        return rf"{letter}_{{{_upright(index)}}}" if index else letter
    return _upright(name)


def number(value: float, precision: int) -> Part:
    """Rounded; a simple fraction or multiple of pi that is exactly this double is written as one."""
    is_negative, size = value < 0, abs(value)
    rounded = digits(size, precision)
    if float(rounded) != size:
        fraction = _simple_fraction(size)
        if fraction is not None:
            return replace(fraction, is_negative=is_negative)
    mantissa, _, exponent = rounded.partition("e")
    if exponent:
        power = rf"\mathrm{{10}}^{{{_signed(int(exponent))}}}"
        text = power if mantissa == "1" else rf"\mathrm{{{mantissa}}} \times {power}"
        return Part(text, PRODUCT, is_negative=is_negative, top_precedence=PRODUCT)
    return Part(rf"\mathrm{{{mantissa}}}", is_negative=is_negative)


def _simple_fraction(size: float) -> Part | None:
    """p/q, p π/q or p/(q π), where that is exactly this double."""
    if size > pi * LARGEST_NUMERATOR:
        return None
    for above, below in (("", ""), (r"\pi", ""), ("", r"\pi")):
        unit = pi if above else 1 / pi if below else 1.0
        fraction = Fraction(size / unit).limit_denominator(LARGEST_DENOMINATOR)
        top, bottom = fraction.numerator, fraction.denominator
        value = top / (bottom * pi) if below else top * unit / bottom
        if 0 < top <= LARGEST_NUMERATOR and value == size:
            written = _times_symbol(bottom, below)
            is_one = bottom == 1 and not below
            return Part(
                _times_symbol(top, above),
                PRODUCT,
                bottom="" if is_one else written,
                top_precedence=PRODUCT,
                bottom_precedence=PRODUCT,
            )
    return None


def _times_symbol(number: int, symbol: str) -> str:
    if symbol and number == 1:
        return symbol
    return rf"\mathrm{{{number}}}" + (rf"\,{symbol}" if symbol else "")


def _apply(row: Operator, operands: list[Part]) -> Part:
    size = 1 + sum(operand.size for operand in operands)
    return replace(_written(row, operands), size=size)


def _written(row: Operator, operands: list[Part]) -> Part:
    first = operands[0]
    match row.name:
        case "add" | "sub":
            return _sum(first, operands[1], is_minus=row.name == "sub")
        case "mul":
            return _product(first, operands[1])
        case "div":
            return _quotient(first, operands[1])
        case "pow":
            return _power(first, operands[1])
        case "neg":
            return (
                replace(first, is_negative=not first.is_negative) if first.precedence > SUM else _minus(first)
            )
        case "inverse":
            return _quotient(Part(ONE), first)
        case "square" | "cube":
            return _power(first, Part(r"\mathrm{2}" if row.name == "square" else r"\mathrm{3}"))
        case "sqrt":
            return Part(rf"\sqrt{{{first.signed}}}")
        case "abs":
            return Part(rf"\left|{{{first.signed}}}\right|")
        case "exp" if first.size <= LONGEST_EXPONENT:
            return Part(rf"e^{{{_small(first)}}}", POWER)
    name = FUNCTIONS.get(row.name, row.name)
    argument = ", ".join(operand.signed for operand in operands)
    return Part(
        rf"\mathrm{{{name}}}\left({argument}\right)",
        function=name if row.name in RAISED_AT_NAME else "",
        argument=argument,
    )


def _minus(part: Part) -> Part:
    return Part(part.within(PRODUCT), PRODUCT, is_negative=True, top_precedence=PRODUCT)


def _sum(left: Part, right: Part, is_minus: bool) -> Part:
    is_minus ^= right.is_negative
    bare = replace(right, is_negative=False)
    # a sum on the right of a plus needs no parentheses, one on the right of a minus does
    text = bare.within(PRODUCT if is_minus else SUM)
    if text.startswith("-"):  # a sum that begins with a minus of its own
        return Part(f"{left.signed} - {text[1:]}", SUM)
    return Part(f"{left.signed} {'-' if is_minus else '+'} {text}", SUM)


def _product(left: Part, right: Part) -> Part:
    """Fractions become one: what is above beside what is above."""
    is_negative = left.is_negative != right.is_negative
    top = _beside(_above(left), _above(right))
    below = [_below(part) for part in (left, right) if part.bottom]
    bottom = below[0] if len(below) == 1 else _beside(*below) if below else Part(ONE)
    return _over(top, bottom, is_negative)


def _quotient(left: Part, right: Part) -> Part:
    """(a/b)/(c/d) is a d over b c."""
    is_negative = left.is_negative != right.is_negative
    tops = [_above(left)] + ([_below(right)] if right.bottom else [])
    bottoms = ([_below(left)] if left.bottom else []) + [_above(right)]
    top = tops[0] if len(tops) == 1 else _beside(*tops)
    bottom = bottoms[0] if len(bottoms) == 1 else _beside(*bottoms)
    return _over(top, bottom, is_negative)


def _over(top: Part, bottom: Part, is_negative: bool) -> Part:
    """A fraction; what is over 1 stands alone."""
    if bottom.top != ONE:
        return Part(
            top.top,
            PRODUCT,
            is_negative=is_negative,
            bottom=bottom.top,
            top_precedence=top.precedence,
            bottom_precedence=bottom.precedence,
        )
    if is_negative:
        return Part(top.within(PRODUCT), PRODUCT, is_negative=True)
    return Part(top.top, top.precedence)


def _above(part: Part) -> Part:
    return Part(part.top, part.top_precedence if part.bottom else part.precedence)


def _below(part: Part) -> Part:
    return Part(part.bottom, part.bottom_precedence)


def _beside(left: Part, right: Part) -> Part:
    """Two factors, numbers first; a dot where two would read as one. A factor of 1 is left out."""
    if left.top == ONE:
        return right
    if right.top == ONE:
        return left
    if _begins_with_digit(right.top) and right.precedence == ATOM and not _begins_with_digit(left.top):
        left, right = right, left
    before, after = left.within(PRODUCT), right.within(PRODUCT)
    ends_with_word = re.search(r"(^|[ ,(])\\text\{[^{}]*\}$", before) is not None
    is_ambiguous = ends_with_word or _begins_with_digit(after) or after.startswith(r"\text{")
    return Part(f"{before} \\cdot {after}" if is_ambiguous else rf"{before}\,{after}", PRODUCT)


def _begins_with_digit(text: str) -> bool:
    return re.match(r"\\mathrm\{\d", text) is not None


def _power(base: Part, exponent: Part) -> Part:
    raised = _small(exponent)
    is_plain = bool(base.function) and not base.is_negative and not exponent.is_negative
    if is_plain and re.fullmatch(r"\\mathrm\{\d\}", exponent.text):
        return Part(rf"\mathrm{{{base.function}}}^{{{raised}}}\left({base.argument}\right)", POWER)
    return Part(rf"{{{base.within(POWER + 1)}}}^{{{raised}}}", POWER)


def _small(exponent: Part) -> str:
    """Fractions in an exponent are smaller than those on the line."""
    return exponent.signed.replace(r"\dfrac", r"\frac")


def _upright(name: str) -> str:
    # mathtext's own text has another sign at the place of the underscore
    pieces = [re.sub(r"([\\{}$])", r"\\\1", piece) for piece in " ".join(name.split()).split("_")]
    return r"\_".join(rf"\text{{{piece}}}" if piece else "" for piece in pieces)


def _signed(value: int) -> str:
    return rf"-\mathrm{{{-value}}}" if value < 0 else rf"\mathrm{{{value}}}"
