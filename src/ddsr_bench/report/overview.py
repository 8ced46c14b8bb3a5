"""The overview: one row per method and rule, with the noise levels side by side and published methods."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.groups import (
    NOT_IN_SRBENCH,
    by_method,
    by_noise,
    ground_truth_names,
    group_of,
    names_of,
)
from ddsr_bench.report.measures import TIMES, budgets, mean, middle, paper_rate, srbench_rate, thread_counts
from ddsr_bench.report.published import PublishedRates, published_fits, published_rates
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.results import Results, commands, provenance
from ddsr_bench.report.summary import (
    INTERVALS,
    OWN,
    PUBLISHED_NOTES,
    SOURCE_NAMES,
    black_box_table,
    coverage,
)
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

NOISES = (0.0, 0.001, 0.01, 0.1)
"""noise levels of the protocol, which have a column even without runs"""
TIMES_NOTE = (
    "Times: medians and means at each noise level, then the mean of these; other hardware in each source."
)


class Rule(NamedTuple):
    """A rule for solved problems, and the problems that it applies to."""

    title: str
    rate: Callable[[Sequence[Row]], Rate | None]
    problems: frozenset[str]


def overview_tables(results: Results, best: int | None = None) -> list[Table]:
    """Return tables of ground truth and black box, with the `best` published methods of each source."""
    tables = []
    known = [row for row in results.rows if row.problem in ground_truth_names()]
    if known:
        tables.append(_ground_truth(known, results, best))
    black_box = [row for row in results.rows if group_of(row) == "black box"]
    if black_box:
        tables.append(_black_box(black_box, results, best))
    if not tables:
        raise BenchError(
            "an overview shows ground-truth and black-box problems, but there are no runs of them"
        )
    return tables


def _ground_truth(rows: Sequence[Row], results: Results, best: int | None) -> Table:
    whole = ground_truth_names()
    rules = (
        Rule("SRBench's", srbench_rate, whole),
        Rule("SRBench's", srbench_rate, whole - NOT_IN_SRBENCH),
        Rule("paper's", paper_rate, whole),
    )
    noises = sorted({*NOISES, *(row.noise for row in rows)})
    columns = (
        TableColumn("method", "method"),
        TableColumn("source", "source"),
        TableColumn("rule", "rule"),
        TableColumn("problems", "problems"),
        *(TableColumn(f"noise_{noise:g}", _noise_title(noise), is_rate=True) for noise in noises),
        *TIMES,
    )
    own = [_own_rates(method, runs, rule) for method, runs in by_method(rows) for rule in rules]
    published = [_published_rates(levels) for levels in _best_published(best)]
    notes = (
        "Solved (%), by noise level. " + INTERVALS,
        *(_contents_note(method, runs, len(noises)) for method, runs in by_method(rows)),
        *PUBLISHED_NOTES.values(),
        TIMES_NOTE,
        provenance(rows, results.origins),
        *commands(rows, results.origins),
    )
    return Table.of("Ground truth: equations found again", columns, (*own, *published), notes)


def _noise_title(noise: float) -> str:
    return "no noise" if noise == 0 else f"noise {noise:g}"


def _own_rates(method: str, runs: Sequence[Row], rule: Rule) -> dict[str, Cell]:
    chosen = [row for row in runs if row.problem in rule.problems]
    n_suite = len(rule.problems)
    cells: dict[str, Cell] = {
        "method": method,
        "source": OWN,
        "rule": rule.title,
        "problems": coverage(chosen, n_suite),
    }
    medians, means = [], []
    for noise, level in by_noise(chosen):
        rate = rule.rate(level)
        is_part = len({row.problem for row in level}) < n_suite
        cells[f"noise_{noise:g}"] = rate._replace(of=coverage(level, n_suite)) if rate and is_part else rate
        medians.append(middle(row.wall_s for row in level) or 0.0)
        means.append(mean(row.wall_s for row in level) or 0.0)
    return cells | {"time_median_s": mean(medians), "time_mean_s": mean(means)}


def _contents_note(method: str, runs: Sequence[Row], n_noises: int) -> str:
    """Return how many runs of the whole protocol there are, and their limits."""
    n_seeds, n_problems = len({row.seed for row in runs}), len(ground_truth_names())
    seeds = "one seed" if n_seeds == 1 else f"{n_seeds} seeds"
    return (
        f"{method}: {len(runs)} of {n_problems * n_noises * n_seeds} runs are done ({n_problems} problems × "
        f"{n_noises} noise levels, {seeds}); {_limits(runs)}; threads of a run: {thread_counts(runs)}."
    )


def _limits(runs: Sequence[Row]) -> str:
    """Return the limits of a run, at each noise level if they differ."""
    limits = {
        noise: budgets(level) or "a limit stated only in the command" for noise, level in by_noise(runs)
    }
    if len(set(limits.values())) == 1:
        return f"each had {next(iter(limits.values()))}"
    return "each had " + ", ".join(f"{limit} at {_noise_title(noise)}" for noise, limit in limits.items())


def _best_published(best: int | None) -> list[list[PublishedRates]]:
    """Return the noise levels of each method in each source, the highest rate without noise first."""
    found: list[list[PublishedRates]] = []
    for source in SOURCE_NAMES:
        methods: dict[str, list[PublishedRates]] = {}
        for row in published_rates():
            if row.source == source:
                methods.setdefault(row.method, []).append(row)
        found += sorted(methods.values(), key=lambda levels: -levels[0].symbolic_rate)[:best]
    return found


def _published_rates(levels: Sequence[PublishedRates]) -> dict[str, Cell]:
    source = levels[0].source
    return {
        "method": levels[0].method,
        "source": SOURCE_NAMES[source],
        "rule": "SRBench's" if source == "SRBench" else "as printed",
        "problems": str(levels[0].problems),
        **{f"noise_{row.noise:g}": Rate(row.symbolic_rate) for row in levels},
        "time_median_s": mean(row.time_median_s for row in levels if row.time_median_s is not None),
        "time_mean_s": mean(row.time_mean_s for row in levels if row.time_mean_s is not None),
    }


def _black_box(rows: Sequence[Row], results: Results, best: int | None) -> Table:
    ordered = sorted(published_fits(), key=lambda row: -row.r2_mean)
    published = [
        row for source in SOURCE_NAMES for row in [row for row in ordered if row.source == source][:best]
    ]
    title, n_suite = "Black box: data without a known equation", len(names_of("black box"))
    table = black_box_table(rows, results.origins, title, published, n_suite)
    return replace(table, notes=(*table.notes, *commands(rows, results.origins)))
