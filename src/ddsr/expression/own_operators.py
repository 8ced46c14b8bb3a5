"""User-defined operators: a formula (`FormulaOperator`) or a Python function (`CustomOperator`)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import ExpressionError, VocabularyError
from ddsr.expression.operators import OPERATORS, OWN_SLOTS, TEMPLATE, Operator, numpy_function, sympy_function
from ddsr.expression.tree import Kind, Node

T = TypeVar("T")
Floats = NDArray[np.float64]
NodeRow = tuple[str, float, int, int, list[int]]
"""A node as the core reads it: operator, number, column, hole, columns that the hole reads there."""
CoreParts = tuple[list[NodeRow], Callable[..., Floats] | None, Callable[..., Floats] | None]
"""A formula, or functions for values and slopes."""

SLOTS = {
    1: tuple(name for name in OWN_SLOTS if "pair" not in name),
    2: tuple(name for name in OWN_SLOTS if "pair" in name),
}
"""Names in the core for user-defined operators with one and with two operands."""

MOST_OPERANDS = 2
# Step of a central difference whose error is corrected by a difference with twice the step.
STEP = float(np.finfo(np.float64).eps) ** 0.2
SAMPLE = np.linspace(0.1, 0.9, 9)
MOST_OFF = 0.01  # of a derivative, relative to the difference of the function


@dataclass(frozen=True)
class FormulaOperator:
    """An operator that stands for a formula of its operands; `read_operators` reads it from text."""

    name: str
    arguments: tuple[str, ...]
    tree: Node
    """the formula, whose variables are the arguments; its constants are numbers that no fit changes"""
    text: str
    """the whole definition, such as `lorentz(x) = 1 / (1 + x^2)`"""
    uses: tuple[OwnOperator, ...] = ()
    """other user-defined operators in the formula"""

    @property
    def arity(self) -> int:
        """Number of operands."""
        return len(self.arguments)

    @property
    def row(self) -> Operator:
        """The operator as a row of the operator table."""
        return _row(self)

    def fold(
        self,
        operands: Sequence[T],
        constant: Callable[[float], T],
        apply: Callable[[Operator, list[T]], T],
    ) -> T:
        """Evaluate the formula from its leaves to its root."""
        given = dict(zip(self.arguments, operands, strict=True))

        def value(node: Node) -> T:
            if node.kind is Kind.VARIABLE:
                return given[node.name]
            if node.kind is not Kind.OPERATOR:
                return constant(node.value)
            return apply(self._rows[node.name], [value(child) for child in node.children])

        return value(self.tree)

    @cached_property
    def _rows(self) -> Mapping[str, Operator]:
        return {**OPERATORS, **{own.name: own.row for own in self.uses}}

    @property
    def numpy_function(self) -> Callable[..., Any]:
        """The formula on arrays."""
        return lambda *operands: self.fold(
            operands, np.asarray, lambda row, below: numpy_function(row)(*below)
        )

    @property
    def sympy_function(self) -> Callable[..., Any]:
        """The formula on SymPy objects."""
        import sympy

        return lambda *operands: self.fold(
            operands, sympy.sympify, lambda row, below: sympy_function(row)(*below)
        )

    @property
    def torch_function(self) -> Callable[..., Any]:
        """The formula on tensors."""
        import torch

        from ddsr.expression.torch_functions import torch_function

        return lambda *operands: self.fold(
            operands,
            lambda value: torch.tensor(value, dtype=operands[0].dtype, device=operands[0].device),
            lambda row, below: torch_function(row)(*below),
        )

    def core_parts(self, slots: Mapping[str, str]) -> CoreParts:
        """Return the formula in prefix order, given the core's names of user-defined operators."""

        def rows(node: Node) -> list[NodeRow]:
            if node.kind is Kind.VARIABLE:
                return [("", 1.0, self.arguments.index(node.name), -1, [])]
            if node.kind is not Kind.OPERATOR:
                return [("", node.value, -1, -1, [])]
            below = [row for child in node.children for row in rows(child)]
            return [(slots.get(node.name, node.name), 1.0, -1, -1, []), *below]

        return rows(self.tree), None, None

    def expanded(self, operands: Sequence[Node]) -> Node:
        """Return the formula as a tree, without other operators that are defined by formulas."""
        return self.fold(operands, Node.constant, expanded_node)


class CustomOperator:
    """An operator that is a Python function of one or two arrays of numbers.

    The search calls the function for every block of rows, so this is much slower than a formula. Values for
    which it raises an exception are undefined. Files keep only its name.

    Parameters
    ----------
    name : str
        The name in equations.
    function : callable
        Takes one or two arrays of doubles and returns an array of the same shape.
    derivative : callable or None
        Takes the same arguments and returns the derivative, or a pair of them for two arguments. Without it,
        derivatives are computed from differences.
    sympy, torch : callable, str or None
        The function on SymPy expressions and on torch tensors, or its name in the library.
    python : str or None
        The function's name with its module, such as `scipy.special.j0`, for Python source.
    n_arguments : int or None
        Number of arguments, if the function does not show it.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Any],
        derivative: Callable[..., Any] | None = None,
        sympy: Callable[..., Any] | str | None = None,
        torch: Callable[..., Any] | str | None = None,
        python: str | None = None,
        n_arguments: int | None = None,
    ) -> None:
        check_name(name)
        if not callable(function):
            raise VocabularyError(f"the function of operator {name!r} is not callable: {function!r}")
        self.name = name
        self.function = function
        self.derivative = derivative
        self.sympy = sympy
        self.torch = torch
        self.python = python
        self.n_arguments = n_arguments
        self.arity = _n_arguments(name, function) if n_arguments is None else n_arguments
        if self.arity not in range(1, MOST_OPERANDS + 1):
            raise VocabularyError(f"operator {name!r} takes {self.arity} arguments; it must take one or two")
        self._check()

    def __repr__(self) -> str:
        return f"CustomOperator({self.name!r}, {self.function!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CustomOperator) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash((self.name, self.arity))

    def __reduce__(self) -> tuple[type[CustomOperator], tuple[Any, ...]]:
        return CustomOperator, self._parts

    @property
    def _parts(self) -> tuple[Any, ...]:
        functions = self.function, self.derivative, self.sympy, self.torch
        return (self.name, *functions, self.python, self.n_arguments)

    @property
    def row(self) -> Operator:
        """The operator as a row of the operator table."""
        return _row(self)

    @property
    def text(self) -> str:
        """The operator's definition in reports."""
        arguments = ("x",) if self.arity == 1 else ("x", "y")
        return f"{self.name}({', '.join(arguments)}): a Python function"

    @property
    def numpy_function(self) -> Callable[..., Any]:
        """The function on arrays of any shape."""

        def function(*operands: Any) -> Floats:
            arrays = np.broadcast_arrays(*(np.asarray(each, dtype=np.float64) for each in operands))
            return self.values(*(each.ravel() for each in arrays)).reshape(arrays[0].shape)

        return function

    @property
    def sympy_function(self) -> Callable[..., Any]:
        """The function on SymPy objects."""
        return self.mapped("sympy")

    @property
    def torch_function(self) -> Callable[..., Any]:
        """The function on tensors."""
        return self.mapped("torch")

    def core_parts(self, slots: Mapping[str, str]) -> CoreParts:
        """Return the functions that the core calls."""
        return [], self.values, self.slopes

    def _check(self) -> None:
        """Call the functions once, to find mistakes before the search."""
        sample = [SAMPLE] * self.arity
        self._called(self.function, sample)
        if self.derivative is not None:
            for operand in range(self.arity):
                self._check_derivative(operand, sample)

    def _check_derivative(self, operand: int, sample: Sequence[Floats]) -> None:
        """Compare a derivative with differences, where both are defined and the differences are smooth."""
        with np.errstate(all="ignore"):
            given, measured = self._partial(operand, sample), self._difference(operand, sample)
            is_off = np.abs(given - measured) > MOST_OFF * (1.0 + np.abs(measured))
        is_known = np.isfinite(given) & np.isfinite(measured)
        if is_known.any() and is_off[is_known].mean() > 0.5:
            row = int(np.flatnonzero(is_known & is_off)[0])
            at = ", ".join(f"{each[row]:g}" for each in sample)
            raise VocabularyError(
                f"operator {self.name!r}: its derivative is {given[row]:g} at {at}, but differences of its "
                f"function give {measured[row]:g}"
            )

    def _called(
        self, function: Callable[..., Any], operands: Sequence[Floats], what: str = "function"
    ) -> Floats:
        try:
            with np.errstate(all="ignore"):
                found = np.asarray(function(*operands), dtype=np.float64)
        except Exception as error:
            raise VocabularyError(
                f"operator {self.name!r}: its {what} must take {self.arity} array(s) of numbers, but with "
                f"{operands[0][:2]} … it raises {type(error).__name__}: {error}"
            ) from error
        if found.shape != operands[0].shape:
            raise VocabularyError(
                f"operator {self.name!r}: from arrays of the shape {operands[0].shape}, its {what} must "
                f"return one of this shape, not {found.shape}"
            )
        return found

    def values(self, *operands: Floats) -> Floats:
        """Return the values on rows, which the core calls."""
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(self.function(*operands), dtype=np.float64)

    def slopes(self, operand: int, *operands: Floats) -> Floats:
        """Return the derivatives by one operand on rows, which the core calls."""
        with np.errstate(all="ignore"):
            return np.ascontiguousarray(self._partial(operand, operands), dtype=np.float64)

    def _partial(self, operand: int, operands: Sequence[Floats]) -> Floats:
        if self.derivative is None:
            return self._difference(operand, operands)
        if self.arity == 1:
            return self._called(self.derivative, operands, "derivative")
        pair = self.derivative(*operands)
        if len(pair) != self.arity:
            raise VocabularyError(f"operator {self.name!r}: its derivative must return a pair of arrays")
        return self._called(lambda *_: pair[operand], operands, "derivative")

    def _difference(self, operand: int, operands: Sequence[Floats]) -> Floats:
        """Return a central difference of the fourth order."""
        at = operands[operand]
        step = STEP * np.maximum(1.0, np.abs(at))

        def apart(n_steps: float) -> Floats:
            high, low = at + n_steps * step, at - n_steps * step
            shifted = [(*operands[:operand], each, *operands[operand + 1 :]) for each in (high, low)]
            above, below = (np.asarray(self.function(*each), dtype=np.float64) for each in shifted)
            return np.asarray((above - below) / (high - low))

        return (4.0 * apart(0.5) - apart(1.0)) / 3.0

    def mapped(self, library: str) -> Callable[..., Any]:
        """Return the function on objects of a library, "sympy" or "torch"."""
        import importlib

        given = getattr(self, library)
        if given is None:
            raise ExpressionError(
                f"the operator {self.name!r} has no {library} function: create it with "
                f"CustomOperator({self.name!r}, …, {library}=…)"
            )
        if callable(given):
            return given  # type: ignore[no-any-return]
        module = importlib.import_module(library)
        found = getattr(module, given, None) or getattr(getattr(module, "special", None), given, None)
        if not callable(found):
            raise ExpressionError(f"the operator {self.name!r}: {library} has no function {given!r}")
        return found  # type: ignore[no-any-return]


OwnOperator = FormulaOperator | CustomOperator


def _row(own: OwnOperator) -> Operator:
    operands = ", ".join(f"#{number + 1}" for number in range(own.arity))
    letters = own.name.replace("_", r"\_")
    return Operator(
        name=own.name,
        symbol="",
        arity=own.arity,
        precedence=9,
        is_commutative=False,
        undoes="",
        parity="",
        trend="",
        domain="all",
        range="all",
        period=0.0,
        degree=0.0,
        numpy="",
        sympy="",
        latex=rf"\operatorname{{{letters}}}\left({operands}\right)",
        own=own,
    )


def check_name(name: object) -> None:
    """Raise an error if a name cannot be used for a new operator."""
    if not isinstance(name, str) or not name.isidentifier() or not name.isascii():
        raise VocabularyError(f"the name of an operator must consist of letters, digits and _, not {name!r}")
    if name in OPERATORS or name == TEMPLATE:
        raise VocabularyError(f"there is already an operator {name!r}; choose another name")


def expanded_node(row: Operator, children: Sequence[Node]) -> Node:
    """Return an operator applied to its operands; if a formula defines it, return the formula."""
    if isinstance(row.own, FormulaOperator):
        return row.own.expanded(children)
    return Node.operator(row.name, *children)


def with_uses(operators: Sequence[OwnOperator]) -> tuple[OwnOperator, ...]:
    """Return operators and those that their formulas use, each after the ones it uses."""
    found: dict[str, OwnOperator] = {}
    for own in operators:
        used = with_uses(own.uses) if isinstance(own, FormulaOperator) else ()
        found |= {each.name: each for each in (*used, own)}
    return tuple(found.values())


def _n_arguments(name: str, function: Callable[..., Any]) -> int:
    if isinstance(function, np.ufunc):
        return function.nin
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        raise VocabularyError(
            f"operator {name!r}: pass n_arguments=1 or 2, since its function does not show it"
        ) from None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in kinds and each.default is inspect.Parameter.empty for each in parameters)
