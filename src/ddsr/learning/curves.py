"""Learning curves: what is recorded of every epoch."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ddsr.engine import Scores


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
    return EpochStats(
        best_reward=float(scores.reward.max()),
        mean_reward=float(scores.reward.mean()),
        reward_floor=reward_floor,
        distinct_share=float((~scores.is_duplicate).sum() / batch_size),
        update=update,
        seconds=seconds,
    )
