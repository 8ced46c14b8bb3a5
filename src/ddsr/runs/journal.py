"""Saves a fit in progress into its folder."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ddsr.estimator.fit import Fit
from ddsr.estimator.model_file import write_model
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.runs import log
from ddsr.runs.states import State, write_state
from ddsr.search.loop import SearchState
from ddsr.selection.outcome import Outcome

MODEL = "model.json"
# Minimum seconds between two saves, and minimum multiple of the time that a save takes, so that saving a
# large state costs a small share of the time.
INTERVAL, TIMES_A_SAVE = 5.0, 20.0

OnState = Callable[[SearchState], object]


class FolderJournal:
    """The `Journal` of a fit: one log line per epoch, and the state and the model every few seconds.

    The model is written before the state, so that the final state always comes with a model.
    """

    def __init__(
        self,
        folder: Path,
        model: DDSRRegressor,
        target: str | None,
        before: State | None,
        on_state: OnState | None = None,
        interval: float = INTERVAL,
    ) -> None:
        self.folder, self.model, self.target, self.before = folder, model, target, before
        self.on_state, self.interval = on_state, interval
        self.seconds_used = before.seconds if before else 0.0
        self._began = time.monotonic()
        self._due = 0.0
        self._last: tuple[Fit, SearchState, float] | None = None
        self._fit: Fit | None = None

    def begin(self, fit: Fit) -> None:
        """Restore the saved state; without one, write the baseline as the first model."""
        self._fit = fit
        if self.before is not None:
            fit.restore(self.before.fit, self.before.ended_by)
        else:
            self._write_model(fit.outcome)

    def note(self, fit: Fit, state: SearchState) -> None:
        """Log the epoch, call `on_state`, and save if it is time."""
        seconds = self.seconds_used + time.monotonic() - self._began
        self._last = fit, state, seconds
        fit.choose()
        log.append(self.folder, log.line_of(state, fit.best, seconds))
        try:
            if self.on_state is not None:
                self.on_state(state)
        except BaseException:
            self._save()
            raise
        if time.monotonic() >= self._due:
            self._save()

    def end(self, outcome: Outcome) -> None:
        """Save the model, and the state of the last epoch unless the next one was interrupted.

        If the choice was interrupted, the state says what ended the search, and `resume` makes the choice.
        """
        self._write_model(outcome)
        is_choice_left = self._fit is not None and self._fit.has_ended and self._fit.is_choice_cut
        if outcome.stopped_by == "interrupt" and not is_choice_left:
            return
        if self._last is not None:
            fit, state, seconds = self._last
            saved, n_epochs = fit.saved(state), state.epoch + 1
        elif self.before is not None:  # no epoch was left
            saved, n_epochs, seconds = self.before.fit, self.before.n_epochs, self.before.seconds
        else:
            return
        if is_choice_left and self._fit is not None:
            ended = State(saved, n_epochs, seconds, None, self._fit.progress.stopped_by)
        else:
            ended = State(saved, n_epochs, seconds, outcome.stopped_by)
        write_state(self.folder, ended)

    def _save(self) -> None:
        if self._last is None:
            return
        began = time.monotonic()
        fit, state, seconds = self._last
        self._write_model(fit.outcome)
        write_state(self.folder, State(fit.saved(state), state.epoch + 1, seconds, None))
        took = time.monotonic() - began
        wait = max(self.interval, TIMES_A_SAVE * took) if self.interval > 0.0 else 0.0
        self._due = began + took + wait

    def _write_model(self, outcome: Outcome) -> None:
        record = replace(self.model._record([outcome]), targets=(self.target,))
        write_model(record, self.folder / MODEL)
