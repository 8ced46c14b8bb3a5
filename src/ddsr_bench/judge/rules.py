"""The two rules for a solved problem. SymPy may take a long time for them (see `judge`).

Both rules round decimals to three places and those below 1e-4 to zero, keep fractions, and take π as a
number, so that a fitted 0.3989 equals 1/√(2π). Let f be the true equation and g the model, both rounded:

- SRBench: R² on the test data is above 0.5, and f − g simplifies to a constant or g / f to a constant other
  than 0. Symbols have no assumptions, so √(xy) and √x·√y differ.
- The paper: f and g are equivalent, or R² on the test data is exactly 1. A variable with a positive range is
  positive.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError
from ddsr_bench.problems.formula import evaluate_form, parse_formula
from ddsr_bench.problems.suites import BenchmarkProblem, positive_variables, sample_rows

DECIMALS = 3
ZERO_BELOW = 1e-4
LOWEST_R2 = 0.5
N_PROBES = 64
PROBE_TOLERANCE = 0.05
"""largest spread that rounding may cause in a constant difference, relative to the truth's spread"""
# Errors of SymPy for forms that it cannot handle.
SYMPY_FAILURES = (BenchError, ArithmeticError, ValueError, TypeError, AttributeError, RecursionError)


@dataclass(frozen=True)
class Verdict:
    """The decisions of the rules about a model."""

    solved_srbench: bool | None = False
    """None if the equation is unknown"""
    solved_paper: bool | None = False
    simplified: str | None = None
    """the rounded and simplified model"""
    complexity: int | None = None
    """number of nodes of `simplified`, or of the model if simplifying a black-box model takes too long"""
    error: str | None = None
    """why there is no verdict; then the model counts as not solved"""


def apply_rules(model: str, problem: BenchmarkProblem, r2_test: float) -> Verdict:
    """Judge a model without a time limit."""
    from ddsr.expression.symbolic import count_nodes

    if problem.formula is None:
        return measure_size(model, problem)

    is_exact = r2_test == 1.0
    try:
        truth = round_constants(parse_formula(problem.formula, problem.variables, has_numeric_pi=True))
        found = round_constants(parse_formula(model, problem.variables, has_numeric_pi=True))
        probes = _Probes.of(truth, found, problem)
        simple = _simplify(found)
        is_srbench = r2_test > LOWEST_R2 and _is_srbench_match(truth, simple, probes)
        is_equivalent = is_exact or (
            probes.can_be_equal
            and (_is_equivalent(truth, found, problem) or _is_exactly_equivalent(model, problem))
        )
    except SYMPY_FAILURES as error:  # R² needs no algebra
        return Verdict(solved_paper=is_exact, error=f"{type(error).__name__}: {error}")
    return Verdict(is_srbench, is_equivalent, str(simple), count_nodes(simple))


def measure_size(model: str, problem: BenchmarkProblem, is_simplified: bool = True) -> Verdict:
    """Judge a model of a problem without a known equation: measure only its size."""
    from ddsr.expression.symbolic import count_nodes

    unsolved = Verdict(solved_srbench=None, solved_paper=None)
    try:
        found = parse_formula(model, problem.variables, has_numeric_pi=True)
        if not is_simplified:
            return replace(unsolved, complexity=count_nodes(found))
        simple = _simplify(round_constants(found))
    except SYMPY_FAILURES as error:
        return replace(unsolved, error=f"{type(error).__name__}: {error}")
    return replace(unsolved, simplified=str(simple), complexity=count_nodes(simple))


def round_constants(form: Any) -> Any:
    """Round decimals to three places, and numbers without variables such as sqrt(2).

    Fractions stay, as in SRBench. Integers and eighths become exact, so that SymPy reads x^0.5 as a root.
    """
    import sympy

    numeric = _with_decimals(sympy.sympify(form))
    if numeric.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        raise BenchError(f"not finite: {form}")
    return numeric.xreplace({number: _rounded(number) for number in numeric.atoms(sympy.Float)})


def _with_decimals(form: Any) -> Any:
    """Replace parts without variables by decimals, except fractions."""
    import sympy

    if form.is_Rational or not (form.args or form.is_number):
        return form
    if form.is_number:
        return sympy.Float(form) if form.is_Float else form.evalf()
    return form.func(*map(_with_decimals, form.args))


def _rounded(number: Any) -> Any:
    import sympy

    value = float(number)
    if abs(value) < ZERO_BELOW:
        return sympy.Integer(0)
    value = round(value, DECIMALS)
    is_eighth = (8 * value).is_integer() and abs(value) < 2**50
    return sympy.Rational(int(8 * value), 8) if is_eighth else sympy.Float(value)


@dataclass(frozen=True)
class _Probes:
    """Numeric checks, which quickly rule out most wrong models, since simplifying is slow."""

    can_be_equal: bool
    can_differ_by_constant: bool
    can_be_proportional: bool

    @classmethod
    def of(cls, truth: Any, found: Any, problem: BenchmarkProblem) -> _Probes:
        rows = sample_rows(problem, N_PROBES, np.random.default_rng(0))
        f, g = (evaluate_form(form, problem.variables, rows) for form in (truth, found))
        is_usable = np.isfinite(f) & np.isfinite(g) & (f != 0)
        f, g = f[is_usable], g[is_usable]
        if len(f) < N_PROBES // 4:
            return cls(True, True, True)
        slack, ratio = PROBE_TOLERANCE * _spread(f), g / f
        return cls(
            can_be_equal=bool(np.abs(f - g).max() <= slack),
            can_differ_by_constant=_spread(f - g) <= slack,
            can_be_proportional=bool(_spread(ratio) <= PROBE_TOLERANCE * np.abs(ratio).max()),
        )


def _spread(values: NDArray[np.float64]) -> float:
    return float(values.max() - values.min())


def _is_srbench_match(truth: Any, simple: Any, probes: _Probes) -> bool:
    if probes.can_differ_by_constant and _is_constant(_simplify_rounded(truth - simple)):
        return True
    if not probes.can_be_proportional:
        return False
    ratio = _simplify_rounded(simple / truth)
    return ratio != 0 and _is_constant(ratio)


def _is_equivalent(truth: Any, found: Any, problem: BenchmarkProblem) -> bool:
    import sympy
    from sympy.functions.elementary.hyperbolic import HyperbolicFunction

    positive = positive_variables(problem)
    placed = {
        sympy.Symbol(name): sympy.Symbol(name, **({"positive": True} if name in positive else {"real": True}))
        for name in problem.variables
    }
    difference = truth.xreplace(placed) - found.xreplace(placed)
    if difference.has(HyperbolicFunction):
        difference = difference.rewrite(sympy.exp)
    return bool(_simplify_rounded(difference) == 0)


def _is_exactly_equivalent(model: str, problem: BenchmarkProblem) -> bool:
    """Compare without rounding, for models with π: cos(x − π/2) equals sin(x), cos(x − 1.571) does not."""
    if "pi" not in model:
        return False
    assert problem.formula is not None
    truth, found = (parse_formula(text, problem.variables) for text in (problem.formula, model))
    return _is_equivalent(truth, found, problem)


def _simplify(form: Any) -> Any:
    import sympy

    return round_constants(sympy.simplify(form, ratio=1))


def _simplify_rounded(form: Any) -> Any:
    rounded = round_constants(form)
    return _simplify(rounded) if rounded.free_symbols else rounded


def _is_constant(form: Any) -> bool:
    import sympy

    if form.has(sympy.nan, sympy.zoo, sympy.oo, -sympy.oo):
        return False
    return not form.free_symbols or form.is_constant() is True
