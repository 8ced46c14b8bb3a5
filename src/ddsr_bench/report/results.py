"""The runs of one or several stores, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ddsr.errors import BenchError
from ddsr.storage.version import UNKNOWN
from ddsr_bench.runner.curves import FOLDER, curve_path
from ddsr_bench.runner.identity import mixed_problems_warning
from ddsr_bench.runner.starts import Start, read_starts
from ddsr_bench.runner.store import FILE, Key, Row, file_of, read_rows


@dataclass(frozen=True)
class Origin:
    """A store: its runs, and the recorded starts of the runner, if there are any."""

    starts: tuple[Start, ...]
    runs: frozenset[Key]


@dataclass(frozen=True)
class Results:
    """Different runs, and the paths of their learning curves."""

    rows: list[Row]
    warnings: list[str] = field(default_factory=list)
    curves: dict[Key, Path] = field(default_factory=dict)
    origins: list[Origin] = field(default_factory=list)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order in which they were run."""
        return tuple(dict.fromkeys(row.method for row in self.rows))

    def of(self, methods: Sequence[str]) -> Results:
        """Return the runs of these methods, in the order of the methods."""
        for method in methods:
            self.check_method(method)
        rows = [row for method in methods for row in self.rows if row.method == method]
        return replace(self, rows=rows)

    def of_problem(self, problem: str) -> Results:
        """Return the runs of one problem."""
        rows = [row for row in self.rows if row.problem == problem]
        if not rows:
            raise BenchError(f"there are no runs of the problem {problem!r}")
        return replace(self, rows=rows)

    def check_method(self, method: str) -> None:
        """Refuse a method without runs."""
        if method not in self.methods:
            raise BenchError(
                f"there are no runs of the method {method!r}; the methods are: {', '.join(self.methods)}"
            )


def read_results(stores: Sequence[str]) -> Results:
    """Read all runs of the stores. `LABEL=FOLDER` puts the label before the names of its methods.

    If a run is in a store twice, the first row counts. A run in two stores is an error.
    """
    rows: dict[Key, Row] = {}
    warnings: list[str] = []
    curves: dict[Key, Path] = {}
    origins: list[Origin] = []
    for store in stores:
        label, path = _label_and_file(store)
        contents = read_rows(path)
        started, unread = read_starts(path.parent)
        warnings += contents.warnings + unread
        known = set(rows)
        for row in contents.rows:
            named = replace(row, method=f"{label} {row.method}") if label else row
            if named.key in known:
                raise BenchError(
                    f"{named.key} is in {path.parent} and in an earlier store: distinguish them by a label, "
                    f"as in new={path.parent}"
                )
            if named.key in rows:
                warnings.append(f"{path}: {named.key} appears twice")
                continue
            rows[named.key] = named
            curves[named.key] = curve_path(path.parent / FOLDER, row.key)
        origins.append(Origin(tuple(started), frozenset(rows.keys() - known)))
    if not rows:
        raise BenchError(
            f"there are no runs in {', '.join(stores)}: create them with `ddsr bench run --store`"
        )
    mixed = mixed_problems_warning(rows.values())
    return Results(list(rows.values()), warnings + ([mixed] if mixed else []), curves, origins)


def _label_and_file(store: str) -> tuple[str, Path]:
    label, _, folder = store.partition("=")
    if Path(store).is_dir() or not folder:
        label, folder = "", store
    path = file_of(Path(folder))
    if path is None:
        raise BenchError(
            f"{folder} is not a store: it has no {FILE}; create one with `ddsr bench run --store {folder}`"
        )
    return label, path


def provenance(rows: Sequence[Row], origins: Sequence[Origin]) -> str:
    """Return a note on machines and versions; machines that no start describes appear by name."""
    starts = _starts_of(rows, origins)
    machines = [machine for start in starts for machine in start.machines]
    places: dict[str, None] = {}
    for host in sorted({row.host for row in rows}):
        known = [str(machine) for machine in machines if machine.host == host]
        places |= dict.fromkeys(known or [f"host {host}"])  # two machines may have one name
    known_versions = sorted({row.version for row in rows} - {UNKNOWN})  # otherwise the commit says it
    versions = f" {', '.join(known_versions)}" if known_versions else ""
    commits = dict.fromkeys(start.commit or "not a checkout" for start in starts)
    of_commits = f" (commit {', '.join(commits)})" if commits else ""
    return f"Our runs: {'; '.join(places)}; ddsr{versions}{of_commits}."


def commands(rows: Sequence[Row], origins: Sequence[Origin]) -> tuple[str, ...]:
    """Return a note for each command that made these runs."""
    return tuple(dict.fromkeys(f"Made by `{start.command}`." for start in _starts_of(rows, origins)))


def _starts_of(rows: Sequence[Row], origins: Sequence[Origin]) -> list[Start]:
    """Return the starts of the stores that have any of these runs."""
    keys = {row.key for row in rows}
    return [start for origin in origins if not keys.isdisjoint(origin.runs) for start in origin.starts]
