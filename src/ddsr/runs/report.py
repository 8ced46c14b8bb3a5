"""The report of a run folder."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ddsr.data.dataset import RowWeights
from ddsr.errors import RunError
from ddsr.report import Background, write_report
from ddsr.runs.folder import RunFolder

FILE = "report.html"
UNFINISHED = "not finished: the run is in progress or was stopped; this is the best result so far"


def report_of_run(
    run: RunFolder | str | PathLike[str], path: str | PathLike[str] | None = None, title: str | None = None
) -> Path:
    """Write the report of a run, by default to report.html in its folder."""
    folder = run if isinstance(run, RunFolder) else RunFolder.open(run)
    model = folder.model()._of_prepared()
    facts: dict[str, str] = {}
    if folder.stopped_by is None:
        facts["stopped because"] = UNFINISHED
    epochs = folder.log()
    if epochs:
        facts["expressions scored"] = f"{epochs[-1]['n_scored']:,}"
    X = y = None
    weights = RowWeights()
    try:
        data = folder.data()
        X, y, weights = data.frame, data.y, data.weights
    except RunError as error:
        facts["data"] = str(error)
    asked = folder.asked
    background = Background(
        seconds=float(epochs[-1]["seconds"]) if epochs else None,
        search=facts,
        machine={"ddsr": asked.ddsr_version, **asked.versions, "data (SHA-256)": asked.fingerprint[:16]},
        is_weighted=weights.sample_weight is not None,
        has_counts=weights.counts is not None,
        has_errors=weights.y_err is not None,
    )
    where = folder.path / FILE if path is None else Path(path)
    return write_report(model, where, X, y, target=asked.target or "y", title=title, background=background)
