"""Laws with ranges of their inputs: rows are drawn from these, and an answer is compared with the law."""

from __future__ import annotations

import csv
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from ddsr import Expression, Vocabulary
from ddsr.data.arrays import Floats
from ddsr.engine import Engine, values
from ddsr.expression import OPERATORS

EXACT = 1e-4  # of the standard deviation of y
N_TEST_ROWS, TEST_SEED = 200, 2**32 - 1


@dataclass(frozen=True)
class Law:
    """A formula and the ranges of its inputs."""

    name: str
    formula: str
    ranges: tuple[tuple[str, float, float], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(name for name, _, _ in self.ranges)

    def rows(self, n_rows: int, seed: int) -> Floats:
        """Draw rows of inputs."""
        random = np.random.default_rng([zlib.crc32(self.name.encode()), seed])
        drawn = [random.uniform(least, most, n_rows) for _, least, most in self.ranges]
        return np.ascontiguousarray(np.column_stack(drawn))

    def values(self, X: Floats) -> Floats:
        """Return the values without noise."""
        law = Expression.parse(self.formula, Vocabulary(self.columns, tuple(OPERATORS)))
        return np.asarray(values([law], X)[0][0])

    def table(self, X: Floats) -> pd.DataFrame:
        """Return the rows with the names of the inputs."""
        return pd.DataFrame(X, columns=list(self.columns))

    def is_form_of(self, equation: Expression) -> bool:
        """Return whether an equation becomes the law when its constants are fitted to rows without noise."""
        X = self.rows(N_TEST_ROWS, TEST_SEED)
        scores = Engine(equation.vocabulary, X, self.values(X)).refit([equation], max_steps=300)
        return bool(scores.nrmse[0] < EXACT)


@dataclass(frozen=True)
class Answer:
    """What was found for a law."""

    name: str
    is_found: bool
    equation: str

    def __str__(self) -> str:
        return f"{'found ' if self.is_found else 'missed'} {self.name}: {self.equation}"


def share(answers: Sequence[Answer]) -> str:
    """Return how many laws were found."""
    n_found = sum(answer.is_found for answer in answers)
    return f"found {n_found} of {len(answers)} ({n_found / max(len(answers), 1):.0%})"


def read_rows(path: Path) -> Iterator[tuple[dict[str, str], Law]]:
    """Yield each row of a table of laws, and its law."""
    for row in csv.DictReader(path.read_text().splitlines()):
        parts = (each.split(":") for each in row["ranges"].split(";"))
        ranges = tuple((name, float(least), float(most)) for name, least, most in parts)
        yield row, Law(row["name"], row["formula"], ranges)


Task = TypeVar("Task")


def in_processes(search: Callable[[Task], Answer], tasks: Sequence[Task], n_jobs: int) -> list[Answer]:
    """Run a search for each task, `n_jobs` at a time."""
    with ProcessPoolExecutor(n_jobs) as pool:
        return list(pool.map(search, tasks))
