"""docs/paper.md: what is between its marks, and its figures, written from the kept runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.pages import ROOT, with_tables
from benchmarks.paper.ablations import figure_4
from benchmarks.paper.black_box import figure_3, table_5
from benchmarks.paper.curves import convergence, figure_5, figure_8
from benchmarks.paper.ground_truth import figure_2, table_1, table_3, table_4
from benchmarks.paper.overview import runs_table, table_2
from benchmarks.paper.part import Part
from benchmarks.paper.runs import FOLDER, read_kept
from ddsr_bench.report.command import save
from ddsr_bench.report.results import Results

PAGE = ROOT / "docs" / "paper.md"
ASSETS = ROOT / "docs" / "assets"
PARTS: dict[str, tuple[str, Callable[[Results], Part]]] = {
    "runs": ("ground-truth", runs_table),
    "figure-2": ("ground-truth", figure_2),
    "table-1": ("ground-truth", table_1),
    "figure-3": ("black-box", figure_3),
    "figure-4": ("ablation", figure_4),
    "figure-5": ("curves", figure_5),
    "convergence": ("curves", convergence),
    "table-2": ("ground-truth", table_2),
    "figure-8": ("curves", figure_8),
    "table-3": ("ground-truth", table_3),
    "table-4": ("ground-truth", table_4),
    "table-5": ("black-box", table_5),
}
"""by the name of its marks, in the order of the page: whose stores come first, and what it shows"""


def parts(folder: Path = FOLDER) -> dict[str, Part]:
    """Return all parts, by the names of their marks."""
    pools = {first: read_kept(folder, first) for first in {first for first, _ in PARTS.values()}}
    return {f"paper-{name}": show(pools[first]) for name, (first, show) in PARTS.items()}


def filled(page: str, contents: dict[str, Part]) -> str:
    """Return the page with the parts between their marks."""
    for name, part in contents.items():
        page = with_tables(page, part.text, name)
    return page


def write() -> None:
    """Write the page and its figures."""
    contents = parts()
    PAGE.write_text(filled(PAGE.read_text(), contents))
    for part in contents.values():
        for name, draw in part.drawings.items():
            save(str(ASSETS / name), draw())
    print(f"written: {PAGE.relative_to(ROOT)}")
