"""Implementation of `ddsr bench table`, `plot` and `report`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ddsr.errors import BenchError
from ddsr_bench.report.ablation import ablation_table
from ddsr_bench.report.figures import render
from ddsr_bench.report.overview import overview_tables
from ddsr_bench.report.page import page
from ddsr_bench.report.results import Results, read_results
from ddsr_bench.report.summary import summary_tables
from ddsr_bench.report.table import FORMATS


def read_chosen(stores: Sequence[str], methods: Sequence[str] = (), problem: str | None = None) -> Results:
    """Read the runs of the stores: all, or those of some methods or one problem."""
    results = read_results(stores)
    if methods:
        results = results.of(methods)
    return results if problem is None else results.of_problem(problem)


def make_table(
    results: Results, *, format: str, by: str, baseline: str | None = None, best: int | None = None
) -> str:
    """Return tables by noise level, of methods on the same runs, or an overview."""
    if by != "method" and baseline is not None:
        raise BenchError("--baseline needs the same runs of all methods: pass --by method too")
    if by != "overview" and best is not None:
        raise BenchError("--best works only in an overview: pass --by overview too")
    if by == "method":
        tables = [ablation_table(results, baseline)]
    elif by == "overview":
        tables = overview_tables(results, best)
    else:
        tables = summary_tables(results.rows, results.origins)
    return FORMATS[format](tables)


def save_figure(results: Results, kind: str, out: str) -> None:
    """Write a figure; the file's ending decides the format."""
    save(out, render(kind, results, Path(out).suffix.removeprefix(".").lower()))


def save_page(results: Results, title: str, baseline: str | None, out: str) -> None:
    """Write the page of all tables and figures."""
    save(out, page(results, title, baseline).encode())


def save(out: str, contents: bytes) -> None:
    """Write a file; errors are reported in one line."""
    try:
        Path(out).write_bytes(contents)
    except OSError as error:
        raise BenchError(f"cannot write {out}: {error.strerror}") from error
