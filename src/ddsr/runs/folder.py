"""The folder of a run: what was asked, the data, the state every few seconds, the best model so far."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ddsr.data import check_whole
from ddsr.errors import DataError, MethodError, RunError
from ddsr.estimator import LARGEST_SEED, DDSRRegressor
from ddsr.files import ASIDE, read_whole, reason_of, write_whole
from ddsr.model_file import read_json, to_text
from ddsr.parameters import from_json, to_json
from ddsr.runs import lock, log
from ddsr.runs.journal import INTERVAL, MODEL, FolderJournal, OnState
from ddsr.runs.states import State, forget_after, has_states, leftovers, newest_state
from ddsr.saved import from_bytes, restoring, to_bytes
from ddsr.version import ddsr_version

FORMAT, VERSION = "ddsr run", 1
RUN, DATA = "run.json", "data.npz"

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Asked:
    """What `run.json` holds: all that a run was asked to do."""

    parameters: Mapping[str, Any]
    """of the estimator, as JSON; the seed is `random_state`"""
    features: tuple[str, ...]
    has_feature_names: bool
    target: str | None
    fingerprint: str
    """of the data"""
    max_time: float | None
    """with what was asked for since"""
    max_epochs: int | None
    versions: Mapping[str, str]
    """of ddsr, Python and NumPy, when the run was made"""


@dataclass(frozen=True, eq=False)
class Table:
    """The data of a run."""

    X: Floats
    y: Floats
    sample_weight: Floats | None

    def fingerprint(self, features: Sequence[str]) -> str:
        """A number that other data, or other names, do not have."""
        digest = hashlib.sha256("\0".join(features).encode())
        for part in (self.X, self.y, self.sample_weight):
            digest.update(b"none" if part is None else repr(part.shape).encode() + part.tobytes())
        return digest.hexdigest()


class RunFolder:
    """A fit that goes on after its process is gone.

    `create(...).fit()` starts it and saves as it goes; `open(path).resume()` goes on, exactly as the fit
    would have gone on: see docs/runs.md. `model()` is the best so far, at any time and from any process.
    """

    def __init__(self, path: Path, asked: Asked) -> None:
        """For `create` and `open`."""
        self.path, self.asked = path, asked

    @classmethod
    def create(
        cls,
        path: str | PathLike[str],
        X: ArrayLike,
        y: ArrayLike,
        *,
        feature_names: Sequence[str] | None = None,
        target: str | None = None,
        sample_weight: ArrayLike | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> RunFolder:
        """Check everything, then make the folder, which must not exist yet or be empty.

        `parameters` are those of `DDSRRegressor` by name, all but `callback`. Without `feature_names` those
        of a DataFrame are taken.
        """
        model = _model_of(dict(parameters or {}))
        names, has_names = _names_of(X, feature_names)
        table = _checked(model, X, y, sample_weight, names)
        folder, features = Path(path), names or [f"x{k}" for k in range(table.X.shape[1])]
        asked = Asked(
            parameters=to_json(model.get_params(deep=False)),
            features=tuple(features),
            has_feature_names=has_names,
            target=target,
            fingerprint=table.fingerprint(features),
            max_time=None if model.max_time is None else float(model.max_time),
            max_epochs=None if model.max_epochs is None else int(model.max_epochs),
            versions={"ddsr": ddsr_version(), "python": platform.python_version(), "numpy": np.__version__},
        )
        _make(folder, asked, table)
        return cls(folder, asked)

    @classmethod
    def open(cls, path: str | PathLike[str]) -> RunFolder:
        """The run of a folder; raises `RunError` where it is none that this version can go on with."""
        folder = Path(path)
        if not folder.is_dir():
            raise RunError(f"there is no run folder at {folder}")
        if not (folder / RUN).exists():
            raise RunError(f"{folder} is no run folder: it has no {RUN}")
        written = read_json(folder / RUN, FORMAT, VERSION, "run")
        if written["format_version"] != VERSION:
            raise RunError(
                f"{folder} was made by an older ddsr ({written.get('ddsr_version')}), and this one cannot go "
                f"on with it; `load_model` reads its {MODEL}"
            )
        with restoring(f"run ({folder / RUN})"):
            return cls(folder, _read_asked(written))

    def fit(self, on_state: OnState | None = None, interval: float = INTERVAL) -> DDSRRegressor:
        """Run the fit, saving every few seconds (`interval`, or more where saving is slow) and at the end.

        `on_state` is called with the `SearchState` after every epoch. Ctrl-C ends the fit with the best so
        far, and `resume` goes on with it later.
        """
        with lock.locked(self.path):
            if has_states(self.path):
                raise RunError(f"the run in {self.path} has begun already: resume it, or make another folder")
            return self._run(None, on_state, interval)

    def resume(
        self,
        on_state: OnState | None = None,
        more_time: float | None = None,
        more_epochs: int | None = None,
        interval: float = INTERVAL,
    ) -> DDSRRegressor:
        """Go on from the last state that was saved; seconds that were spent by then count.

        A fit that has ended goes on if it is given `more_time` (seconds) or `more_epochs`, and else is
        returned as it is.
        """
        with lock.locked(self.path):
            state = newest_state(self.path)
            if more_time is not None or more_epochs is not None:
                state = self._extend(state, more_time, more_epochs)
            elif state is not None and state.stopped_by is not None:
                return self.model()
            return self._run(state, on_state, interval)

    def model(self) -> DDSRRegressor:
        """The best so far; of a fit that has ended, what it came to."""
        return DDSRRegressor.load(self.path / MODEL)

    def log(self) -> list[dict[str, Any]]:
        """A dict an epoch: epoch, seconds, n_scored, equation, size, nrmse, gains."""
        return log.read(self.path)

    @property
    def stopped_by(self) -> str | None:
        """What ended the fit; None while it runs, and where it was killed or interrupted."""
        state = newest_state(self.path)
        return None if state is None else state.stopped_by

    def data(self) -> Table:
        """X, y and weights; raises `RunError` where they are not those that the run began with."""
        path = self.path / DATA
        saved = from_bytes(read_whole(path, "data"))
        with restoring(f"data ({path})"):
            table = Table(saved["X"], saved["y"], saved["sample_weight"])
            if table.fingerprint(self.asked.features) != self.asked.fingerprint:
                raise RunError(f"{path} is damaged: it is not the data that the run began with")
        return table

    def _run(self, before: State | None, on_state: OnState | None, interval: float) -> DDSRRegressor:
        for leftover in leftovers(self.path, ASIDE):
            with suppress(OSError):
                leftover.unlink()
        n_epochs = before.n_epochs if before else 0
        forget_after(self.path, n_epochs)
        log.cut(self.path, n_epochs)
        table, model = self.data(), self._model()
        names = self.asked.features if self.asked.has_feature_names else None
        journal = FolderJournal(self.path, model, before, on_state, interval)
        model._fit(_frame(table.X, names), table.y, table.sample_weight, journal)
        journal.end(model._outcome)
        return model

    def _model(self) -> DDSRRegressor:
        limits = {"max_time": self.asked.max_time, "max_epochs": self.asked.max_epochs}
        known = set(DDSRRegressor().get_params(deep=False))
        with restoring(f"run ({self.path / RUN})"):
            return DDSRRegressor(**from_json(self.asked.parameters, known) | limits)

    def _extend(self, state: State | None, more_time: float | None, more_epochs: int | None) -> State | None:
        """Raise the limits; one that has ended the fit and is not raised no longer holds."""
        max_time, max_epochs = self.asked.max_time, self.asked.max_epochs
        stopped_by = state.stopped_by if state else None
        if more_time is not None:
            _check_seconds(more_time)
            spent = state.seconds if state else 0.0
            max_time = more_time + (spent if max_time is None else max_time)
        elif stopped_by == "max_time":
            max_time = None
        if more_epochs is not None:
            check_whole(more_epochs, "more_epochs", least=1)
            done = state.n_epochs if state else 0
            max_epochs = more_epochs + (done if max_epochs is None else max_epochs)
        elif stopped_by == "max_epochs":
            max_epochs = None
        self.asked = replace(self.asked, max_time=max_time, max_epochs=max_epochs)
        write_whole(self.path / RUN, _written(self.asked))
        if state is None:
            return None
        with restoring("state"):
            progress = state.fit["progress"] | {"n_idle_epochs": 0}  # its patience begins anew
        return replace(state, fit=state.fit | {"progress": progress}, stopped_by=None)


def _model_of(parameters: dict[str, Any]) -> DDSRRegressor:
    """The estimator of these parameters, with a number for its seed, so that it is the same when it goes on."""
    known = DDSRRegressor().get_params(deep=False)
    for name in parameters:
        if name not in known:
            raise MethodError(f"DDSRRegressor has no parameter {name!r}; it has: {', '.join(known)}")
    if parameters.get("callback") is not None:
        raise MethodError("a run folder cannot keep a callback: give it to fit and resume as on_state")
    if not isinstance(parameters.get("random_state"), (int, np.integer)):
        random = check_random_state(parameters.get("random_state"))
        parameters["random_state"] = int(random.randint(LARGEST_SEED))
    return DDSRRegressor(**parameters)


def _names_of(X: ArrayLike, feature_names: Sequence[str] | None) -> tuple[list[str] | None, bool]:
    if feature_names is None:
        columns = getattr(X, "columns", None)
        if columns is None or not all(isinstance(name, str) for name in columns):
            return None, False
        feature_names = list(columns)
    return [str(name) for name in feature_names], True


def _checked(
    model: DDSRRegressor, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, names: list[str] | None
) -> Table:
    """The data as the estimator reads them; whatever it would refuse is refused now."""
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise DataError(f"a run folder holds the fit of one target, and y has {np.shape(y)[1]}: make a folder each")
    if names is not None and not hasattr(X, "columns"):
        rows = np.asarray(X)
        if rows.ndim != 2 or rows.shape[1] != len(names):
            raise DataError(f"X has the shape {rows.shape}, but there are {len(names)} feature_names")
        X = pd.DataFrame(rows, columns=names)
    return Table(*model._check(X, y, sample_weight))


def _check_seconds(seconds: object) -> None:
    is_number = isinstance(seconds, (int, float, np.number)) and not isinstance(seconds, bool)
    if not (is_number and 0 < seconds < math.inf):  # type: ignore[operator]
        raise MethodError(f"more_time must be a number of seconds above 0, got {seconds!r}")


def _frame(X: Floats, names: Sequence[str] | None) -> Any:
    return X if names is None else pd.DataFrame(X, columns=list(names))


def _make(folder: Path, asked: Asked, table: Table) -> None:
    """Make the folder and its first files, or leave nothing behind."""
    try:
        is_new = not folder.exists()
        folder.mkdir(parents=True, exist_ok=True)
        if not is_new and (folder / RUN).exists():
            raise RunError(f"{folder} holds a run already: resume it, or choose another folder")
        if any(entry.name != lock.FILE for entry in folder.iterdir()):
            raise RunError(f"{folder} is not empty, and no run folder: choose another one")
    except OSError as error:
        raise RunError(f"cannot make the run folder {folder}: {reason_of(error)}") from error
    data = {"X": table.X, "y": table.y, "sample_weight": table.sample_weight}
    try:
        with lock.locked(folder):
            write_whole(folder / DATA, to_bytes(data))
            write_whole(folder / RUN, _written(asked))
    except BaseException:
        with suppress(OSError):
            for name in (DATA, lock.FILE):
                (folder / name).unlink(missing_ok=True)
            if is_new:
                folder.rmdir()
        raise


def _written(asked: Asked) -> bytes:
    return to_text(
        {
            "format": FORMAT,
            "format_version": VERSION,
            "ddsr_version": asked.versions.get("ddsr"),
            "seed": asked.parameters.get("random_state"),
            "features": list(asked.features),
            "has_feature_names": asked.has_feature_names,
            "target": asked.target,
            "fingerprint": asked.fingerprint,
            "max_time": asked.max_time,
            "max_epochs": asked.max_epochs,
            "versions": dict(asked.versions),
            "parameters": dict(asked.parameters),
        }
    ).encode()


def _read_asked(written: Mapping[str, Any]) -> Asked:
    parameters, versions = written["parameters"], written["versions"]
    if not isinstance(parameters, dict) or not isinstance(versions, dict):
        raise ValueError("it has no parameters")
    return Asked(
        parameters=parameters,
        features=tuple(map(str, written["features"])),
        has_feature_names=bool(written["has_feature_names"]),
        target=written["target"],
        fingerprint=str(written["fingerprint"]),
        max_time=written["max_time"],
        max_epochs=written["max_epochs"],
        versions=versions,
    )
