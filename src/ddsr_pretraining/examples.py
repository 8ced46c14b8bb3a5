"""Training examples for the prior: random expressions with data, which the core makes on demand.

`docs/prior-data.md` has the recipe. Example i depends on (seed, i) and the options only, so a resumed
training sees the same examples.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from ddsr import _core
from ddsr.data.checks import check_whole
from ddsr.errors import DataError
from ddsr.expression.batch import Batch
from ddsr.expression.operators import DEFAULT_OPERATORS
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import Grammar


@dataclass(frozen=True, kw_only=True)
class ExampleOptions:
    """Recipe of the examples."""

    max_variables: int = 10
    """number of columns of x: the variables of an expression and irrelevant inputs"""
    max_length: int = 32
    """maximum number of tokens of an expression"""
    max_constants: int = 10
    """maximum number of constants of an expression"""
    operators: tuple[str, ...] = DEFAULT_OPERATORS
    """operators of the expressions; they must include + − × ÷ ^, which standard forms need"""
    n_rows: int = 128
    """maximum number of rows of x and y"""
    fewest_rows: int = 20
    most_rows: int = 1000
    """sizes of data sets are log-uniform between these two; larger ones are cut to `n_rows` rows"""
    noisy_share: float = 0.5
    """share of the examples with noise"""
    least_noise: float = 1e-4
    most_noise: float = 0.1
    """standard deviation of the noise relative to the RMS of y, log-uniform between these two"""
    irrelevant_share: float = 0.3
    """share of the examples that may have irrelevant inputs"""
    unstructured_share: float = 0.25
    """share of random trees instead of composed formulas"""

    def __post_init__(self) -> None:
        for name in ("max_variables", "max_length"):
            check_whole(getattr(self, name), name, least=1)
        for name in ("n_rows", "fewest_rows"):
            check_whole(getattr(self, name), name, least=8)
        check_whole(self.most_rows, "most_rows", least=self.fewest_rows)
        check_whole(self.max_constants, "max_constants", least=0)
        for name in ("noisy_share", "irrelevant_share", "unstructured_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise DataError(f"{name} must be a number from 0 to 1, got {getattr(self, name)!r}")
        if not 0 < self.least_noise <= self.most_noise <= 10:
            raise DataError("least_noise must be above 0 and at most most_noise, and most_noise at most 10")
        missing = {"add", "sub", "mul", "div", "pow"} - set(self.vocabulary.operators)
        if missing:
            raise DataError(f"examples need these operators: {', '.join(sorted(missing))}")

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary, with variables x0, x1, … by column."""
        return Vocabulary.of_size(self.max_variables, self.operators)


@dataclass(frozen=True, eq=False)
class Examples:
    """n examples and the vocabulary of their tokens."""

    vocabulary: Vocabulary
    tokens: NDArray[np.int16]
    """(n, max_length) breadth-first, PAD after the end"""
    constants: NDArray[np.float64]
    """(n, max_constants) in the order of their tokens, 0 after the last"""
    x: NDArray[np.float32]
    """(n, n_rows, max_variables), 0 after the last row and the last input of an example"""
    y: NDArray[np.float32]
    """(n, n_rows) with noise, 0 after the last row of an example"""
    y_clean: NDArray[np.float32] | None
    """the target without noise, if requested"""
    n_variables: NDArray[np.int32]
    """(n,) number of inputs, including irrelevant ones"""
    n_rows: NDArray[np.int32]
    """(n,)"""
    noise: NDArray[np.float32]
    """(n,) standard deviation of the noise relative to the RMS of y"""

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def batch(self) -> Batch:
        """The expressions with the constants of the data."""
        return Batch(self.vocabulary, self.tokens, self.constants)


class ExampleMaker:
    """Makes the examples of one seed."""

    def __init__(self, options: ExampleOptions | None = None, seed: int = 0) -> None:
        self.options = options or ExampleOptions()
        self.seed = check_whole(seed, "seed", least=0, most=2**64 - 1)
        self.vocabulary = self.options.vocabulary
        self.grammar = Grammar(self.vocabulary, self.options.max_length, self.options.max_constants)
        self._core_options = _core.ExampleOptions()
        for each in fields(self.options):
            if each.name != "operators":
                setattr(self._core_options, each.name, getattr(self.options, each.name))

    def make(self, n: int, n_threads: int = 1, first_index: int = 0, with_clean: bool = False) -> Examples:
        """Return examples `first_index` to `first_index + n - 1`; other threads can run meanwhile."""
        check_whole(n, "n", least=0)
        check_whole(first_index, "first_index", least=0, most=2**63 - 1)
        try:
            made = _core.make_examples(
                self.grammar.core, self._core_options, self.seed, first_index, n, with_clean, n_threads
            )
        except RuntimeError as error:
            raise DataError(f"{error}: allow longer expressions or more constants") from None
        return Examples(self.vocabulary, **made)
