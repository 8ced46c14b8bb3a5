"""Parse formulas with SymPy and evaluate them with NumPy. SymPy is imported at the first formula."""

from __future__ import annotations

import builtins
import math
import re
from functools import lru_cache
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError

# A name, but not the end of a number such as 1e5.
NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
# SymPy's parser executes text as Python, so it may only get the characters of formulas.
PLAIN = re.compile(r"[\w\s.,()+\-*/^<>=&|~]*")
ATTRIBUTE = re.compile(r"(?:(?<![\w.])[A-Za-z_]\w*|\))\s*\.\s*[A-Za-z_]")
PYTHONS_OWN = frozenset(vars(builtins)) - {"abs", "max", "min", "pow", "True", "False"}


@lru_cache(maxsize=4096)
def parse_formula(text: str, variables: tuple[str, ...], has_numeric_pi: bool = False) -> Any:
    """Return the SymPy form of a formula; `^` is a power.

    Variables such as I, E, beta or lambda have another meaning in SymPy or Python, so the parser sees
    placeholders. With `has_numeric_pi`, π is a float as in SRBench, so that 2π is rounded like other numbers.
    """
    import sympy
    from sympy.core.function import AppliedUndef
    from sympy.parsing.sympy_parser import parse_expr

    placeholders = {name: f"_v{column}" for column, name in enumerate(variables)}
    symbols = {placeholders[name]: sympy.Symbol(name) for name in variables}
    if has_numeric_pi:
        symbols["pi"] = sympy.Float(math.pi)
    check_plain(text, variables)
    hidden = NAME.sub(lambda found: placeholders.get(found[0], found[0]), text.replace("^", "**"))
    try:
        form = sympy.sympify(parse_expr(hidden, local_dict=symbols))
    except Exception as error:  # the parser can raise anything
        raise BenchError(f"not a formula: {text!r} ({type(error).__name__}: {error})") from error
    if not isinstance(form, sympy.Expr):
        raise BenchError(f"not a formula: {text!r} is not a number but a {type(form).__name__}")
    unknown = sorted({str(call.func) for call in form.atoms(AppliedUndef)})
    if unknown:
        raise BenchError(f"{text!r} uses an unknown function: {', '.join(unknown)}")
    strangers = sorted(str(symbol) for symbol in form.free_symbols - set(symbols.values()))
    if strangers:
        raise BenchError(
            f"{text!r} uses {', '.join(strangers)}, but the variables are {', '.join(variables)}"
        )
    return form


def check_plain(text: str, variables: tuple[str, ...] = ()) -> None:
    """Refuse text that is a program: quotes, square brackets, attributes, Python's own functions."""
    text = normalize("NFKC", text)  # as Python normalises names
    if not PLAIN.fullmatch(text) or ATTRIBUTE.search(text):
        raise BenchError(
            f"not a formula: {text!r} has parts other than names, numbers, operators and parentheses"
        )
    names = set(NAME.findall(text)) - {*variables}
    strange = sorted(name for name in names if name in PYTHONS_OWN or name.startswith("_"))
    if strange:
        raise BenchError(f"{text!r} uses {', '.join(strange)}, which is not supported in a formula")


@lru_cache(maxsize=512)
def _numpy_function(text: str, variables: tuple[str, ...]) -> Any:
    import sympy

    symbols = [sympy.Symbol(name) for name in variables]
    return sympy.lambdify(symbols, parse_formula(text, variables), "numpy")


def evaluate_formula(text: str, variables: tuple[str, ...], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of a formula for X (n_samples, n_features); NaN where they are not real."""
    return _evaluated(_numpy_function(text, variables), X)


def evaluate_form(form: Any, variables: tuple[str, ...], X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values of a SymPy form, like `evaluate_formula`."""
    import sympy

    return _evaluated(sympy.lambdify([sympy.Symbol(name) for name in variables], form, "numpy"), X)


def _evaluated(function: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        values = np.broadcast_to(np.asarray(function(*X.T)), len(X))
    if np.iscomplexobj(values):
        values = np.where(values.imag == 0, values.real, np.nan)
    return np.array(values, dtype=np.float64)
