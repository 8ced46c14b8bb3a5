"""Structure code: nats of an equation without the values of its fitted constants.

The code is learned from formulas that people use (docs/price.md). A structure of one of them is encoded as a
whole. Others are encoded symbol by symbol from the top down, by their place (core/price/structure_code.hpp).
The probabilities of all structures sum to at most 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from ddsr import _core
from ddsr.engine import Floats
from ddsr.expression import Batch, Expression
from ddsr.price.simple_numbers import nats_of, nats_of_measured

NUMBER_PLACES = ("exponent", "sum", "product", "other")
END = "end"
CHOICES, NUMBERS, FORMS = "choices.tsv", "numbers.tsv", "forms.tsv"
# Name of each choice in a list: a symbol, one that is subtracted or divided by (-), or the end.
LISTED = (*_core.SYMBOLS, *(f"-{symbol}" for symbol in _core.SYMBOLS), END)
_INDEX_OF_LISTED = {name: index for index, name in enumerate(LISTED)}

Choice = tuple[int, int, int, int, int]
"""whether in a list, three numbers of context, and the chosen symbol, numbered as in the core"""
Form = tuple[tuple[int, ...], tuple[float, ...], tuple[int, ...]]
"""a whole structure: the chosen symbols, the values of its numbers, its variables numbered from 0"""


@dataclass(frozen=True)
class Description:
    """A structure as the code encodes it."""

    choices: tuple[Choice, ...]
    numbers: tuple[tuple[int, float], ...]
    """index of its place in NUMBER_PLACES, and value"""
    variables: tuple[int, ...]
    """columns"""
    has_ties: bool = False
    """whether several of its constants contain the same symbol, a tie that a fit ignores"""

    @cached_property
    def key(self) -> Form:
        """Key that is equal for structures that differ only in names of variables and values of constants."""
        renamed: dict[int, int] = {}
        columns = tuple(renamed.setdefault(column, len(renamed)) for column in self.variables)
        return tuple(choice[-1] for choice in self.choices), tuple(v for _, v in self.numbers), columns


@dataclass(frozen=True)
class Counts:
    """Counts from which a code is learned: choices, numbers and whole forms in formulas."""

    choices: Counter[Choice]
    numbers: Counter[tuple[int, float]]
    forms: Counter[Form]

    @classmethod
    def of(cls, formulas: Iterable[Description]) -> Counts:
        """Count the choices, numbers and forms of encoded formulas."""
        every = list(formulas)
        return cls(
            Counter(chain.from_iterable(each.choices for each in every)),
            Counter(chain.from_iterable(each.numbers for each in every)),
            Counter(each.key for each in every if not each.has_ties),
        )


def describe(expressions: Sequence[Expression], is_free: Sequence[Sequence[bool]]) -> list[Description]:
    """Encode the structure of each expression; `is_free` marks its fitted constants, breadth-first."""
    if not expressions:
        return []
    batch = Batch.of(expressions)
    mask = batch.mask(is_free).view(np.uint8)
    choices, row_of_choice, row_of_number, place, number, row_of_variable, column = _core.describe_structures(
        batch.vocabulary.core, batch.tokens, batch.constants, mask
    )
    every_choice = list(map(tuple, choices.tolist()))
    every_number = list(zip(place.tolist(), number.tolist(), strict=True))
    n = len(expressions)
    return [
        Description(tuple(every_choice[a:b]), tuple(every_number[c:d]), tuple(column[e:f].tolist()))
        for (a, b), (c, d), (e, f) in zip(
            _edges(row_of_choice, n), _edges(row_of_number, n), _edges(row_of_variable, n), strict=True
        )
    ]


def n_fitted(description: Description) -> int:
    """Return the number of fitted constants, counting those of one product or sum as one."""
    constant = _core.SYMBOLS.index("constant")
    return sum(
        chosen == constant or (bool(is_listed) and chosen == constant + len(_core.SYMBOLS))
        for is_listed, _, _, _, chosen in description.choices
    )


def _edges(rows: NDArray[np.int64], n: int) -> Iterator[tuple[int, int]]:
    edges = np.searchsorted(rows, np.arange(n + 1)).tolist()
    return zip(edges[:-1], edges[1:], strict=True)


class NumberCode:
    """Nats of the value of a number, given its place: 2 is a common exponent."""

    def __init__(self, numbers: Mapping[tuple[int, float], int]) -> None:
        self._everywhere: Counter[float] = Counter()
        self._at: dict[int, Counter[float]] = {place: Counter() for place in range(len(NUMBER_PLACES))}
        for (place, value), count in numbers.items():
            self._everywhere[value] += count
            self._at[place][value] += count
        self.nats = cache(self._nats)
        """nats of each value at each place"""

    def common(self, place: int, most_nats: float) -> list[tuple[float, float]]:
        """Return the values at a place that cost at most `most_nats`, with their nats."""
        priced = [(value, self.nats(place, value)) for value in self._at[place]]
        return sorted((each for each in priced if each[1] <= most_nats), key=lambda each: each[1])

    def tables(self, most_nats: float) -> list[list[tuple[float, float]]]:
        """Return the `common` values of each place."""
        return [self.common(place, most_nats) for place in range(len(NUMBER_PLACES))]

    def _nats(self, place: int, value: float) -> float:
        # mixed like the choices of structures, with a universal code as the last part for any number
        chance = exp(-nats_of(value))
        for known in (self._everywhere, self._at[place]):
            n, n_kinds = known.total(), max(len(known), 1)
            chance = (known[value] + n_kinds * chance) / (n + n_kinds)
        return -log(chance) if chance > 0.0 else inf


class StructureCode:
    """The nats of structures."""

    def __init__(self, counts: Counts) -> None:
        rows = np.array(list(counts.choices), dtype=np.uint8).reshape(-1, 5)
        n_each = np.array(list(counts.choices.values()), dtype=np.int64)
        choices = np.ascontiguousarray(np.repeat(rows, n_each, axis=0))
        self.core = _core.StructureCode(choices, list(counts.forms.items()))
        self.numbers = NumberCode(counts.numbers)

    @classmethod
    def learned(cls, formulas: Iterable[Description]) -> StructureCode:
        """Learn a code from formulas that people use."""
        return cls(Counts.of(formulas))

    def nats(self, description: Description, n_variables: int) -> float:
        """Return the nats of the whole structure, whose variables are among `n_variables`."""
        choices = float(self.core.nats(np.array(description.choices, dtype=np.uint8)).sum())
        numbers = sum(self.numbers.nats(place, value) for place, value in description.numbers)
        one_by_one = choices + numbers + len(description.variables) * log(max(n_variables, 1))
        return self.core.mixed_nats(description.key, max(n_variables, 1), one_by_one)

    def prices(self, expressions: Sequence[Expression], is_free: Sequence[Sequence[bool]]) -> Floats:
        """Return the nats of expressions without the digits of their free constants, which `is_free` marks.

        Any other constant is a number of the structure, such as the 2 of x^2, or a constant with a simple
        value, such as the 2 of 2 * x, whichever is cheaper.
        """
        batch = Batch.of(expressions)
        rows = batch.vocabulary.core, batch.tokens, batch.constants, batch.mask(is_free).view(np.uint8)
        return self.core.prices(*rows, self.numbers.nats, nats_of_measured)


def _choice(kind: str, first: str, second: str, chosen: str) -> Choice:
    if kind == "symbol":
        return 0, _core.PLACES.index(first), _core.PLACES.index(second), 0, _core.SYMBOLS.index(chosen)
    place = _core.PLACES.index(second)
    return 1, int(kind == "product"), LISTED.index(first), place, LISTED.index(chosen)


def read_counts(choices: str, numbers: str, forms: str) -> Counts:
    """Read the counts that benchmarks/structure_tables.py wrote."""
    counts = Counts(Counter(), Counter(), Counter())
    for line in choices.splitlines():
        kind, first, second, chosen, n = line.split("\t")
        counts.choices[_choice(kind, first, second, chosen)] = int(n)
    for line in numbers.splitlines():
        place, value, n = line.split("\t")
        counts.numbers[NUMBER_PLACES.index(place), float(value)] = int(n)
    for line in forms.splitlines():
        n, words = line.split("\t")
        counts.forms[_form(words)] = int(n)
    return counts


def _form(words: str) -> Form:
    chosen, numbers, variables = [], [], []
    for word in words.split():
        sign, bare = ("-", word[1:]) if word.startswith("-") else ("", word)
        if bare.startswith("#"):
            numbers.append(float(bare[1:]))
            bare = "number"
        elif bare.startswith("x"):
            variables.append(int(bare[1:]))
            bare = "variable"
        chosen.append(_INDEX_OF_LISTED[f"{sign}{bare}"])
    return tuple(chosen), tuple(numbers), tuple(variables)
