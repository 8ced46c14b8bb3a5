"""Open a run folder or a model file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddsr.errors import MethodError, RunError
from ddsr.storage.folders import check_run_folder

if TYPE_CHECKING:
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.runs import RunFolder

UNNAMED = "y"


@dataclass(frozen=True)
class Opened:
    """A model and, if it comes from a run folder, its run."""

    path: str
    model: DDSRRegressor
    target: str
    run: RunFolder | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """The columns of a table that predictions need."""
        preparation = self.model.preparation_
        variables: tuple[str, ...] = self.model.best_.equation.vocabulary.inputs
        return variables if preparation is None else preparation.inputs

    def facts(self) -> dict[str, Any]:
        """Return what `ddsr show` reports in addition to the equations."""
        facts: dict[str, Any] = {"run": None, "target": self.target, "features": self.features}
        if self.run is not None:
            last = self.run.log()[-1:]
            facts["run"] = str(self.run.path)
            facts["is_over"] = self.run.stopped_by is not None
            facts["is_choice_left"] = self.run.is_choice_left
            facts["seconds"] = last[0]["seconds"] if last else 0.0
            facts["candidates"] = last[0]["n_scored"] if last else 0
        return facts


def open_model(path: str) -> Opened:
    """Open a run folder, with the best model so far, or a model file."""
    if not Path(path).is_file():
        check_run_folder(Path(path))  # before the slow imports, so that a typing error is answered at once
    from ddsr.estimator.model_file import read_model
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.runs import RunFolder

    if not Path(path).is_file():
        run = RunFolder.open(path)
        return Opened(path, run.model(), run.asked.target or UNNAMED, run)
    try:
        targets = read_model(Path(path)).targets
    except RunError as error:
        if Path(path).suffix == ".json":
            raise
        raise RunError(f"{path} is neither a run folder nor a model.json") from error
    if len(targets) > 1:
        raise MethodError(
            f"{path} has several targets, which the command line does not support: use it from Python"
        )
    return Opened(path, DDSRRegressor.load(path), targets[0] or UNNAMED)
