"""One page with everything in it: tables, figures, errors. It needs no other file and no network."""

from __future__ import annotations

import re
from collections import Counter
from importlib.resources import files
from typing import Any, NamedTuple

from ddsr.errors import BenchError
from ddsr_bench.report.ablation import ablation_table
from ddsr_bench.report.figures import KINDS, render
from ddsr_bench.report.overview import overview_tables
from ddsr_bench.report.results import Results
from ddsr_bench.report.summary import summary_tables
from ddsr_bench.report.table import Table, to_html

BEST_PUBLISHED = 4
"""of each source, in the overview; the tables behind it have all"""
CAPTIONS = {
    "rates": "Rates by method and noise level; filled marks are runs of here, with 95 % intervals.",
    "pareto": "Mean R² on test against mean size on the black-box data sets.",
    "ablation": "Methods on the same problems, noise levels and seeds, with 95 % intervals.",
    "curves": "Learning curves, means over runs; a run that has ended keeps its best reward.",
}


class InlineFigure(NamedTuple):
    """An `svg` element and what stands below it."""

    svg: Any
    caption: str


def page(results: Results, title: str, baseline: str | None = None) -> str:
    """HTML; a figure or comparison that the results have no runs for is left out."""
    from jinja2 import Environment
    from markupsafe import Markup

    tables = [*_overview(results), *summary_tables(results.rows, results.origins)]
    try:
        tables.append(ablation_table(results, baseline))
    except BenchError:
        if baseline is not None:
            raise
    reasons = Counter((row.method, row.error) for row in results.rows if row.error)
    template = files("ddsr_bench.report").joinpath("page.html").read_text(encoding="utf-8")
    return (
        Environment(autoescape=True)
        .from_string(template)
        .render(
            title=title,
            n_runs=len(results.rows),
            n_problems=len({row.problem for row in results.rows}),
            methods=results.methods,
            warnings=results.warnings,
            figures=[InlineFigure(Markup(svg), CAPTIONS[kind]) for kind, svg in _figures(results).items()],
            tables=Markup(to_html(tables)),
            errors=[
                {"count": count, "method": method, "reason": reason}
                for (method, reason), count in reasons.most_common()
            ],
        )
    )


def _overview(results: Results) -> list[Table]:
    """Where there is one, the table to begin with."""
    try:
        return overview_tables(results, BEST_PUBLISHED)
    except BenchError:  # no such runs
        return []


def _figures(results: Results) -> dict[str, str]:
    """The SVG elements of all kinds that these results can show."""
    found = {}
    for kind in KINDS:
        try:
            svg = render(kind, results).decode()
        except BenchError:  # no such runs
            continue
        # Elements of one page share their names: each figure's get a prefix.
        svg = svg[svg.index("<svg") :]
        svg = re.sub(r'\bid="', f'id="{kind}-', svg)
        found[kind] = re.sub(r'(href="#|url\(#)', rf"\g<1>{kind}-", svg)
    return found
