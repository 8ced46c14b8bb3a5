"""What a finished or unfinished run holds: a run folder, or the model file of one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ddsr.errors import MethodError

if TYPE_CHECKING:
    from ddsr.estimator import DDSRRegressor
    from ddsr.runs import RunFolder

UNNAMED = "y"


@dataclass(frozen=True)
class Opened:
    """A model, and the run that it is of, where that is known."""

    path: str
    model: DDSRRegressor
    target: str
    run: RunFolder | None = None

    @property
    def features(self) -> tuple[str, ...]:
        """The columns that predictions need."""
        return tuple(self.model.best_.equation.vocabulary.variables)

    def facts(self) -> dict[str, Any]:
        """What `ddsr show` says beside the equations."""
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
    """A run folder with the best it has so far, or a model file."""
    from ddsr.estimator import DDSRRegressor
    from ddsr.model_file import read_model
    from ddsr.runs import RunFolder

    if not Path(path).is_file():
        run = RunFolder.open(path)
        return Opened(path, run.model(), run.asked.target or UNNAMED, run)
    targets = read_model(Path(path)).targets
    if len(targets) > 1:
        raise MethodError(f"{path} is a model of several targets: use it from Python")
    return Opened(path, DDSRRegressor.load(path), targets[0] or UNNAMED)
