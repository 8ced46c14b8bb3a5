"""Learning curves: what is recorded of every epoch."""

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
    """tokens whose ratio left the trust region"""


@dataclass(frozen=True)
class EpochStats:
    """One point of the learning curves."""

    best_reward: float
    mean_reward: float
    reward_floor: float
    """R_α of the joined pool; NaN where nothing is learned"""
    distinct_share: float
    """of the batch that was asked for"""
    update: UpdateStats | None
    seconds: dict[str, float]
    """of the epoch's parts: sample, score, update, refine, propose"""
    gains: dict[str, float] = field(default_factory=dict)
    """what each source added to the front, in log(NRMSE) summed over sizes"""
    invalid_share: float = np.nan
    """of the batch: expressions without a finite reward"""
    repeated_share: float = np.nan
    """of what was drawn: expressions that the epoch had drawn before"""


class PartClock:
    """Times the parts of an epoch."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._started = time.perf_counter()

    def end(self, part: str) -> None:
        """The time since the last part's end was this part's."""
        now = time.perf_counter()
        self.seconds[part] = now - self._started
        self._started = now


def describe(
    scores: Scores,
    batch_size: int,
    reward_floor: float,
    update: UpdateStats | None,
    seconds: dict[str, float],
) -> EpochStats:
    """The epoch's point of the learning curves."""
    n_distinct = float((~scores.is_duplicate).sum())
    return EpochStats(
        best_reward=float(scores.reward.max()),
        mean_reward=float(scores.reward.mean()),
        reward_floor=reward_floor,
        distinct_share=n_distinct / batch_size,
        update=update,
        seconds=seconds,
        invalid_share=float(np.isinf(scores.nrmse).mean()),
        repeated_share=1.0 - n_distinct / (scores.batch.n_drawn or len(scores)),
    )


REWARDS = ("best_reward", "mean_reward", "reward_floor", "distinct_share")
SHARES = ("invalid_share", "repeated_share")
"""which were not kept at first: files and states without them are read"""


def saved_curves(epochs: Sequence[EpochStats]) -> Saved:
    """A column a curve, NaN where an epoch has no such part."""
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
    """The epochs that were saved; raises `ValueError` where they hold anything but real numbers."""
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
    """Values by name, row by row; `is_there` tells those that were in a row from those that were not."""
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
