"""The folder of a run: settings, data, the state every few seconds, and the best model so far."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from ddsr.data.checks import check_whole
from ddsr.data.dataset import RowWeights
from ddsr.data.losses import LossFunction, NamedFunction, name_of
from ddsr.data.preparation import Preparation
from ddsr.errors import MethodError, RunError, did_you_mean
from ddsr.estimator.parameters import from_json, saved_parameters
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.estimator.symbolic import LARGEST_SEED
from ddsr.estimator.threads import threads_of
from ddsr.expression import CustomOperator
from ddsr.runs import asked as asking
from ddsr.runs import lock, log, table
from ddsr.runs.asked import Asked, read_asked
from ddsr.runs.journal import INTERVAL, MODEL, FolderJournal, OnState
from ddsr.runs.states import State, forget_after, has_states, newest_state, write_state
from ddsr.runs.table import RunData, checked_table, read_table
from ddsr.search.problem import Given
from ddsr.storage.files import clear_leftovers, is_leftover, reason_of
from ddsr.storage.lock_file import is_signed
from ddsr.storage.saved import restoring
from ddsr.storage.version import ddsr_version

# `stopped_by_` in the model of a fit that is in progress or was interrupted.
UNENDED = "interrupt"


class RunFolder:
    """A fit that is saved in a folder and can be resumed after an interrupt or a crash.

    `create(...).fit()` starts the fit and saves it every few seconds. `open(path).resume()` continues exactly
    as the fit would have (docs/runs.md). `model()` returns the best model so far, at any time and from any
    process.
    """

    def __init__(
        self,
        path: Path,
        asked: Asked,
        operators: Sequence[CustomOperator] = (),
        loss: LossFunction | None = None,
    ) -> None:
        """Use `create` or `open` instead."""
        self.path, self.asked, self.operators, self.loss = path, asked, tuple(operators), loss

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
        counts: ArrayLike | None = None,
        y_err: ArrayLike | None = None,
        parameters: Mapping[str, Any] | None = None,
        preparation: Preparation | None = None,
    ) -> RunFolder:
        """Check data and parameters, then create the folder, which must be new or empty.

        `parameters` maps the names of `DDSRRegressor` parameters to values; `callback` and
        `contributors` are not allowed.
        Without `feature_names`, the column names of a DataFrame are used. With a `preparation`, X and y have
        been prepared by it already.
        """
        model = _model_of(dict(parameters or {}))
        data = checked_table(
            model, X, y, RowWeights(sample_weight, counts, y_err), feature_names, preparation
        )
        prepared = data.preparation
        read = model._read(data.frame, data.y, data.weights, prepared)
        model._posed(read, started=0.0)
        asked = Asked(
            ddsr_version=ddsr_version(),
            versions={"python": platform.python_version(), "numpy": np.__version__},
            seed=model.get_params()["random_state"],
            features=data.features,
            has_feature_names=data.has_feature_names,
            target=target,
            fingerprint=data.fingerprint,
            max_time=None if model.max_time is None else float(model.max_time),
            max_epochs=None if model.max_epochs is None else int(model.max_epochs),
            parameters=saved_parameters(model.get_params(deep=False)),
            preparation=None if prepared is None else prepared.to_json(),
        )
        _make(Path(path), asked, data)
        loss = model.loss if callable(model.loss) else None
        return cls(Path(path), asked, _functions_among(model.operators), loss)

    @classmethod
    def open(
        cls,
        path: str | PathLike[str],
        operators: Sequence[CustomOperator] = (),
        loss: LossFunction | None = None,
    ) -> RunFolder:
        """Open the run in a folder; raise `RunError` if this version cannot resume it.

        The folder keeps only the names of Python functions. To resume such a run, pass the `operators` and
        the `loss` that are functions again.
        """
        return cls(Path(path), read_asked(Path(path)), operators, loss)

    def fit(
        self,
        on_state: OnState | None = None,
        interval: float = INTERVAL,
        contributors: Sequence[Given] = (),
    ) -> DDSRRegressor:
        """Run the fit and save it every `interval` seconds, less often if saving is slow, and at the end.

        An interval of 0 saves after every epoch. `on_state` is called with the `SearchState` after every
        epoch. Ctrl-C ends the fit with the best model so far, and `resume` can continue it later.
        `contributors` are those of `DDSRRegressor`; a run that has them needs them again when it is resumed.
        """
        with lock.locked(self.path):
            if has_states(self.path):
                raise RunError(
                    f"the run in {self.path} has already begun: resume it, or choose another folder"
                )
            return self._run(None, on_state, interval, contributors=contributors)

    def resume(
        self,
        on_state: OnState | None = None,
        more_time: float | None = None,
        more_epochs: int | None = None,
        interval: float = INTERVAL,
        n_jobs: int | None = None,
        contributors: Sequence[Given] = (),
    ) -> DDSRRegressor:
        """Resume the fit from its last saved state. The seconds spent until then count.

        A fit that has ended continues only with `more_time` (seconds) or `more_epochs`; otherwise its model
        is returned. `n_jobs` is the number of threads; None is the number that the run began with.
        `contributors` continue from their saved states by their names; those left out propose nothing more.
        """
        threads_of(n_jobs), self._model()  # check them before anything is written
        with lock.locked(self.path):
            state = newest_state(self.path)
            if more_time is not None or more_epochs is not None:
                state = self._extend(state, more_time, more_epochs)
            elif self._stopped_by(state) is not None:
                return self.model()
            return self._run(state, on_state, interval, n_jobs, contributors)

    def model(self) -> DDSRRegressor:
        """Return the best model so far, or the final model of a fit that has ended."""
        return DDSRRegressor.load(self.path / MODEL, self.operators)

    def log(self) -> list[dict[str, Any]]:
        """Return one dict per epoch: epoch, seconds, n_scored, equation, size, nrmse, gains."""
        return log.read(self.path)

    @property
    def stopped_by(self) -> str | None:
        """The reason why the fit ended; None if it is in progress or was killed or interrupted."""
        return self._stopped_by(newest_state(self.path))

    @property
    def is_choice_left(self) -> bool:
        """Whether the search has ended, but an interrupt came before an equation was chosen."""
        state = newest_state(self.path)
        return state is not None and state.ended_by is not None

    def _stopped_by(self, state: State | None) -> str | None:
        if state is not None:
            return state.stopped_by
        # A fit that ended before its first epoch, for example with an exact baseline, has only a model.
        stopped_by = self.model().stopped_by_ if (self.path / MODEL).exists() else UNENDED
        return None if stopped_by == UNENDED else stopped_by

    def data(self) -> RunData:
        """Return X, y, weights and counts; raise `RunError` if they differ from the original data."""
        asked = self.asked
        return read_table(self.path, asked.features, asked.has_feature_names, asked.fingerprint)

    def _run(
        self,
        before: State | None,
        on_state: OnState | None,
        interval: float,
        n_jobs: int | None = None,
        contributors: Sequence[Given] = (),
    ) -> DDSRRegressor:
        data, model, n_epochs = self.data(), self._model(), before.n_epochs if before else 0
        model.set_params(contributors=contributors)
        if n_jobs is not None:
            model.set_params(n_jobs=n_jobs)
        clear_leftovers(self.path)
        forget_after(self.path, n_epochs)
        log.cut(self.path, n_epochs)
        journal = FolderJournal(self.path, model, self.asked.target, before, on_state, interval)
        prepared = self.asked.prepared()
        model._fit(data.frame, data.y, data.weights, journal, prepared)
        journal.end(model.outcomes_[0])
        return model

    def _model(self) -> DDSRRegressor:
        limits = {"max_time": self.asked.max_time, "max_epochs": self.asked.max_epochs}
        known = set(DDSRRegressor().get_params(deep=False))
        with restoring(f"run ({self.path / asking.FILE})"):
            parameters = from_json(self.asked.parameters, known, self.operators) | limits
            if isinstance(parameters.get("loss"), NamedFunction):
                parameters["loss"] = self._loss_function(parameters["loss"].name)
            return DDSRRegressor(**parameters)

    def _loss_function(self, name: str) -> LossFunction:
        if self.loss is None:
            raise RunError(
                f"the loss {name!r} is a Python function, which files do not keep: pass it again, "
                f"RunFolder.open(path, loss={name})"
            )
        if name_of(self.loss) != name:
            raise RunError(f"the loss of this run is {name!r}, but {name_of(self.loss)!r} was given")
        return self.loss

    def _extend(self, state: State | None, more_time: float | None, more_epochs: int | None) -> State | None:
        """Raise the limits. A limit that ended the fit and is not raised is removed."""
        max_time, max_epochs = self.asked.max_time, self.asked.max_epochs
        stopped_by = (state.stopped_by or state.ended_by) if state else self._stopped_by(None)
        if more_time is not None:
            _check_seconds(more_time)
            spent = state.seconds if state else 0.0
            max_time = float(more_time) + (spent if max_time is None else max_time)
        elif stopped_by == "max_time":
            max_time = None
        if more_epochs is not None:
            check_whole(more_epochs, "more_epochs", least=1)
            done = state.n_epochs if state else 0
            max_epochs = int(more_epochs) + (done if max_epochs is None else max_epochs)
        elif stopped_by == "max_epochs":
            max_epochs = None
        parameters = dict(self.asked.parameters)
        if stopped_by == "stop_at":
            parameters["stop_at"] = None
        self.asked = replace(self.asked, max_time=max_time, max_epochs=max_epochs, parameters=parameters)
        self.asked.write(self.path)
        if state is None:
            return None
        with restoring("state"):
            progress = state.fit["progress"] | {"n_idle_epochs": 0}  # patience starts again
        extended = replace(state, fit=state.fit | {"progress": progress}, stopped_by=None, ended_by=None)
        write_state(self.path, extended)  # so that a kill before the next save leaves it unfinished
        return extended


def _functions_among(operators: Sequence[Any] | None) -> tuple[CustomOperator, ...]:
    return tuple(each for each in operators or () if isinstance(each, CustomOperator))


def _model_of(parameters: dict[str, Any]) -> DDSRRegressor:
    """Return the estimator with these parameters and a fixed seed, which `resume` uses, too."""
    known = DDSRRegressor().get_params(deep=False)
    for name in parameters:
        if name not in known:
            hint = did_you_mean(name, known)
            raise MethodError(f"DDSRRegressor has no parameter {name!r}{hint}; it has: {', '.join(known)}")
    if parameters.get("callback") is not None:
        raise MethodError("a run folder cannot save a callback: pass it to fit and resume as on_state")
    if len(parameters.get("contributors", ())):
        raise MethodError("a run folder cannot save contributors: pass them to fit and resume")
    seed: Any = parameters.get("random_state")
    is_number = isinstance(seed, (int, np.integer))
    parameters["random_state"] = int(seed if is_number else check_random_state(seed).randint(LARGEST_SEED))
    return DDSRRegressor(**parameters)


def _check_seconds(seconds: object) -> None:
    is_number = isinstance(seconds, (int, float, np.number)) and not isinstance(seconds, bool)
    if not (is_number and 0 < float(seconds) < math.inf):  # type: ignore[arg-type]
        raise MethodError(f"more_time must be a number of seconds above 0, got {seconds!r}")


def _make(folder: Path, asked: Asked, data: RunData) -> None:
    """Create the folder and its first files, or leave nothing behind."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"cannot create the run folder {folder}: {reason_of(error)}") from error
    try:
        check_is_empty(folder)  # before a lock file is created in a folder that is in use for something else
        with lock.locked(folder):
            check_is_empty(folder)
            clear_leftovers(folder)
            try:
                data.write(folder)
                asked.write(folder)
            except BaseException:
                for name in (table.FILE, lock.FILE):
                    (folder / name).unlink(missing_ok=True)
                raise
    except BaseException:
        if is_new:
            with suppress(OSError):  # another process may have begun to use it
                folder.rmdir()
        raise


def check_is_empty(folder: Path) -> None:
    """Refuse a folder that is not empty; leftovers of a process killed while creating it are allowed."""
    if (folder / asking.FILE).exists():
        raise RunError(f"{folder} already contains a run: resume it, or choose another folder")
    try:
        names = {entry.name for entry in folder.iterdir() if not is_leftover(entry.name)}
    except OSError as error:
        raise RunError(f"cannot read {folder}: {reason_of(error)}") from error
    ours = {lock.FILE, table.FILE} if is_signed(folder / lock.FILE) else {lock.FILE}
    if not names <= ours:
        raise RunError(f"{folder} is neither empty nor a run folder: choose another folder")
