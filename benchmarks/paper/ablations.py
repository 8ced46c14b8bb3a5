"""What the paper's parts are worth: Figure 4, on Feynman's and on Strogatz's problems."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from benchmarks.paper.part import Part, image, table
from benchmarks.paper.printed import Ablation, ablations
from benchmarks.paper.runs import DSR, DSR_WITHOUT, GROUND_TRUTH, NOT_RUN, OURS, even, narrowed, part_of
from ddsr_bench.report.ablation import compare
from ddsr_bench.report.figures import render
from ddsr_bench.report.groups import Group
from ddsr_bench.report.measures import accuracy_rate, is_accurate
from ddsr_bench.report.rates import paired_p_value
from ddsr_bench.report.results import Results
from ddsr_bench.report.table import Cell, TableColumn
from ddsr_bench.runner.store import Row

VARIANTS = (
    *ablations(),
    Ablation(DSR, "diffusion", "RNN of DSR", {}),
    Ablation(DSR_WITHOUT, "diffusion", "RNN of DSR, without constants", {}),
)
COLUMNS = (
    TableColumn("group", "problems"),
    TableColumn("part", "part"),
    TableColumn("replaced_by", "replaced by"),
    TableColumn("method", "method"),
    TableColumn("runs", "paired runs"),
    TableColumn("ours", "accurate with it (%)"),
    TableColumn("variant", "accurate without it (%)"),
    TableColumn("points", "difference, here"),
    TableColumn("printed", "difference, as printed"),
    TableColumn("p", "p"),
)
NOTES = (
    "Without noise. Differences are in points of the accuracy rate, positive where the part helps.",
    "Runs are paired by problem and seed. Brackets: Wilson's 95 % intervals. p: McNemar's exact test.",
)


def figure_4(results: Results) -> Part:
    """Return bars for each group, and the differences in accuracy as printed beside those here."""
    rows: list[dict[str, Cell]] = []
    status, drawings, images = [], {}, []
    for group in GROUND_TRUTH:
        at_group = narrowed(results, [group], [OURS, *(variant.method for variant in VARIANTS)], 0.0)
        for variant in VARIANTS:
            pairs = paired(at_group, variant.method)
            if not pairs:
                status.append(f"{NOT_RUN}: `{variant.method}` on {group}'s problems.")
                continue
            rows.append(_cells(group, variant, *pairs))
        together = of_all_methods(at_group)
        if together is not None:
            name = f"paper-ablation-{group.lower()}.svg"
            drawings[name] = partial(render, "ablation", together)
            images.append(image(f"{group}: rates of the methods on the same runs", name))
    if not rows:
        methods = ", ".join(f"`{variant.method}`" for variant in VARIANTS)
        return Part.of_lines([f"{NOT_RUN}: {methods}."])
    return Part("\n".join([*images, table(COLUMNS, rows, [*NOTES, *status])]), drawings)


def paired(results: Results, method: str) -> tuple[list[Row], list[Row]] | None:
    """Return the paper's runs and the method's on the same problems and seeds; None without any."""
    if not {OURS, method} <= set(results.methods):
        return None
    runs = compared(results.of([OURS, method]))
    return (even(runs[OURS]), even(runs[method])) if runs else None


def of_all_methods(results: Results) -> Results | None:
    """Return the runs for the bars: on the problems and seeds of all methods that were run at all."""
    return results if len(results.methods) > 1 and OURS in results.methods and compared(results) else None


def compared(results: Results) -> dict[str, list[Row]]:
    """Return the runs that all methods have; empty if there are none."""
    keys = [
        {(row.problem, row.noise, row.seed) for row in results.rows if row.method == method}
        for method in results.methods
    ]
    return compare(results).runs if set.intersection(*keys) else {}


def _cells(group: Group, variant: Ablation, ours: Sequence[Row], theirs: Sequence[Row]) -> dict[str, Cell]:
    with_it, without = accuracy_rate(ours), accuracy_rate(theirs)
    assert with_it is not None and without is not None  # there are runs
    printed = variant.points.get(group)
    return {
        "group": f"{group}, {part_of(ours, [group]) or 'all'}",
        "part": variant.part,
        "replaced_by": variant.replaced_by,
        "method": f"`{variant.method}`",
        "runs": len(ours),
        "ours": with_it,
        "variant": without,
        "points": f"{with_it.percent - without.percent:+.1f}",
        "printed": None if printed is None else f"{printed:+.1f}",
        "p": paired_p_value(map(is_accurate, theirs), map(is_accurate, ours)),
    }
