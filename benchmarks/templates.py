"""How many laws are found of which about half is known, with 1 % noise: `python -m benchmarks.templates`.

The laws and what is known of each are in templates.csv. Data are drawn from the ranges there, with normal
noise of 1 % of the standard deviation of y. A law counts as found if the chosen equation, with its constants
fitted to rows without noise, is exact to 0.01 % of the standard deviation.
"""

from __future__ import annotations

import argparse
import csv
import zlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from ddsr import DDSRRegressor, Expression, Vocabulary
from ddsr.data.arrays import Floats
from ddsr.engine import Engine, values
from ddsr.expression import OPERATORS

LAWS = Path(__file__).parent / "templates.csv"
N_ROWS, NOISE, EXACT = 200, 0.01, 1e-4


@dataclass(frozen=True)
class KnownHalf:
    """A law and the part of it that is known."""

    name: str
    template: str
    formula: str
    ranges: tuple[tuple[str, float, float], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(name for name, _, _ in self.ranges)

    def rows(self, seed: int) -> Floats:
        """Draw rows of inputs."""
        random = np.random.default_rng([zlib.crc32(self.name.encode()), seed])
        drawn = [random.uniform(least, most, N_ROWS) for _, least, most in self.ranges]
        return np.ascontiguousarray(np.column_stack(drawn))

    def law(self, X: Floats) -> Floats:
        """Values without noise."""
        law = Expression.parse(self.formula, Vocabulary(self.columns, tuple(OPERATORS)))
        return np.asarray(values([law], X)[0][0])


@dataclass(frozen=True)
class Answer:
    """What was found for a law."""

    name: str
    seed: int
    is_found: bool
    equation: str


def read_laws(path: Path = LAWS) -> list[KnownHalf]:
    """Read the table of laws."""
    laws = []
    for row in csv.DictReader(path.read_text().splitlines()):
        parts = (each.split(":") for each in row["ranges"].split(";"))
        ranges = tuple((name, float(least), float(most)) for name, least, most in parts)
        laws.append(KnownHalf(row["name"], row["template"].replace(";", ","), row["formula"], ranges))
    return laws


def has_form(law: KnownHalf, equation: Expression) -> bool:
    """Return whether an equation becomes the law when its constants are fitted to rows without noise."""
    X = law.rows(seed=2**32 - 1)
    scores = Engine(equation.vocabulary, X, law.law(X)).refit([equation], max_steps=300)
    return bool(scores.nrmse[0] < EXACT)


def run(law: KnownHalf, seed: int, seconds: float, has_template: bool) -> Answer:
    """Search for a law on one core."""
    X = law.rows(seed)
    y = law.law(X)
    y = y + NOISE * y.std() * np.random.default_rng(seed).normal(size=N_ROWS)
    template = law.template if has_template else None
    model = DDSRRegressor(template=template, max_time=seconds, n_jobs=1, random_state=seed)
    model.fit(pd.DataFrame(X, columns=list(law.columns)), y)
    equation = model.best_.equation.expanded
    return Answer(law.name, seed, has_form(law, equation), equation.text(4))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all laws and print each answer and the share that was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--time", type=float, default=20.0, metavar="SECONDS", help="time limit of each search"
    )
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="searches of each law")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="searches at a time")
    parser.add_argument("--without", action="store_true", help="search for whole laws, without templates")
    given = parser.parse_args(arguments)
    laws = read_laws()
    tasks = [(law, seed) for seed in range(given.seeds) for law in laws]
    search = partial(run, seconds=given.time, has_template=not given.without)
    with ProcessPoolExecutor(given.jobs) as pool:
        answers = list(pool.map(search, *zip(*tasks, strict=True)))
    for answer in answers:
        print(f"{'found ' if answer.is_found else 'missed'} {answer.name}: {answer.equation}")
    n_found = sum(answer.is_found for answer in answers)
    print(f"found {n_found} of {len(answers)} ({n_found / len(answers):.0%}) in {given.time:g} s each")


if __name__ == "__main__":
    main()
