"""The kept runs of the paper's methods, and how much of what the paper ran they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ddsr.errors import BenchError
from ddsr_bench.report.groups import Group, group_of, names_of
from ddsr_bench.report.results import Origin, Results, read_results
from ddsr_bench.runner.curves import FOLDER as CURVES
from ddsr_bench.runner.store import Row, file_of

FOLDER = Path(__file__).resolve().parent.parent / "results" / "paper"
OURS, RSPG, DSR, DSR_WITHOUT = "paper", "paper:objective=rspg", "dsr", "dsr:constants=false"
NOISES = (0.0, 0.001, 0.01, 0.1)
GROUND_TRUTH: tuple[Group, ...] = ("Feynman", "Strogatz")
BLACK_BOX: tuple[Group, ...] = ("black box",)
NOT_RUN = "Not run yet"
"""begins every line about runs that are missing altogether"""


def read_kept(folder: Path = FOLDER, first: str = "ground-truth") -> Results:
    """Return the runs of all stores, each once.

    A run that is in several stores is that of the first: stores whose names start with `first`, then the
    others; those with learning curves before those without, each by name.
    """
    stores = sorted(
        (store for store in folder.glob("*") if file_of(store)),
        key=lambda store: (not store.name.startswith(first), not (store / CURVES).is_dir(), store.name),
    )
    merged = Results([])
    for store in stores:
        found = read_results([str(store)])
        if found.warnings:
            raise BenchError("\n".join(found.warnings))
        known = {row.key for row in merged.rows}
        rows = [row for row in found.rows if row.key not in known]
        merged.rows.extend(rows)
        merged.curves.update({row.key: found.curves[row.key] for row in rows})
        merged.origins.extend(Origin(origin.starts, origin.runs - known) for origin in found.origins)
    return merged


def narrowed(
    results: Results, groups: Sequence[Group], methods: Sequence[str] = (), noise: float | None = None
) -> Results:
    """Return the runs on these groups of problems: of some methods, at one noise level, or all."""
    rows = [
        row
        for row in results.rows
        if group_of(row) in groups and (not methods or row.method in methods) and noise in (None, row.noise)
    ]
    return replace(results, rows=rows)


def even(rows: Sequence[Row]) -> list[Row]:
    """Return the runs of the seeds that were run on the most problems.

    Further seeds on some of the problems would give these problems more weight.
    """
    n_problems = Counter(row.seed for row in rows)
    return [row for row in rows if n_problems[row.seed] == max(n_problems.values())]


def at_noise(results: Results, method: str, noise: float) -> list[Row]:
    """Return a method's runs on the ground truth at a noise level, with equal weight of all problems."""
    return even(narrowed(results, GROUND_TRUTH, [method], noise).rows)


def suite_names(groups: Sequence[Group]) -> frozenset[str]:
    """Return the names of all problems of the groups."""
    return frozenset[str]().union(*(names_of(group) for group in groups))


def part_of(rows: Sequence[Row], groups: Sequence[Group] = GROUND_TRUTH) -> str | None:
    """Return `83 of 133` where only a part of the problems was run; None where all or none were."""
    n_problems, n_whole = len({row.problem for row in rows}), len(suite_names(groups))
    return f"{n_problems} of {n_whole}" if 0 < n_problems < n_whole else None


def noise_name(noise: float) -> str:
    """Return how a sentence names a noise level."""
    return "without noise" if noise == 0 else f"with noise {noise:g}"


def ground_truth_status(results: Results, method: str) -> list[str]:
    """Return a line on each noise level that was run in part, and one on those that were not run at all."""
    levels = {noise: at_noise(results, method, noise) for noise in NOISES}
    lines = [
        f"`{method}` {noise_name(noise)}: {part_of(rows)} problems were run ({_by_group(rows)})."
        for noise, rows in levels.items()
        if part_of(rows)
    ]
    empty = [noise for noise, rows in levels.items() if not rows]
    if not empty:
        return lines
    which = "" if len(empty) == len(NOISES) else f" at noise {', '.join(f'{noise:g}' for noise in empty)}"
    return [*lines, f"{NOT_RUN}: `{method}`{which}."]


def _by_group(rows: Sequence[Row]) -> str:
    problems = {row.problem for row in rows}
    return ", ".join(
        f"{len(problems & names_of(group)) or 'none'} of {group}'s {len(names_of(group))}"
        for group in GROUND_TRUTH
    )
