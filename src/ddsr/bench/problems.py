"""The problems with known equations, and the data of a trial.

A suite is a table with the columns name, formula, ranges and n: `ranges` reads `x:1:5;y:-2:2`, and n
rows are drawn uniformly in them. The 119 Feynman equations (Udrescu & Tegmark 2020), the 14 of Strogatz
(La Cava et al. 2016) and Nguyen-1 to -12 (Uy et al. 2011) lie beside this module.
"""

from __future__ import annotations

import csv
import keyword
import math
import zlib
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from ddsr.bench.formula import evaluate_formula
from ddsr.errors import BenchError

if TYPE_CHECKING:
    import pandas

SUITES = {
    "feynman": ("feynman",),
    "strogatz": ("strogatz",),
    "nguyen": ("nguyen",),
    "ground-truth": ("feynman", "strogatz"),
}
COLUMNS = ("name", "formula", "ranges", "n")
MOST_ROWS = 10_000
TRAIN_FRACTION = 0.75


@dataclass(frozen=True)
class Problem:
    """An equation to be found again."""

    name: str
    formula: str
    variables: tuple[str, ...]
    ranges: tuple[tuple[float, float], ...]
    """lowest and highest value of each variable"""
    n_rows: int
    source: Literal["uniform", "pmlb"] = "uniform"
    """drawn in the ranges, or the trajectories that the package pmlb keeps"""


@dataclass(frozen=True)
class Split:
    """The data of one trial; only `y_train` carries noise."""

    X_train: pandas.DataFrame
    y_train: NDArray[np.float64]
    X_test: pandas.DataFrame
    y_test: NDArray[np.float64]


def load_suite(name: str) -> tuple[Problem, ...]:
    """A suite by its name, or a CSV of formulas by its path."""
    if name in SUITES:
        return tuple(problem for table in SUITES[name] for problem in _shipped(table))
    path = Path(name)
    if path.is_file():
        return _read_table(path.read_text(), str(path), "uniform")
    known, columns = ", ".join(SUITES), ",".join(COLUMNS)
    raise BenchError(
        f"unknown suite {name!r}: known are {known}, or the path of a CSV with columns {columns}"
    )


def make_data(problem: Problem, seed: int, noise: float, data_dir: Path | None = None) -> Split:
    """The trial's data: rows and split by its seed, 75 % to train on, at most 10,000 rows.

    The training target gets N(0, noise·RMS(y_train)) on top, as in SRBench; the test target stays clean.
    """
    if not 0 <= noise < math.inf:
        raise BenchError(f"noise is a share of the target's RMS, so at least 0, not {noise}")
    rng = np.random.default_rng([seed, zlib.crc32(problem.name.encode())])
    X, y = _trajectory(problem, data_dir) if problem.source == "pmlb" else _drawn(problem, rng)
    if len(y) > MOST_ROWS:
        rows = np.sort(rng.choice(len(y), MOST_ROWS, replace=False))
        X, y = X.iloc[rows], y[rows]
    train, test = split_rows(len(y), seed)
    y_train, y_test = y[train], y[test]
    if noise:
        y_train = y_train + rng.normal(0.0, noise * np.sqrt(np.mean(y_train**2)), len(y_train))
    X_train, X_test = (X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    return Split(X_train, y_train, X_test, y_test)


def split_rows(n_rows: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on and to test on: those of scikit-learn's `train_test_split`, hence of SRBench.

    Drawn here because importing scikit-learn takes longer than many a run's other preparations.
    """
    order = np.random.RandomState(seed).permutation(n_rows)
    n_test = math.ceil((1 - TRAIN_FRACTION) * n_rows)
    return order[n_test : n_test + math.floor(TRAIN_FRACTION * n_rows)], order[:n_test]


def sample_rows(problem: Problem, n_rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Rows drawn uniformly in the ranges: (n_rows, n_variables)."""
    low, high = np.array(problem.ranges).T
    return rng.uniform(low, high, size=(n_rows, len(low)))


def _drawn(problem: Problem, rng: np.random.Generator) -> tuple[pandas.DataFrame, NDArray[np.float64]]:
    from pandas import DataFrame

    X = sample_rows(problem, min(problem.n_rows, MOST_ROWS), rng)
    y = evaluate_formula(problem.formula, problem.variables, X)
    if not np.isfinite(y).all():
        raise BenchError(f"{problem.name}: {problem.formula} is not finite everywhere in its ranges")
    return DataFrame(X, columns=list(problem.variables)), y


def trajectory_path(problem: Problem, data_dir: Path | None) -> Path:
    """Where pmlb keeps a problem's data; if it is not there, the error says how to get it."""
    fetch = (
        f"get it with `pip install pmlb` and `python -c \"import pmlb; pmlb.fetch_data('{problem.name}', "
        "local_cache_dir='DIR')\"`, and pass --data DIR"
    )
    if data_dir is None:
        raise BenchError(
            f"{problem.name} is measured along trajectories, which do not come with ddsr: {fetch}"
        )
    path = data_dir / problem.name / f"{problem.name}.tsv.gz"
    if not path.is_file():
        raise BenchError(f"{problem.name}: there is no {path}: {fetch}")
    return path


def _trajectory(problem: Problem, data_dir: Path | None) -> tuple[pandas.DataFrame, NDArray[np.float64]]:
    import pandas

    path = trajectory_path(problem, data_dir)
    table = pandas.read_csv(path, sep="\t")
    missing = [name for name in (*problem.variables, "target") if name not in table]
    if missing:
        raise BenchError(f"{path} has no column {', '.join(missing)}")
    y = table["target"].to_numpy(dtype=np.float64)
    return table[list(problem.variables)].astype(np.float64), y


def _shipped(table: str) -> tuple[Problem, ...]:
    text = files("ddsr.bench").joinpath("tables", f"{table}.csv").read_text(encoding="utf-8")
    return _read_table(text, table, "pmlb" if table == "strogatz" else "uniform")


def _read_table(text: str, origin: str, source: Literal["uniform", "pmlb"]) -> tuple[Problem, ...]:
    reader = csv.DictReader(StringIO(text))
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise BenchError(f"{origin}: no column {', '.join(missing)}; a suite has {','.join(COLUMNS)}")
    problems = tuple(_read_row(row, f"{origin}, line {reader.line_num}", source) for row in reader)
    names = [problem.name for problem in problems]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice or not names:
        raise BenchError(
            f"{origin}: " + (f"{', '.join(twice)} stands there twice" if twice else "no problems")
        )
    return problems


def _read_row(row: dict[str, str], where: str, source: Literal["uniform", "pmlb"]) -> Problem:
    try:
        parts = [part.split(":") for part in row["ranges"].split(";")]
        ranges = tuple((float(low), float(high)) for _, low, high in parts)
        n_rows = int(row["n"])
    except (ValueError, TypeError, AttributeError):
        raise BenchError(f"{where}: ranges read `x:1:5;y:-2:2` and n is a whole number, not {row}") from None
    variables = tuple(part[0].strip() for part in parts)
    if not all(name.isidentifier() or keyword.iskeyword(name) for name in variables):
        raise BenchError(f"{where}: {', '.join(variables)} are no names of variables")
    if len(set(variables)) < len(variables):
        raise BenchError(f"{where}: a variable has two ranges")
    if not all(-math.inf < low < high < math.inf for low, high in ranges):
        raise BenchError(f"{where}: a range goes from a lower to a higher number, not {row['ranges']!r}")
    if n_rows < 4:
        raise BenchError(f"{where}: n is {n_rows}, but training and test together need at least 4 rows")
    return Problem(row["name"], row["formula"], variables, ranges, n_rows, source)
