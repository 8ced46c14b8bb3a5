"""The runs of one or several stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ddsr.errors import BenchError
from ddsr_bench.report.provenance import Origin
from ddsr_bench.runner.curves import FOLDER, curve_path
from ddsr_bench.runner.identity import of_two_kinds
from ddsr_bench.runner.starts import read_starts
from ddsr_bench.runner.store import FILE, Key, Row, file_of, read_rows


@dataclass(frozen=True)
class Results:
    """Runs, none of them twice; `curves` says where the curve of a run would lie."""

    rows: list[Row]
    warnings: list[str] = field(default_factory=list)
    curves: dict[Key, Path] = field(default_factory=dict)
    origins: list[Origin] = field(default_factory=list)
    """the stores"""

    @property
    def methods(self) -> tuple[str, ...]:
        """In the order in which they were run."""
        return tuple(dict.fromkeys(row.method for row in self.rows))

    def of(self, methods: Sequence[str]) -> Results:
        """The runs of these methods alone, in this order of methods."""
        for method in methods:
            self.check_method(method)
        rows = [row for method in methods for row in self.rows if row.method == method]
        return replace(self, rows=rows)

    def of_problem(self, problem: str) -> Results:
        """The runs of one problem alone."""
        rows = [row for row in self.rows if row.problem == problem]
        if not rows:
            raise BenchError(f"there are no runs of the problem {problem!r}")
        return replace(self, rows=rows)

    def check_method(self, method: str) -> None:
        """Refuse a method that has no run."""
        if method not in self.methods:
            raise BenchError(
                f"there are no runs of the method {method!r}; the methods are: {', '.join(self.methods)}"
            )


def read_results(stores: Sequence[str]) -> Results:
    """All runs of the stores. `LABEL=FOLDER` puts the label before the names of its methods.

    A run that stands in a store twice counts once, as it was first; one that stands in two stores is
    refused, since nobody can tell which of them is meant.
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
                    f"{named.problem} {named.method} noise={named.noise:g} seed={named.seed} is in "
                    f"{path.parent} and in an earlier store: distinguish them by a label, as in "
                    f"new={path.parent}"
                )
            if named.key in rows:
                warnings.append(f"{path}: {' '.join(map(str, named.key))} appears twice")
                continue
            rows[named.key] = named
            curves[named.key] = curve_path(path.parent / FOLDER, row.key)
        origins.append(Origin(tuple(started), frozenset(rows.keys() - known)))
    if not rows:
        raise BenchError(
            f"there are no runs in {', '.join(stores)}: create them with `ddsr bench run --store`"
        )
    mixed = of_two_kinds(rows.values())
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
