"""The operator table of the core (core/expression/operators.hpp) in Python."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from ddsr import _core
from ddsr.errors import VocabularyError, nearest_names


class OwnFunctions(Protocol):
    """The functions of a user-defined operator (own_operators.py)."""

    @property
    def numpy_function(self) -> Callable[..., Any]:
        """The function on arrays."""

    @property
    def sympy_function(self) -> Callable[..., Any]:
        """The function on SymPy objects."""

    @property
    def torch_function(self) -> Callable[..., Any]:
        """The function on tensors."""


@dataclass(frozen=True, slots=True)
class Operator:
    """One row of the operator table."""

    name: str
    symbol: str
    """infix symbol; empty for an operator that is written as a function"""
    arity: int
    precedence: int
    """precedence; 9 for a function"""
    is_commutative: bool
    """whether it is commutative and associative, so that operands may be reordered and regrouped"""
    undoes: str
    """operator that it inverts, as log inverts exp; empty if there is none"""
    parity: str
    """"odd" if f(-x) = -f(x), "even" if f(-x) = f(x); empty for neither and for two operands"""
    trend: str
    """"rising" or "falling", strictly and over the whole domain; empty for neither"""
    domain: str
    """operands with a value: "all", "nonzero", "nonnegative", "positive", "unit" for [-1, 1], or "not_pole"
    for all but 0, -1, -2, …"""
    range: str
    """smallest of these sets that contains all values of the operator"""
    period: float
    """period; 0 for none"""
    degree: float
    """d with f(c * x) = c^d * f(x) for all c > 0; 0 for none"""
    numpy: str
    sympy: str
    """names in the two libraries; empty where Python's own arithmetic or several functions are used"""
    latex: str
    """template with #1 and #2 in place of the operands"""
    own: OwnFunctions | None = None
    """the user's definition; None for an operator of the table"""


_ROWS: dict[str, Operator] = {row["name"]: Operator(**row) for row in _core.operators()}
TEMPLATE = "template"
"""The root of a filled template. It cannot occur elsewhere in an expression."""

OWN_SLOTS = tuple(name for name in _ROWS if name.startswith("own "))
"""Names of the core for operators that a vocabulary defines."""

OPERATORS: Mapping[str, Operator] = MappingProxyType(
    {name: row for name, row in _ROWS.items() if name != TEMPLATE and name not in OWN_SLOTS}
)
"""All operators by name."""


def filled_by(n_holes: int) -> Operator:
    """Return the row of the root of a filled template, whose operands fill its holes."""
    return replace(_ROWS[TEMPLATE], arity=n_holes)


DEFAULT_OPERATORS = ("add", "sub", "mul", "div", "pow", "sin", "cos", "log", "sqrt", "exp")
"""The operators of the DDSR paper: + − × ÷ ^ sin cos log √ exp."""

PERIODIC = tuple(row.name for row in OPERATORS.values() if row.period)
"""Operators that are periodic along the real axis."""

SYMBOLS = {row.symbol: row.name for row in OPERATORS.values() if row.symbol} | {"**": "pow"}
"""names of operators by symbol"""
_NAME_IN_NUMPY = {row.numpy: row.name for row in OPERATORS.values() if row.numpy}

_OTHER_NAMES = {"plus": "add", "minus": "sub", "times": "mul", "ln": "log", "root": "sqrt"}

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
    "neg": operator.neg,
    "inverse": lambda a: 1 / a,
    "square": lambda a: a * a,
    "cube": lambda a: a * a * a,
}


NAMES_OF_QUANTITIES = frozenset(
    ("min", "max", "sign", "floor", "step", "erf", "gamma", "logistic", "relu", "atan2", "hypot")
)
"""Operators whose name, without arguments, is that of a column or a constant, such as the rate gamma."""

NAMED_POWERS = {row.name: int(row.degree) for row in OPERATORS.values() if row.degree >= 2.0}
"""Operators that are whole powers (square and cube), and their exponents."""
RATIONAL = {name: function for name, function in ARITHMETIC.items() if name != "pow"}
"""Operators that turn rational functions into rational functions."""


def find_operator(text: str) -> Operator:
    """Return the operator with a name ("add") or a symbol ("+", "^", "**")."""
    if not isinstance(text, str):
        raise VocabularyError(f"an operator must be a name or symbol, not {text!r}")
    row = OPERATORS.get(SYMBOLS.get(text, text))
    if row is None:
        known = ", ".join(_with_symbols(OPERATORS.values()))
        raise VocabularyError(f"unknown operator {text!r}{suggestion(text)}; choose from: {known}")
    return row


def listed(names: Iterable[Any], what: str) -> Iterable[Any]:
    """Return an ordered list of names, or raise an error that calls them `what`."""
    if isinstance(names, str):
        raise VocabularyError(f"{what} must be a list of names, not the single text {names!r}")
    if not isinstance(names, Iterable):
        raise VocabularyError(f"{what} must be a list of names, not {names!r}")
    if isinstance(
        names, (Set, Iterator)
    ):  # the order of a set differs between processes, and an iterator can be read only once
        raise VocabularyError(f"{what} must be an ordered list of names, not {names!r}")
    return names


def _with_symbols(rows: Iterable[Operator]) -> Iterator[str]:
    """Yield the names, each with its symbol if it has one."""
    for row in rows:
        yield f"{row.name} ({row.symbol})" if row.symbol else row.name


def suggestion(text: str) -> str:
    """Return a question that suggests the operator with the nearest name, or an empty text."""
    others = {**_NAME_IN_NUMPY, **_OTHER_NAMES}
    nearest = nearest_names(text, [*OPERATORS, *others])
    return f" (did you mean {others.get(nearest[0], nearest[0])!r}?)" if nearest else ""


def numpy_function(row: Operator) -> Callable[..., Any]:
    """Return the NumPy function of an operator on arrays of doubles."""
    if row.own is not None:
        return row.own.numpy_function
    function: Callable[..., Any]
    match row.name:
        case "step":
            return lambda a: np.heaviside(a, 1.0)
        case "relu":
            return lambda a: np.maximum(a, 0.0)
        case "erf" | "gamma" | "logistic":
            from scipy import special

            function = getattr(special, "expit" if row.name == "logistic" else row.name)
        case _:
            function = ARITHMETIC.get(row.name) or getattr(np, row.numpy)
    return function


def sympy_function(row: Operator) -> Callable[..., Any]:
    """Return the SymPy function of an operator on SymPy objects."""
    import sympy

    if row.own is not None:
        return row.own.sympy_function
    function: Callable[..., Any]
    match row.name:
        case "step":
            return lambda a: sympy.Heaviside(a, 1)
        case "logistic":
            return lambda a: 1 / (1 + sympy.exp(-a))
        case "relu":
            return lambda a: _extreme(sympy.Max, a, 0)
        case "min":
            return lambda a, b: _extreme(sympy.Min, a, b)
        case "max":
            return lambda a, b: _extreme(sympy.Max, a, b)
        case "hypot":
            return lambda a, b: sympy.sqrt(a**2 + b**2)
        case _:
            function = ARITHMETIC.get(row.name) or getattr(sympy, row.sympy)
    return function


def _extreme(function: Callable[..., Any], *operands: Any) -> Any:
    """Return the minimum or maximum of SymPy objects; it has no value if one of them is not real."""
    import sympy

    try:
        return function(*operands)
    except ValueError:
        return sympy.nan
