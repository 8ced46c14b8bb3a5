"""Learn the structure code from the corpus, and measure it: `make price`.

Readings of formulas that coincide with a benchmark problem are dropped first. Nats per formula are measured
on fields left out of the learning. The tables are written to src/ddsr/price/.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from itertools import starmap
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import ddsr.price
from benchmarks.corpus import CorpusFormula, read_corpus, read_formula
from benchmarks.corpus_forms import NamelessForm, NamelessForms, form_in_columns, form_of
from benchmarks.structure_tables import write_tables
from ddsr.price.structure_code import Description, StructureCode, describe
from ddsr.price.table_code import Reading
from ddsr_bench.problems.suites import BenchmarkProblem, load_suites


class Readings(NamedTuple):
    """The structures of a formula in tables, without those of a benchmark."""

    fitted: Description | None
    """with its variables as columns"""
    columns: Description | None
    """with all its symbols as columns"""
    varied: tuple[Description, ...]
    """with one of several variables as the only column; each structure once"""


SUITES = ("feynman", "strogatz", "nguyen")
EXAMPLES = (
    "c * x + c",
    "c * exp(c * x)",
    "c * x^c",
    "c * x / (c + x)",
    "c * (1 - exp(c * x))",
    "c * atan(c * x)",
    "c * atan(x)^4",
)


def forms_of_suites() -> NamelessForms:
    """The structures of all problems for which results are reported, whatever their variables are called."""

    def form(problem: BenchmarkProblem) -> NamelessForm:
        assert problem.formula is not None
        text = problem.formula.replace("cot(", "1/tan(")
        return NamelessForm(*read_formula(text, problem.variables, ()))

    return NamelessForms(map(form, load_suites(SUITES)))


@cache
def kept_formulas() -> tuple[list[CorpusFormula], list[Readings], int]:
    """The corpus without readings that are in a benchmark, and the number of formulas affected."""
    forbidden = forms_of_suites()
    formulas, described, n_dropped = [], [], 0
    for formula in read_corpus():
        forms = form_of(formula), form_in_columns(formula)
        fitted, columns = (None if form in forbidden else form.described for form in forms)
        varied = {each.described.key: each for each in starmap(NamelessForm, formula.varied)}
        kept = tuple(each.described for each in varied.values() if each not in forbidden)
        n_dropped += fitted is None or columns is None or len(kept) < len(varied)
        if fitted is not None or columns is not None or kept:
            formulas.append(formula)
            described.append(Readings(fitted, columns, kept))
    return formulas, described, n_dropped


def nats_of_field(
    field: str, formulas: Sequence[CorpusFormula], described: Sequence[Readings]
) -> tuple[list[float], list[float]]:
    """Nats of a field's formulas in both readings, by codes learned from the other fields."""
    pairs = list(zip(formulas, described, strict=True))
    others = readings([each for formula, each in pairs if formula.field != field])
    codes = [StructureCode.learned(reading.described) for reading in others]
    nats: tuple[list[float], list[float]] = [], []
    for formula, each in pairs:
        if formula.field == field:
            widths = (len(e.vocabulary.variables) for e in (formula.expression, formula.in_columns))
            for found, code, one, width in zip(nats, codes, (each.fitted, each.columns), widths, strict=True):
                if one is not None and one.variables:
                    found.append(code.nats(one, width))
    return nats


def readings(described: Sequence[Readings]) -> tuple[Reading, Reading]:
    """The input of both codes. That y depends on no column is counted in the first only."""
    fitted = [each.fitted for each in described if each.fitted is not None]
    fitted += [one for each in described for one in each.varied]
    columns = [
        each.columns
        for each in described
        if each.columns is not None and (each.fitted is None or each.fitted.variables)
    ]
    return Reading.of(fitted), Reading.of(columns)


def main() -> None:
    """Print nats per formula, field by field, and write the tables."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    formulas, described, n_dropped = kept_formulas()
    print(f"{len(formulas)} formulas; {n_dropped} have a reading that a benchmark has, which is dropped")
    print(f"nats per formula{'':<5}{'fitted':>8}{'columns':>9}")
    every: tuple[list[float], list[float]] = [], []
    for field in sorted({each.field for each in formulas}):
        nats = nats_of_field(field, formulas, described)
        for of_all, of_field in zip(every, nats, strict=True):
            of_all += of_field
        print(_line(field, nats))
    print(_line("all", every))
    fitted, columns = readings(described)
    code = StructureCode.learned(fitted.described)
    for text in EXAMPLES:
        expression, is_free = read_formula(text, ["x"], ["c"])
        print(f"{code.nats(describe([expression], [is_free])[0], 1):>6.1f}  {text}")
    folder = Path(ddsr.price.__file__).parent
    for name, text in write_tables(fitted, columns).items():
        (folder / name).write_text(text)


def _line(field: str, nats: tuple[list[float], list[float]]) -> str:
    return f"{field:<16}{len(nats[0]):>5}{mean(nats[0]):>8.2f}{mean(nats[1]):>9.2f}"


if __name__ == "__main__":
    main()
