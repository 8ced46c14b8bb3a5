"""The native core of ddsr: trees, grammar, engine, simplifier, evolution, prior and examples."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

# --- core/bindings/trees.cpp

PAD: int
MASK: int
LONGEST: int

class OperatorRow(TypedDict):
    """One row of the operator table; see core/expression/operators.hpp."""

    name: str
    symbol: str
    arity: int
    precedence: int
    is_commutative: bool
    undoes: str
    parity: str
    trend: str
    domain: str
    range: str
    period: float
    degree: float
    numpy: str
    sympy: str
    latex: str

def operators() -> list[OperatorRow]:
    """Return the operator table, one dict per row."""

class Vocabulary:
    """The meaning of each token id."""

    def __init__(
        self,
        operators: Sequence[str],
        has_one: bool,
        has_constant: bool,
        n_variables: int,
        template_nodes: Sequence[tuple[str, float, int, int, list[int]]] = ...,
        holes: Sequence[tuple[bool, list[int]]] = ...,
        definitions: Sequence[
            tuple[
                str,
                list[tuple[str, float, int, int, list[int]]],
                Callable[..., NDArray[np.float64]] | None,
                Callable[..., NDArray[np.float64]] | None,
            ]
        ] = ...,
    ) -> None:
        """Create a vocabulary.

        A template node, in prefix order, has an operator, number, column, hole, and the columns of the hole.
        A definition has the name of an operator and such nodes, or functions for its values and slopes.
        """

    def __len__(self) -> int: ...
    @property
    def arities(self) -> list[int]: ...

def find_flaw(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> tuple[int, str]:
    """Return (position, reason) of the first flaw, or (-1, '') if there is none."""

def prefix_from_breadth_first(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> list[int]:
    """Return the breadth-first index of each prefix token."""

def breadth_first_from_prefix(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> list[int]:
    """Return the prefix index of each breadth-first token."""

def canonical_form(vocabulary: Vocabulary, tokens: NDArray[np.int16]) -> tuple[list[int], list[int]]:
    """Return (tokens, order) of the canonical form, breadth-first."""

def distinct_rows(rows: NDArray[np.int16]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the index of the first of each set of equal rows, and the number of each row's set."""

def canonical_keys(vocabulary: Vocabulary, rows: NDArray[np.int16], n_threads: int) -> list[bytes]:
    """Return the canonical form of each padded row as bytes."""

# --- core/bindings/limits.cpp

class ConstantLimits:
    def __init__(
        self,
        low: float,
        high: float,
        least_exponent: float,
        largest_exponent: float,
        has_whole_exponents: bool,
    ) -> None: ...

class FormRules:
    def __init__(
        self,
        has_constant_exponents: bool,
        has_no_offset: bool,
        max_depth: int,
        constants: ConstantLimits,
        sizes: Sequence[tuple[int, int]],
    ) -> None:
        """A depth of 0 is no limit. Sizes: an operator, and the maximum number of tokens below it."""

class ValueCheck(Enum):
    rises = ...
    falls = ...
    convex = ...
    concave = ...
    within = ...
    zero = ...
    alike = ...
    no_pole = ...

class Limits:
    def __init__(
        self,
        constants: ConstantLimits,
        form: FormRules | None,
        n_columns: int,
        grids: Sequence[tuple[NDArray[np.float64], int]],
        checks: Sequence[tuple[ValueCheck, int, float, float]],
        tolerance: float,
    ) -> None:
        """Grids are pairs: points, and the number of points in a line. Checks: kind, grid, low, high."""

    @property
    def has_whole_exponents(self) -> bool:
        """Whether constant exponents must be whole numbers."""

    def zero_points(self) -> NDArray[np.float64]:
        """Return the points at which equations must be 0, of shape (points, columns)."""

# --- core/bindings/grammar.cpp

UNIT_PARTS: int
UNIT_DIMENSIONS: int

class Units:
    def __init__(
        self,
        of_variables: Sequence[Sequence[int]],
        of_target: Sequence[int],
        most_constants: int,
        laws: Sequence[tuple[Sequence[float], Sequence[float]]] = (),
        constants: Sequence[tuple[Sequence[float], Sequence[float]] | None] = (),
    ) -> None:
        """Each unit is a list of exponents, as multiples of 1 / UNIT_PARTS.

        With a template: sums of the holes' units, as factors and a constant term, that must be 0, and those
        that its constants have.
        """

    @property
    def allows_offset(self) -> bool:
        """Whether a constant may be added to every equation."""

def fixed_by_units(
    vocabulary: Vocabulary, units: Units, tokens: NDArray[np.int16], constants: NDArray[np.float64]
) -> NDArray[np.uint8]:
    """Mark the constants that are exponents of something with a unit."""

def units_of_constants(
    vocabulary: Vocabulary, units: Units, tokens: NDArray[np.int16], constants: Sequence[float]
) -> list[list[int] | None]:
    """Return the unit of each constant of a consistent expression; None where it is not determined."""

class Grammar:
    def __init__(
        self,
        vocabulary: Vocabulary,
        max_length: int,
        max_constants: int,
        nestings: Sequence[tuple[Sequence[int], Sequence[int], int]],
        uses: Sequence[tuple[Sequence[int], int]],
        required: Sequence[int],
        units: Units | None,
        form: FormRules | None = None,
    ) -> None: ...
    def legal_tokens(self, rows: NDArray[np.int16], n_threads: int) -> NDArray[np.uint8]: ...
    def is_legal(
        self, rows: NDArray[np.int16], n_threads: int, constants: NDArray[np.float64] | None = None
    ) -> NDArray[np.uint8]: ...
    def check(self, tokens: NDArray[np.int16], constants: Sequence[float]) -> tuple[int, str]: ...
    def fill(
        self,
        logits: NDArray[np.float32],
        kept: NDArray[np.int16],
        seed: int,
        stream: int,
        n_threads: int,
    ) -> tuple[NDArray[np.int16], NDArray[np.float32]]: ...
    def fill_tokens(
        self,
        logits: NDArray[np.float32],
        kept: NDArray[np.int16],
        seed: int,
        stream: int,
        n_threads: int,
        logits_of: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int16]: ...
    @property
    def masks_units(self) -> bool:
        """Whether `fill` and `legal_tokens` know the units; if not, only `check` and `is_legal` do."""

    def tables(self) -> dict[str, Any]:
        """Return the fields of `ddsr.grammar.GrammarTables`."""

def random_block(seed: int, stream: int, index: int, position: int) -> list[int]: ...
def random_normal(seed: int, stream: int, index: int, position: int) -> float: ...

# --- core/bindings/engine.cpp

def instruction_set() -> str:
    """Return the instruction set of the kernels in use."""

def instruction_sets() -> list[str]:
    """Return the instruction sets that this machine supports, the fastest last."""

def vector_math() -> str:
    """Return the vector math in use: libmvec, or scalar where the C library has none."""

def vector_math_choices() -> list[str]:
    """Return the vector math that this machine can use, the preferred one last."""

def perturbation() -> int:
    """Return the seed of the perturbed kernels; 0 in a normal build."""

class LossKind(Enum):
    squared = ...
    absolute = ...
    huber = ...
    quantile = ...
    poisson = ...
    logistic = ...
    custom = ...

class Data:
    """The rows to score on, to fit on and to refit on; without `fit_rows`, fits use all rows."""

    def __init__(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        fit_rows: NDArray[np.int64],
        refit_rows: NDArray[np.int64],
        n_counted: float,
        n_observed: float,
        loss: LossKind = ...,
        quantile: float = 0.5,
        known: float = 0.0,
        function: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]] | None = None,
        has_offset: bool = True,
        limits: Limits | None = None,
    ) -> None: ...
    @property
    def center(self) -> float: ...
    @property
    def spread(self) -> float: ...
    @property
    def n_fit_rows(self) -> int: ...

class KnownScores:
    """The last 100,000 scores at most, so that repeated expressions are not fitted again."""

    def __init__(self) -> None: ...
    def __len__(self) -> int: ...

def score(
    vocabulary: Vocabulary,
    data: Data,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    is_fixed: NDArray[np.uint8] | None,
    refits: bool,
    measures_information: bool,
    max_steps: int,
    n_starts: int,
    tolerance: float,
    is_scale_free: bool,
    seed: int,
    n_threads: int,
    seconds: float,
    fit_seconds: float,
    known: KnownScores | None,
) -> dict[str, Any] | None:
    """Return arrays, one row per expression: constants, scale, offset, nrmse, status, steps, is_duplicate.

    The result is None after more than `seconds`. Fits end where they are after `fit_seconds`. `known` must
    come from the same data, seed and settings of the fit.
    """

def values(
    vocabulary: Vocabulary,
    X: NDArray[np.float64],
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return (expressions, rows) values, and whether all values of each expression are finite."""

def gradients(
    vocabulary: Vocabulary,
    X: NDArray[np.float64],
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
    """Return (expressions, rows, constants) derivatives, and whether all are finite."""

# --- core/bindings/prior.cpp

class PriorNetwork:
    """The weights of a prior."""

    def __init__(
        self,
        weights: dict[str, NDArray[np.float32]],
        arities: Sequence[int],
        max_variables: int,
        max_length: int,
        cell_width: int,
        n_row_layers: int,
        n_row_latents: int,
        n_variable_latents: int,
        width: int,
        n_layers: int,
        n_memory_layers: int,
        n_heads: int,
    ) -> None:
        """`arities` are those of the tokens other than variables; a missing or odd tensor is a ValueError."""

class PriorOfData:
    """A prior for one data set and the user's tokens."""

    def __init__(
        self,
        network: PriorNetwork,
        target: NDArray[np.float32],
        values: NDArray[np.float32],
        known_as: Sequence[int],
        unknown_logit: float,
        max_length: int,
        n_threads: int,
    ) -> None:
        """Encode features: (samples, rows, features) and (samples, variables, rows, features).

        `known_as` has the prior's id of each token, negative for unknown ones.
        """

    def next_logits(self, beginnings: NDArray[np.int16], n_threads: int) -> NDArray[np.float32]:
        """Return logits of the token after each beginning; the rows end with MASK or PAD."""

    def token_log_probs(
        self, grammar: Grammar, tokens: NDArray[np.int16], n_threads: int
    ) -> NDArray[np.float64]:
        """Return log-probabilities of tokens drawn from left to right; -inf from an illegal one on."""

class PriorDraws:
    """A sample of expressions without repetition."""

    def __init__(self, grammar: Grammar, network: PriorOfData, places: Sequence[int], seed: int) -> None: ...
    def next(self, n: int, seconds: float, n_threads: int) -> NDArray[np.int16]:
        """Return the next expressions: at most n, fewer after some seconds or if there are no more."""

    @property
    def n_continued(self) -> int:
        """Number of beginnings of which the network has computed the next token."""

# --- core/bindings/simplify.cpp

def simplify(
    vocabulary: Vocabulary,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    signs: NDArray[np.uint8],
    n_threads: int,
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Return (tokens, constants) of the simplified rows; there may be more columns of constants than before.

    `signs` is 0 for variables of any sign, 1 for nonnegative and 2 for positive ones.
    """

NOTATION_RULES: list[str]
SIMPLE_BASES: list[float]

def rewrite_notation(
    vocabulary: Vocabulary,
    tokens: Sequence[int],
    constants: Sequence[float],
    is_fixed: Sequence[bool],
    rules: Sequence[str],
    is_allowed: Callable[[list[int], list[float]], bool] | None,
    is_exact: Callable[[float], bool],
) -> tuple[list[int], list[float], list[bool]] | None:
    """(tokens, constants, is_fixed) of an expression as people write it; None where nothing changes.

    `rules` are names of `NOTATION_RULES`, in the order in which they are applied. All is breadth-first.
    """

def drop_needless(
    wide: Vocabulary,
    vocabulary: Vocabulary,
    tokens: Sequence[int],
    constants: Sequence[float],
    is_fixed: Sequence[bool],
) -> tuple[list[int], list[float], list[bool]] | None:
    """(tokens, constants, is_fixed) without what fixed constants make superfluous, over `vocabulary`.

    The tokens are of the wide vocabulary, which has the same variables. None where nothing is left that has
    a value, or the vocabulary cannot write it.
    """

def with_roots(
    vocabulary: Vocabulary, tokens: Sequence[int], constants: Sequence[float], signs: NDArray[np.uint8]
) -> tuple[list[int], list[float]]:
    """Return (tokens, constants) with roots for functions of inverse functions, if that reads better."""

# --- core/bindings/evolution.cpp

MOVES: tuple[str, ...]

class EvolutionOptions:
    """Settings by name, as in core/evolution/options.hpp; `ddsr.config.RefinerConfig` describes them."""

    operator_weights: Sequence[float]
    constant_range: float
    move_weights: Sequence[float]
    token_costs: Sequence[float]

Rows = tuple[NDArray[np.int16], NDArray[np.float64]]

class Refiner:
    def __init__(
        self,
        grammar: Grammar,
        data: Data,
        rows: NDArray[np.int64],
        structures: TablePrice,
        options: EvolutionOptions,
        seed: int,
    ) -> None: ...
    def seed(self, tokens: NDArray[np.int16], constants: NDArray[np.float64], n_threads: int) -> None: ...
    def run(self, evaluations: int | None, seconds: float | None, n_threads: int) -> int: ...
    def hall_of_fame(self) -> dict[str, Any]: ...
    def shortlist(self) -> dict[str, Any]: ...
    def elites(self, n: int) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]: ...
    def population(self) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]: ...
    def counters(self) -> dict[str, Any]: ...
    def save(self) -> bytes: ...
    def load(self, data: bytes) -> None: ...

class StructureMemory:
    def __init__(self, capacity: int) -> None: ...
    def count(self, structure: int) -> int: ...
    def add(self, structure: int) -> None: ...

def move(
    name: str,
    vocabulary: Vocabulary,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    donor_tokens: NDArray[np.int16],
    donor_constants: NDArray[np.float64],
    options: EvolutionOptions,
    seed: int,
) -> Rows:
    """Return (tokens, constants) of the child of one expression, breadth-first."""

def dictionary(
    vocabulary: Vocabulary, data: Data, options: EvolutionOptions, seed: int, units: Units | None = None
) -> Rows:
    """Return (tokens, constants) of the small expressions that `match` searches."""

def simplest(
    vocabulary: Vocabulary, data: Data, options: EvolutionOptions, n_entries: int, seed: int
) -> Rows:
    """Return (tokens, constants) of the simplest of these expressions, from which sketches begin."""

def sketches(vocabulary: Vocabulary, data: Data, options: EvolutionOptions, n_sketches: int) -> Rows:
    """Return (tokens, constants) of the first sketches of an island."""

def match(
    vocabulary: Vocabulary,
    data: Data,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    options: EvolutionOptions,
    n_children: int,
) -> Rows:
    """Return (tokens, constants) of children of one expression, each with a subtree matched to the data."""

def needed_operand(
    name: str, is_first: bool, wanted: float, other: float, current: float
) -> tuple[float, float]:
    """Return the operand that gives the wanted value of an operator, and the operator's slope there."""

def fold_constants(vocabulary: Vocabulary, tokens: NDArray[np.int16], constants: NDArray[np.float64]) -> Rows:
    """Return the expression with operators on constants replaced by their values."""

def structure_hash(vocabulary: Vocabulary, tokens: NDArray[np.int16], constants: NDArray[np.float64]) -> int:
    """Return a hash that ignores operand order and constants, except whole exponents."""

# --- core/bindings/examples.cpp

class ExampleOptions:
    """Settings by name; `ddsr_pretraining.examples.ExampleOptions` describes them."""

    def __init__(self) -> None: ...

def make_examples(
    grammar: Grammar,
    options: ExampleOptions,
    seed: int,
    first_index: int,
    n: int,
    with_clean: bool,
    n_threads: int,
) -> dict[str, Any]:
    """Return the arrays of `ddsr_pretraining.examples.Examples` by name."""

def standard_forms(
    vocabulary: Vocabulary,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    signs: NDArray[np.uint8],
    n_threads: int,
) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.uint8]]:
    """Return (tokens, constants, whether it exists) of each row's standard form; signs as in `simplify`."""

def structure_signatures(
    vocabulary: Vocabulary, tokens: NDArray[np.int16], n_threads: int
) -> NDArray[np.uint64]:
    """Return a number for each padded row that ignores operand order, constants and names of variables."""

SYMBOLS: list[str]
"""symbols of structures, in the order of their numbers"""
PLACES: list[str]
"""places of a symbol"""

def describe_structures(
    vocabulary: Vocabulary,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    is_free: NDArray[np.uint8],
) -> tuple[
    NDArray[np.uint8],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.float64],
    NDArray[np.int64],
    NDArray[np.int64],
]:
    """Return choices (n, 5), their rows; rows, places and values of numbers; rows, columns of variables."""

def canonical(
    vocabulary: Vocabulary,
    tokens: NDArray[np.int16],
    constants: NDArray[np.float64],
    is_free: NDArray[np.uint8],
) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.uint8]]:
    """Return tokens, constants and which are fixed, in canonical notation; no tokens if that fails."""

DescribedForm = tuple[Sequence[int], Sequence[float], Sequence[int]]
"""choices of a structure, values of its numbers, columns of its variables"""

class StructureCode:
    """A code learned from choices (n, 5) and counts of whole forms: see `ddsr.price.structure_code`."""

    def __init__(self, choices: NDArray[np.uint8], forms: Sequence[tuple[DescribedForm, int]]) -> None: ...
    def nats(self, choices: NDArray[np.uint8]) -> NDArray[np.float64]: ...
    def mixed_nats(self, form: DescribedForm, n_variables: int, described_nats: float) -> float:
        """Return the nats of a structure from those of its description choice by choice."""
    def prices(
        self,
        vocabulary: Vocabulary,
        tokens: NDArray[np.int16],
        constants: NDArray[np.float64],
        is_free: NDArray[np.uint8],
        number_nats: Callable[[int, float], float],
        constant_nats: Callable[[float], float],
    ) -> NDArray[np.float64]:
        """Of expressions whose other constants are fixed numbers: see `ddsr.price.StructureCode.prices`."""

class TablePrice:
    """Prices of structures in a table, with all constants fitted: see `ddsr.price.table_code`."""

    def __init__(
        self,
        fitted: StructureCode,
        nats_of_fitted: float,
        numbers_of_fitted: Sequence[Sequence[tuple[float, float]]],
        columns: StructureCode,
        nats_of_columns: float,
        numbers_of_columns: Sequence[Sequence[tuple[float, float]]],
    ) -> None: ...
    def nats(
        self,
        vocabulary: Vocabulary,
        tokens: NDArray[np.int16],
        constants: NDArray[np.float64],
        is_scaled: bool,
    ) -> NDArray[np.float64]: ...

class Structures:
    """Structures, cheapest first."""

    def __len__(self) -> int: ...
    def nats(self) -> NDArray[np.float64]: ...
    def fit(
        self,
        vocabulary: Vocabulary,
        data: Data,
        begin: int,
        end: int,
        n_starts: int,
        max_steps: int,
        tolerance: float,
        seed: int,
        n_threads: int,
        units: Units | None = None,
    ) -> tuple[
        NDArray[np.int16], NDArray[np.float64], NDArray[np.uint8], NDArray[np.float64], NDArray[np.float64]
    ]:
        """Return tokens, constants, which are fixed, mean squares (NaN: no fit), information (B, K, K)."""

def cheapest_structures(
    code: StructureCode,
    n_variables: int,
    symbols: list[str],
    numbers: list[list[tuple[float, float]]],
    most_nats: float,
    most: int,
) -> Structures:
    """Return all structures of these symbols up to a price; numbers are values with their nats, by place."""

def merged_structures(
    first: Structures, first_nats: float, second: Structures, second_nats: float, most: int
) -> Structures:
    """Return the cheapest of both, without duplicates; `…_nats` are added to all prices of a list."""
