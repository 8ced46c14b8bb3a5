"""The settings of a run: the file `run.json` of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ddsr.data.preparation import Preparation
from ddsr.errors import RunError
from ddsr.estimator.model_file import read_json, to_text
from ddsr.estimator.parameters import from_json, to_json
from ddsr.storage.files import write_whole
from ddsr.storage.folders import check_run_folder
from ddsr.storage.lock_file import is_signed
from ddsr.storage.saved import restoring

FILE = "run.json"
LOCK = "lock"
FORMAT, VERSION = "ddsr run", 1


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The settings of a run."""

    ddsr_version: str
    """version that created the folder"""
    versions: Mapping[str, str]
    """versions of Python and NumPy at that time"""
    seed: int
    features: tuple[str, ...]
    has_feature_names: bool
    """False if the data had no column names; they are then x0, x1, …"""
    target: str | None
    fingerprint: str
    """hash of the data"""
    max_time: float | None
    """time limit in seconds, including what `resume` has added"""
    max_epochs: int | None
    parameters: Mapping[str, Any]
    """parameters of the estimator when the run was created, as JSON"""
    preparation: Mapping[str, Any] | None = None
    """how the table was prepared, as JSON; None if it was read as it is"""

    def prepared(self) -> Preparation | None:
        """Return how the table was prepared, or None."""
        with restoring("run"):
            return None if self.preparation is None else Preparation.from_json(self.preparation)

    def write(self, folder: Path) -> None:
        """Write the file into the folder."""
        limits = to_json({"max_time": self.max_time})  # it may be infinite
        written = {"format": FORMAT, "format_version": VERSION, **asdict(self), **limits}
        write_whole(folder / FILE, to_text(written).encode())


def read_asked(folder: Path) -> Asked:
    """Read the settings of a run; raise `RunError` if this version cannot resume it."""
    check_run_folder(folder)
    path = folder / FILE
    if not path.exists() and is_signed(folder / LOCK):
        raise RunError(
            f"{folder} has no {FILE}: the process that created the run was killed before it began. Start "
            "the fit again with the same folder."
        )
    if not path.exists():
        raise RunError(f"{folder} is not a run folder: it has no {FILE}")
    written = read_json(path, FORMAT, VERSION, "run")
    if written["format_version"] != VERSION:
        raise RunError(
            f"{folder} was created by an older ddsr ({written.get('ddsr_version')}), and this version cannot "
            "resume it; it may still be able to read its model.json"
        )
    with restoring(f"run ({path})"):
        written |= from_json({"max_time": written["max_time"]}, {"max_time"})
        written.setdefault("preparation", None)  # missing in folders of earlier versions
        _check_kinds(written)
        kept = {field.name: written[field.name] for field in fields(Asked)}
        return Asked(**kept | {"features": tuple(map(str, written["features"]))})


def _check_kinds(written: Mapping[str, Any]) -> None:
    kinds = {
        "ddsr_version": str,
        "seed": int,
        "has_feature_names": bool,
        "fingerprint": str,
        "parameters": dict,
        "versions": dict,
        "target": (str, type(None)),
        "max_time": (int, float, type(None)),
        "max_epochs": (int, type(None)),
        "preparation": (dict, type(None)),
    }
    for name, kind in kinds.items():
        if not isinstance(written[name], kind):  # type: ignore[arg-type]
            raise ValueError(f"{name} is {written[name]!r}")
