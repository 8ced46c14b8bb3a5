"""Learning curves for TensorBoard, an optional dependency."""

from __future__ import annotations

import math
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ddsr.errors import MethodError
from ddsr.search.loop import SearchState


def make_folder(folder: str) -> None:
    """Create the folder of a log; raise `MethodError` if that fails."""
    _writer_class()
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MethodError(
            f"cannot create the folder {folder} for TensorBoard: {error.strerror or error}"
        ) from error


class TensorBoardLog:
    """Write learning curves as TensorBoard event files, one point per epoch."""

    def __init__(self, folder: str) -> None:
        make_folder(folder)
        self._writer = _writer_class()(folder)
        self._began = time.monotonic()
        self._last_equation = ""

    def __call__(self, state: SearchState) -> None:
        """Take the state of an epoch."""
        stats = state.stats
        curves = {
            "search/best_reward": stats.best_reward,
            "search/mean_reward": stats.mean_reward,
            "search/reward_floor": stats.reward_floor,
            "search/distinct_share": stats.distinct_share,
            "search/invalid_share": stats.invalid_share,
            "search/repeated_share": stats.repeated_share,
            "search/candidates": float(state.n_scored),
            "search/seconds": time.monotonic() - self._began,
            **{f"gain/{source}": gain for source, gain in stats.gains.items()},
            **{f"seconds/{part}": seconds for part, seconds in stats.seconds.items()},
            **{
                f"update/{name}": value
                for name, value in (asdict(stats.update) if stats.update else {}).items()
            },
        }
        for name, value in curves.items():
            if math.isfinite(value):
                self._writer.add_scalar(name, value, state.epoch)
        equation = state.front.most_accurate().equation.text() if len(state.front) else ""
        if equation != self._last_equation:
            self._writer.add_text("most accurate equation", f"    {equation}", state.epoch)
            self._last_equation = equation

    def close(self) -> None:
        """Flush and close the files."""
        self._writer.close()


def _writer_class() -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise MethodError(
            "TensorBoard logs need the tensorboard package: pip install 'ddsr[tensorboard]'"
        ) from None
    return SummaryWriter
