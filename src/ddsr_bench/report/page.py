"""The page of `ddsr bench report`: tables, figures and errors in one self-contained HTML file."""

from __future__ import annotations

import re
from collections import Counter

from ddsr.errors import BenchError
from ddsr_bench.report.ablation import ablation_table
from ddsr_bench.report.figures import CAPTIONS, render
from ddsr_bench.report.overview import overview_tables
from ddsr_bench.report.results import Results
from ddsr_bench.report.summary import summary_tables
from ddsr_bench.report.table import Table, render_template, to_html

BEST_PUBLISHED = 4
"""number of published methods of each source in the overview; the other tables have all"""


def page(results: Results, title: str, baseline: str | None = None) -> str:
    """Return the page; figures and comparisons without runs are left out."""
    from markupsafe import Markup

    tables = [*_overview(results), *summary_tables(results.rows, results.origins)]
    try:
        tables.append(ablation_table(results, baseline))
    except BenchError:
        if baseline is not None:
            raise
    reasons = Counter((row.method, row.error) for row in results.rows if row.error)
    return render_template(
        "page.html",
        title=title,
        n_runs=len(results.rows),
        n_problems=len({row.problem for row in results.rows}),
        methods=results.methods,
        warnings=results.warnings,
        figures=[(Markup(svg), CAPTIONS[kind]) for kind, svg in _figures(results).items()],
        tables=Markup(to_html(tables)),
        errors=[(count, method, reason) for (method, reason), count in reasons.most_common()],
    )


def _overview(results: Results) -> list[Table]:
    try:
        return overview_tables(results, BEST_PUBLISHED)
    except BenchError:  # no such runs
        return []


def _figures(results: Results) -> dict[str, str]:
    """Return the SVG elements of all kinds of figures that have runs."""
    found = {}
    for kind in CAPTIONS:
        try:
            svg = render(kind, results).decode()
        except BenchError:  # no such runs
            continue
        # The figures of a page need different names for their elements.
        svg = re.sub(r'\bid="', f'id="{kind}-', svg[svg.index("<svg") :])
        found[kind] = re.sub(r'(href="#|url\(#)', rf"\g<1>{kind}-", svg)
    return found
