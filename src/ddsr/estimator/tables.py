"""The result and the learning curves of a search as tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ddsr.data.arrays import Floats
from ddsr.engine import values
from ddsr.estimator.printed_tables import SHORT_TEXTS, EquationTable
from ddsr.expression import Expression
from ddsr.learning.curves import EpochStats, UpdateStats
from ddsr.search.contributors.names import GENERATOR, PRIOR, REFINER, SYMMETRIES
from ddsr.selection.outcome import Outcome

PARTS = ("sample", "score", "update", "refine", "prime", "reduce", "propose")
SOURCES = (REFINER, GENERATOR, PRIOR, SYMMETRIES)
NO_UPDATE = UpdateStats(loss=np.nan, kl=np.nan, entropy=np.nan, clip_share=np.nan)


def equations_table(outcome: Outcome) -> EquationTable:
    """Return one row per equation, by increasing size."""
    front, spread, n_rows = outcome.front, outcome.spread, outcome.n_counted
    table = EquationTable(
        {
            "complexity": [entry.size for entry in front],
            "loss": [outcome.loss.mean(entry.nrmse * spread) for entry in front],
            "r2": [1.0 - entry.nrmse**2 for entry in front],
            "description_length": [entry.description_length(n_rows) for entry in front],
            "reward": [1.0 / (1.0 + entry.nrmse) for entry in front],
            "equation": [entry.equation.text() for entry in front],
            "is_best": [row == outcome.chosen for row in range(len(front))],
        }
    )
    table.attrs[SHORT_TEXTS] = {entry.equation.text(): entry.short_text() for entry in front}
    return table


def sample_table(equation: Expression, X: Floats, y: Floats, rows: NDArray[np.intp]) -> pd.DataFrame:
    """Return true and predicted values on some rows."""
    predicted, _ = values([equation], np.ascontiguousarray(X[rows]), 1)
    return pd.DataFrame({"true": y[rows], "predicted": predicted[0]}, index=rows)


def inputs_table(outcome: Outcome, X: Floats, rows: NDArray[np.intp]) -> pd.DataFrame:
    """Return the inputs that a listed or a likely equation uses, on some rows."""
    entries = [*outcome.front, *(form.entry for form in outcome.forms)]
    used = {name for entry in entries for name in entry.equation.variables_used}
    names = outcome.best.expression.vocabulary.inputs
    columns = {name: X[rows, column] for column, name in enumerate(names) if name in used}
    return pd.DataFrame(columns, index=rows)


def curves_table(epochs: Sequence[EpochStats], every: int = 1) -> pd.DataFrame:
    """Return one row per epoch, or per `every` epochs; NaN for parts that a method does not have."""
    # the user's contributors come after ddsr's own
    parts = dict.fromkeys((*PARTS, *(part for stats in epochs for part in stats.seconds)))
    sources = dict.fromkeys((*SOURCES, *(source for stats in epochs for source in stats.gains)))
    columns = [*_curve_row(EpochStats(np.nan, np.nan, np.nan, np.nan, None, {}), parts, sources)]
    rows = [_curve_row(stats, parts, sources) for stats in epochs]
    table = pd.DataFrame(rows, columns=columns, dtype=np.float64)
    return table.set_index(table.index * every).rename_axis("epoch")


def _curve_row(stats: EpochStats, parts: Iterable[str], sources: Iterable[str]) -> dict[str, float]:
    return {
        "best_reward": stats.best_reward,
        "mean_reward": stats.mean_reward,
        "reward_floor": stats.reward_floor,
        "distinct_share": stats.distinct_share,
        "invalid_share": stats.invalid_share,
        "repeated_share": stats.repeated_share,
        **asdict(stats.update or NO_UPDATE),
        **{f"seconds_{part}": stats.seconds.get(part, 0.0) for part in parts},
        **{f"gain_{source}": stats.gains.get(source, np.nan) for source in sources},
    }
