"""Learning curves: the statistics of every epoch."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Scores
from ddsr.storage.saved import Saved


@dataclass(frozen=True)
class UpdateStats:
    """Means over the C updates of an epoch."""

    loss: float
    kl: float
    entropy: float
    clip_share: float
    """share of tokens whose ratio left the trust region"""


@dataclass(frozen=True)
class EpochStats:
    """One point of the learning curves."""

    best_reward: float
    mean_reward: float
    reward_floor: float
    """R_α of the joined pool; NaN if nothing is learned"""
    distinct_share: float
    """number of distinct expressions, as a share of the requested batch"""
    update: UpdateStats | None
    seconds: dict[str, float]
    """duration of the parts of the epoch: sample, score, update, refine, propose"""
    gains: dict[str, float] = field(default_factory=dict)
    """improvement of the front by each source, in log(NRMSE) summed over sizes"""
    invalid_share: float = np.nan
    """share of expressions in the batch without a finite reward"""
    repeated_share: float = np.nan
    """share of drawn expressions that repeat others of the epoch"""


class PartClock:
    """Measures the durations of an epoch's parts."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._started = time.perf_counter()

    def end(self, part: str) -> None:
        """Assign the time since the end of the last part to this part."""
        now = time.perf_counter()
        self.seconds[part] = now - self._started
        self._started = now


def describe(
    scores: Scores,
    reward: NDArray[np.float64],
    batch_size: int,
    reward_floor: float,
    update: UpdateStats | None,
    seconds: dict[str, float],
) -> EpochStats:
    """Return the epoch's point of the learning curves."""
    n_distinct = float((~scores.is_duplicate).sum())
    return EpochStats(
        best_reward=float(reward.max()),
        mean_reward=float(reward.mean()),
        reward_floor=reward_floor,
        distinct_share=n_distinct / batch_size,
        update=update,
        seconds=seconds,
        invalid_share=float(np.isinf(scores.nrmse).mean()),
        repeated_share=1.0 - n_distinct / (scores.batch.n_drawn or len(scores)),
    )


REWARDS = ("best_reward", "mean_reward", "reward_floor", "distinct_share")
SHARES = ("invalid_share", "repeated_share")
"""missing in files and states of earlier versions"""


def saved_curves(epochs: Sequence[EpochStats]) -> Saved:
    """Return the curves by column, with NaN for missing parts of an epoch."""
    nothing = (np.nan,) * 4
    updates = [nothing if stats.update is None else astuple(stats.update) for stats in epochs]
    return {
        "rewards": np.array([[getattr(stats, name) for name in REWARDS] for stats in epochs]),
        "shares": np.array([[getattr(stats, name) for name in SHARES] for stats in epochs]),
        "updates": np.array(updates),
        "has_update": np.array([stats.update is not None for stats in epochs]),
        "seconds": _columns([stats.seconds for stats in epochs]),
        "gains": _columns([stats.gains for stats in epochs]),
    }


def restored_curves(saved: Saved) -> list[EpochStats]:
    """Restore saved epochs; raise `ValueError` unless they hold real numbers."""
    seconds, gains = _rows(saved["seconds"]), _rows(saved["gains"])
    shares = saved.get("shares", np.full((len(saved["rewards"]), len(SHARES)), np.nan))
    for name, values in (("rewards", saved["rewards"]), ("updates", saved["updates"]), ("shares", shares)):
        _check_real(values, name)
    updates = zip(saved["updates"].tolist(), saved["has_update"].tolist(), strict=True)
    return [
        EpochStats(
            **dict(zip(REWARDS, rewards, strict=True)),
            **dict(zip(SHARES, share, strict=True)),
            update=UpdateStats(*update) if has_update else None,
            seconds=next(seconds),
            gains=next(gains),
        )
        for rewards, share, (update, has_update) in zip(
            saved["rewards"].tolist(), shares.tolist(), updates, strict=True
        )
    ]


def _columns(rows: Sequence[dict[str, float]]) -> Saved:
    """Return values by name and row; `is_there` marks those that were present."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    return {
        "names": names,
        "values": np.array([[row.get(name, np.nan) for name in names] for row in rows]),
        "is_there": np.array([[name in row for name in names] for row in rows], dtype=np.bool_),
    }


def _check_real(values: NDArray[np.generic], name: str) -> None:
    if values.dtype.kind not in "fiu":
        raise ValueError(f"{name} are of type {values.dtype}, not real numbers")


def _rows(columns: Saved) -> Iterator[dict[str, float]]:
    _check_real(columns["values"], "values")
    for values, is_there in zip(columns["values"].tolist(), columns["is_there"].tolist(), strict=True):
        named = zip(columns["names"], values, is_there, strict=True)
        yield {name: value for name, value, there in named if there}
