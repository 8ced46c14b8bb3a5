"""Saved states of a fit, one file each; the newest two are kept."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ddsr.data.checks import check_whole
from ddsr.errors import RunError
from ddsr.storage.files import read_whole, write_whole
from ddsr.storage.saved import Saved, from_bytes, restoring, to_bytes

PATTERN = "state-*.npz"
# If the newest state is damaged, the previous one is used.
N_KEPT = 2


@dataclass(frozen=True)
class State:
    """State of a fit after an epoch."""

    fit: Saved
    """from `Fit.saved`"""
    n_epochs: int
    seconds: float
    """time that the fit has taken so far"""
    stopped_by: str | None
    """reason why the fit ended; None if it is unfinished"""
    ended_by: str | None = None
    """reason why the search ended, if an interrupt prevented the choice"""


def write_state(folder: Path, state: State) -> None:
    """Write a state and remove outdated ones."""
    names = ("seconds", "stopped_by", "n_epochs", "ended_by")
    written = {name: getattr(state, name) for name in names}
    write_whole(folder / f"state-{state.n_epochs:08d}.npz", to_bytes({"fit": state.fit, **written}))
    for outdated in _newest_first(folder)[N_KEPT:]:
        with suppress(OSError):
            outdated.unlink()


def newest_state(folder: Path) -> State | None:
    """Return the newest state that can be read, or None if there are none at all."""
    errors = []
    for path in _newest_first(folder):
        try:
            return _read(path)
        except RunError as error:
            errors.append(error)
    if errors:
        raise errors[0]
    return None


def forget_after(folder: Path, n_epochs: int) -> None:
    """Remove states of later epochs: they are damaged, or would be read instead of this one."""
    for path in _newest_first(folder):
        if path.stem > f"state-{n_epochs:08d}":
            with suppress(OSError):
                path.unlink()


def has_states(folder: Path) -> bool:
    """Return whether the fit has saved a state."""
    return bool(_newest_first(folder))


def _newest_first(folder: Path) -> list[Path]:
    return sorted(folder.glob(PATTERN), reverse=True)


def _read(path: Path) -> State:
    try:
        saved = from_bytes(read_whole(path, "state"))
        with restoring("state"):
            return _checked(saved)
    except RunError as error:
        raise RunError(f"{path}: {error}") from error


def _checked(saved: Saved) -> State:
    """Check the types of a tree that `write_state` wrote, and return its state."""
    fit, seconds, stopped_by = saved["fit"], saved["seconds"], saved["stopped_by"]
    n_epochs = check_whole(saved["n_epochs"], "n_epochs", least=0)
    if not isinstance(fit, dict):
        raise ValueError(f"fit is {fit!r}")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < math.inf:
        raise ValueError(f"seconds is {seconds!r}")
    ended_by = saved.get("ended_by")  # missing in files of earlier versions
    for name, reason in (("stopped_by", stopped_by), ("ended_by", ended_by)):
        if not (reason is None or isinstance(reason, str)):
            raise ValueError(f"{name} is {reason!r}")
    return State(fit, n_epochs, float(seconds), stopped_by, ended_by)
