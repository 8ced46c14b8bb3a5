"""The problems with known equations: Figure 2 and Tables 1, 3 and 4 of the paper."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.paper import bars
from benchmarks.paper.measures import MEASURES, Measure, mean_interval
from benchmarks.paper.part import Part, image, table
from benchmarks.paper.printed import COUNTERPARTS, DDSR, MOST_COMPARABLE, rates
from benchmarks.paper.runs import (
    GROUND_TRUTH,
    NOISES,
    OURS,
    at_noise,
    ground_truth_status,
    narrowed,
    noise_name,
    part_of,
)
from ddsr_bench.report.figures import drawn
from ddsr_bench.report.measures import accuracy_rate, complexities, paper_rate
from ddsr_bench.report.rates import Rate
from ddsr_bench.report.results import Results
from ddsr_bench.report.table import Cell, TableColumn, cell_text
from ddsr_bench.runner.store import Row

FIGURE = "paper-ground-truth.svg"
PRINTED, HERE = "as printed", "here"
INTERVALS = "Brackets: 95 % intervals, Wilson's for rates and Student's for means; runs count as independent."
COLUMNS = (
    "Solved: solution rate (%); accurate: accuracy rate (%); complexity: mean simplified complexity. After "
    "the comma: the noise level."
)
WHOLE = "As printed: over all 133 problems."


def figure_2(results: Results) -> Part:
    """Return the bars of all methods, and DDSR's three measures as printed beside those here."""
    if not any(at_noise(results, OURS, noise) for noise in NOISES):
        return Part.of_lines(ground_truth_status(results, OURS))
    columns = (
        TableColumn("measure", "measure"),
        TableColumn("noise", "noise"),
        TableColumn("printed", "DDSR, as printed"),
        TableColumn("here", "`paper`, here"),
        TableColumn("problems", "problems"),
        TableColumn("runs", "runs"),
    )
    rows: list[dict[str, Cell]] = []
    for measure in MEASURES:
        for noise in NOISES:
            runs = at_noise(results, OURS, noise)
            rows.append(
                {
                    "measure": measure.title,
                    "noise": f"{noise:g}",
                    "printed": cell_text(measure.printed(rates()[DDSR][noise]), measure.decimals),
                    "here": measure.here(runs),
                    "problems": _problems(runs),
                    "runs": len(runs) or None,
                }
            )
    notes = [INTERVALS, WHOLE, *ground_truth_status(results, OURS), *_meaning_of_parts(results)]
    drawing = image("Solution rate, accuracy rate and complexity of all methods at four noise levels", FIGURE)
    return Part(
        f"{drawing}\n{table(columns, rows, notes + _left_out(results))}",
        {FIGURE: lambda: drawn(bars.draw, results, "svg")},
    )


def table_1(results: Results) -> Part:
    """Return the rates of the most comparable methods."""
    columns = (
        TableColumn("method", "algorithm"),
        TableColumn("source", "source"),
        *_level_columns(MEASURES[:2]),
    )
    rows: list[dict[str, Cell]] = []
    for name in MOST_COMPARABLE:
        rows.append({"method": name, "source": PRINTED, **_printed_cells(name)})
        method = COUNTERPARTS.get(name)
        cells = _own_cells(results, method) if method else {}
        if any(cells.values()):
            rows.append({"method": f"`{method}`", "source": HERE, **cells})
    return Part(table(columns, rows, [COLUMNS, INTERVALS, WHOLE, *_status(results)]))


def table_3(results: Results) -> Part:
    """Return the three measures of all methods."""
    columns = (
        TableColumn("method", "algorithm"),
        TableColumn("source", "source"),
        *_level_columns(MEASURES),
    )
    own: list[dict[str, Cell]] = []
    for method in COUNTERPARTS.values():
        cells = {
            key: rate._replace(low=None, high=None) if isinstance(rate, Rate) else rate
            for key, rate in _own_cells(results, method).items()
        }
        if any(cells.values()):
            own.append({"method": f"`{method}`", "source": HERE, **cells})
    printed = [{"method": name, "source": PRINTED, **_printed_cells(name)} for name in rates()]
    return Part(table(columns, [*own, *printed], [COLUMNS, WHOLE, *_status(results)]))


def table_4(results: Results) -> Part:
    """Return mean run times."""
    columns = (
        TableColumn("method", "algorithm"),
        TableColumn("printed", "as printed (s)", 2),
        *(TableColumn(f"time_{noise:g}", f"here (s), {noise:g}") for noise in NOISES),
    )
    rows: list[dict[str, Cell]] = []
    for name, levels in rates().items():
        cells: dict[str, Cell] = {"method": name, "printed": levels[0.0].time_mean_s}
        for noise in NOISES if name in COUNTERPARTS else ():
            runs = at_noise(results, COUNTERPARTS[name], noise)
            mean = mean_interval(row.wall_s for row in runs)
            cells[f"time_{noise:g}"] = mean and mean._replace(of=part_of(runs))
        rows.append(cells)
    notes = [
        "Means; as printed, one for all noise levels; here, after the comma, the noise level.",
        INTERVALS,
        *_status(results),
    ]
    return Part(table(columns, rows, notes))


def _status(results: Results) -> list[str]:
    return [line for method in COUNTERPARTS.values() for line in ground_truth_status(results, method)]


def _level_columns(measures: Sequence[Measure]) -> list[TableColumn]:
    return [
        TableColumn(f"{measure.key}_{noise:g}", f"{measure.key}, {noise:g}", measure.decimals)
        for measure in measures
        for noise in NOISES
    ]


def _printed_cells(name: str) -> dict[str, Cell]:
    return {
        f"{measure.key}_{noise:g}": measure.printed(row)
        for measure in MEASURES
        for noise, row in rates()[name].items()
    }


def _own_cells(results: Results, method: str) -> dict[str, Cell]:
    """Return the measures at all noise levels; one over a part of the problems says so."""
    cells: dict[str, Cell] = {}
    for noise in NOISES:
        runs = at_noise(results, method, noise)
        for measure in MEASURES:
            rate = measure.here(runs)
            cells[f"{measure.key}_{noise:g}"] = rate and rate._replace(of=part_of(runs))
    return cells


def _problems(runs: Sequence[Row]) -> str:
    return part_of(runs) or (str(len({row.problem for row in runs})) if runs else "not run yet")


def _meaning_of_parts(results: Results) -> list[str]:
    """Return how the problems of each part were solved without noise, beside all problems."""
    whole = at_noise(results, OURS, 0.0)
    lines = []
    for noise in NOISES[1:]:
        runs = at_noise(results, OURS, noise)
        names = {row.problem for row in runs}
        same = [row for row in whole if row.problem in names]
        if part_of(runs) and not part_of(whole) and {row.problem for row in same} == names:
            lines.append(
                f"Of the {len(names)} problems that were run {noise_name(noise)}, {_both_rates(same)} "
                f"without noise; of all problems, {_both_rates(whole)}."
            )
    return lines


def _both_rates(runs: Sequence[Row]) -> str:
    solved, accurate = paper_rate(runs), accuracy_rate(runs)
    assert solved is not None and accurate is not None  # there are runs
    return f"{solved.percent:.1f} % are solved and {accurate.percent:.1f} % accurate"


def _left_out(results: Results) -> list[str]:
    """Return lines on runs that do not count."""
    chosen = [row for noise in NOISES for row in at_noise(results, OURS, noise)]
    n_further = len(narrowed(results, GROUND_TRUTH, [OURS]).rows) - len(chosen)
    n_unsized = len(chosen) - len(complexities(chosen))
    lines = []
    if n_unsized:
        lines.append(
            f"Runs whose equation SymPy did not simplify in time, without a complexity: {n_unsized}."
        )
    if n_further:
        lines.append(f"Runs of further seeds on some of the problems, which do not count here: {n_further}.")
    return lines
