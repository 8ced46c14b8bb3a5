"""The data of a trial, as in SRBench: the seed of the trial determines its rows, split and noise."""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError
from ddsr_bench.problems.formula import evaluate_formula
from ddsr_bench.problems.suites import BenchmarkProblem, sample_rows
from ddsr_bench.problems.tabular import read_columns

if TYPE_CHECKING:
    import pandas

MOST_ROWS = 10_000
TRAIN_FRACTION = 0.75


@dataclass(frozen=True)
class Split:
    """The data of one trial; only `y_train` has noise."""

    X_train: pandas.DataFrame
    y_train: NDArray[np.float64]
    X_test: pandas.DataFrame
    y_test: NDArray[np.float64]


def make_data(problem: BenchmarkProblem, seed: int, noise: float, data_dir: Path | None = None) -> Split:
    """Return the data of a trial: 75 % of the rows for training, but at most 10,000 of a larger table.

    As in SRBench, N(0, noise · RMS(y_train)) is added to the training target; the test target has no noise.
    """
    if not 0 <= noise < math.inf:
        raise BenchError(f"noise is a fraction of the target's RMS and must be at least 0, not {noise}")
    rng = np.random.default_rng([seed, zlib.crc32(problem.name.encode())])
    X, y = _drawn(problem, rng) if problem.source == "uniform" else _kept(problem, data_dir)
    train, test = split_rows(len(y), seed)
    if len(y) > MOST_ROWS:
        train = draw_again(train, seed)
    y_train, y_test = y[train], y[test]
    X_train, X_test = (X.iloc[rows].reset_index(drop=True) for rows in (train, test))
    if problem.is_standardised:
        X_train, X_test = standardise(X_train, X_test)
        y_train, y_test = standardise(y_train, y_test)
    if noise:
        y_train = y_train + rng.normal(0.0, noise * np.sqrt(np.mean(y_train**2)), len(y_train))
    return Split(X_train, y_train, X_test, y_test)


def split_rows(n_rows: int, seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the training and test rows of scikit-learn's `train_test_split`, which SRBench uses.

    Importing scikit-learn for it would take longer than the rest of a run's preparation.
    """
    order = np.random.RandomState(seed).permutation(n_rows)
    n_test = math.ceil((1 - TRAIN_FRACTION) * n_rows)
    return order[n_test : n_test + math.floor(TRAIN_FRACTION * n_rows)], order[:n_test]


def draw_again(train: NDArray[np.intp], seed: int) -> NDArray[np.intp]:
    """Draw the 10,000 training rows of SRBench from a larger table, with replacement as in SRBench."""
    drawn: NDArray[np.intp] = np.random.RandomState(seed).choice(train, size=MOST_ROWS)
    return drawn


def standardise(train: Any, test: Any) -> tuple[Any, Any]:
    """Scale the columns of both tables to mean 0 and variance 1 in `train`.

    A column that is constant up to rounding is only shifted, as in scikit-learn's StandardScaler.
    """
    columns = np.asarray(train, dtype=np.float64)
    mean, variance = columns.mean(axis=0), columns.var(axis=0)
    eps = np.finfo(np.float64).eps
    is_constant = variance <= len(columns) * eps * variance + (len(columns) * mean * eps) ** 2
    scale = np.where(is_constant, 1.0, np.sqrt(variance))
    return (train - mean) / scale, (test - mean) / scale


def _drawn(
    problem: BenchmarkProblem, rng: np.random.Generator
) -> tuple[pandas.DataFrame, NDArray[np.float64]]:
    from pandas import DataFrame

    assert problem.formula is not None
    X = sample_rows(problem, min(problem.n_rows, MOST_ROWS), rng)
    y = evaluate_formula(problem.formula, problem.variables, X)
    if not np.isfinite(y).all():
        raise BenchError(f"{problem.name}: {problem.formula} is not finite everywhere in its ranges")
    return DataFrame(X, columns=list(problem.variables)), y


def data_path(problem: BenchmarkProblem, data_dir: Path | None) -> Path:
    """Return the path of a problem's data; if they are missing, the error says how to get them."""
    if problem.path is not None:
        return Path(problem.path)
    fetch = (
        "get it with `pip install 'ddsr[bench]'` and `python -c \"import pmlb; "
        f"pmlb.fetch_data('{problem.name}', local_cache_dir='DIR')\"`, and pass --data DIR"
    )
    if data_dir is None:
        raise BenchError(f"the data of {problem.name} are measured and not part of ddsr: {fetch}")
    path = data_dir / problem.name / f"{problem.name}.tsv.gz"
    if not path.is_file():
        raise BenchError(f"{problem.name}: there is no {path}: {fetch}")
    return path


def _kept(problem: BenchmarkProblem, data_dir: Path | None) -> tuple[pandas.DataFrame, NDArray[np.float64]]:
    """Read the table of a problem, with the columns in the order of its variables."""
    path = data_path(problem, data_dir)
    X, y = read_columns(path)
    if problem.formula is None:
        if len(X.columns) != len(problem.variables):
            raise BenchError(f"{path} has {len(X.columns)} features, but {len(problem.variables)} are known")
        return X.set_axis(list(problem.variables), axis=1), y
    missing = [name for name in problem.variables if name not in X]
    if missing:
        raise BenchError(f"{path} has no column {', '.join(missing)}")
    return X[list(problem.variables)], y
