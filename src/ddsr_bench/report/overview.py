"""The whole in one small table: a row a method and rule, noise levels side by side, with published rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.groups import NOT_IN_SRBENCH, ground_truth_names, group_of, names_of
from ddsr_bench.report.measures import TIMES, budgets, mean, middle, paper_rate, srbench_rate, thread_counts
from ddsr_bench.report.provenance import commands, provenance
from ddsr_bench.report.published import PublishedRates, Source, published_fits, published_rates
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.results import Results
from ddsr_bench.report.summary import (
    INTERVALS,
    OWN,
    PUBLISHED_NOTES,
    SOURCE_NAMES,
    black_box_table,
    by_method,
    coverage,
)
from ddsr_bench.report.table import Cell, Table, TableColumn
from ddsr_bench.runner.store import Row

NOISES = (0.0, 0.001, 0.01, 0.1)
"""of the protocol; a level without runs has its column all the same"""
TIMES_NOTE = (
    "Times: medians and means at each noise level, then the mean of these; other hardware in each source."
)


class Rule(NamedTuple):
    """When a problem counts as solved, and of which problems."""

    title: str
    rate: Callable[[Sequence[Row]], Rate | None]
    problems: frozenset[str]


def overview_tables(results: Results, best: int | None = None) -> list[Table]:
    """Ground truth and black box; `best` keeps so many rows of each source, by their figure without noise."""
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


def rules() -> tuple[Rule, ...]:
    """SRBench's with both denominators, and the paper's."""
    whole = ground_truth_names()
    return (
        Rule("SRBench's", srbench_rate, whole),
        Rule("SRBench's", srbench_rate, whole - NOT_IN_SRBENCH),
        Rule("paper's", paper_rate, whole),
    )


def _ground_truth(rows: Sequence[Row], results: Results, best: int | None) -> Table:
    noises = sorted({*NOISES, *(row.noise for row in rows)})
    columns = (
        TableColumn("method", "method"),
        TableColumn("source", "source"),
        TableColumn("rule", "rule"),
        TableColumn("problems", "problems"),
        *(TableColumn(f"noise_{noise:g}", _noise_title(noise), is_rate=True) for noise in noises),
        *TIMES,
    )
    own = [_own_rates(method, runs, rule, noises) for method, runs in by_method(rows) for rule in rules()]
    published = [_published_rates(levels) for levels in best_published(best)]
    notes = (
        "Solved (%), by noise level. " + INTERVALS,
        *(note for method, runs in by_method(rows) for note in _what_is_in(method, runs, noises)),
        *PUBLISHED_NOTES.values(),
        TIMES_NOTE,
        *provenance(rows, results.origins),
        *commands(rows, results.origins),
    )
    return Table.of("Ground truth: equations found again", columns, (*own, *published), notes)


def _noise_title(noise: float) -> str:
    return "no noise" if noise == 0 else f"noise {noise:g}"


def _own_rates(method: str, runs: Sequence[Row], rule: Rule, noises: Sequence[float]) -> dict[str, Cell]:
    chosen = [row for row in runs if row.problem in rule.problems]
    levels = [[row for row in chosen if row.noise == noise] for noise in noises]
    n_suite = len(rule.problems)
    cells: dict[str, Cell] = {}
    for noise, level in zip(noises, levels, strict=True):
        rate = rule.rate(level)
        is_part = len({row.problem for row in level}) < n_suite
        cells[f"noise_{noise:g}"] = rate._replace(of=coverage(level, n_suite)) if rate and is_part else rate
    times = [[row.wall_s for row in level] for level in levels if level]
    return cells | {
        "method": method,
        "source": OWN,
        "rule": rule.title,
        "problems": coverage(chosen, n_suite),
        "time_median_s": mean(time for time in map(middle, times) if time is not None),
        "time_mean_s": mean(time for time in map(mean, times) if time is not None),
    }


def _what_is_in(method: str, runs: Sequence[Row], noises: Sequence[float]) -> tuple[str, ...]:
    """How many of the runs of the whole protocol there are, and what each was given."""
    n_seeds, n_problems = len({row.seed for row in runs}), len(ground_truth_names())
    n_wanted = n_problems * len(noises) * n_seeds
    seeds = "one seed" if n_seeds == 1 else f"{n_seeds} seeds"
    return (
        f"{method}: {len(runs)} of {n_wanted} runs are in ({n_problems} problems × {len(noises)} noise "
        f"levels, {seeds}); {_what_was_given(runs)}; threads of a run: {thread_counts(runs)}.",
    )


def _what_was_given(runs: Sequence[Row]) -> str:
    """The budget of a run; where noise levels differ in it, of each of them."""
    of_levels = {
        noise: budgets([row for row in runs if row.noise == noise]) or "a time that only the command tells"
        for noise in sorted({row.noise for row in runs})
    }
    if len(set(of_levels.values())) == 1:
        return f"each had {next(iter(of_levels.values()))}"
    return "each had " + ", ".join(f"{given} at {_noise_title(noise)}" for noise, given in of_levels.items())


def best_published(best: int | None) -> list[list[PublishedRates]]:
    """A source's methods with all their noise levels, from the highest rate without noise on."""
    found: list[list[PublishedRates]] = []
    for source in SOURCE_NAMES:
        of_source = [row for row in published_rates() if row.source == source]
        methods = {name: [row for row in of_source if row.method == name] for name in _names(of_source)}
        ordered = sorted(methods.values(), key=lambda levels: -levels[0].symbolic_rate)
        found += ordered[:best]
    return found


def _names(rows: Sequence[PublishedRates]) -> list[str]:
    return list(dict.fromkeys(row.method for row in rows))


def _published_rates(levels: Sequence[PublishedRates]) -> dict[str, Cell]:
    source: Source = levels[0].source
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
    published = [
        row
        for source in SOURCE_NAMES
        for row in sorted(
            (row for row in published_fits() if row.source == source), key=lambda row: -row.r2_mean
        )[:best]
    ]
    title, n_suite = "Black box: data without a known equation", len(names_of("black box"))
    table = black_box_table(rows, results.origins, title, published, n_suite)
    return replace(table, notes=(*table.notes, *commands(rows, results.origins)))
