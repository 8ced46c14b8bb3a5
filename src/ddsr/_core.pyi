"""The native core of ddsr: trees, grammar and engine."""

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

# --- core/bindings/trees.cpp

PAD: int
MASK: int

class OperatorRow(TypedDict):
    """One row of the operator table, see core/operators.hpp."""

    name: str
    symbol: str
    arity: int
    precedence: int
    is_commutative: bool
    undoes: str
    numpy: str
    sympy: str
    latex: str

def operators() -> list[OperatorRow]:
    """The operator table, a dict a row."""

class Vocabulary:
    """What a token id stands for."""

    def __init__(
        self, operators: Sequence[str], has_one: bool, has_constant: bool, n_variables: int
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def arities(self) -> list[int]: ...

def find_flaw(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> tuple[int, str]:
    """(position, reason) of the first flaw; (-1, '') for none."""

def prefix_from_breadth_first(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> list[int]:
    """order[k]: the breadth-first index of prefix token k."""

def breadth_first_from_prefix(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> list[int]:
    """order[k]: the prefix index of breadth-first token k."""

def canonical_form(
    vocabulary: Vocabulary, tokens: NDArray[np.int16]
) -> tuple[list[int], list[int]]:
    """(tokens, order) of the canonical form, breadth-first."""
