"""Learn the structure code from the corpus, and measure it: `make price`.

Formulas that coincide with one of the benchmarks' are dropped first. Nats per formula are those of fields
that were left out of the learning. The tables are written to src/ddsr/price/.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import mean

import ddsr.price
from benchmarks.corpus_forms import NamelessForm, NamelessForms, form_in_columns, form_of
from ddsr.bench.problems import Problem, load_suites
from ddsr.price.corpus import CorpusFormula, read_corpus, read_formula
from ddsr.price.structure_code import StructureCode, Told, tell
from ddsr.price.table_code import Reading, write_tables

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
    """The structures of all problems that results are reported on, whatever their variables are called."""

    def form(problem: Problem) -> NamelessForm:
        assert problem.formula is not None
        text = problem.formula.replace("cot(", "1/tan(")
        return NamelessForm(*read_formula(text, problem.variables, ()))

    return NamelessForms(map(form, load_suites(SUITES)))


@cache
def kept_formulas() -> tuple[list[CorpusFormula], list[tuple[Told, Told]], int]:
    """The corpus without what coincides with a benchmark in either reading, and how many do."""
    every = read_corpus()
    forbidden = forms_of_suites()
    forms = [(form_of(formula), form_in_columns(formula)) for formula in every]
    pairs = zip(every, forms, strict=True)
    kept = [
        (formula, (fitted.told, columns.told))
        for formula, (fitted, columns) in pairs
        if fitted not in forbidden and columns not in forbidden
    ]
    return [formula for formula, _ in kept], [told for _, told in kept], len(every) - len(kept)


def nats_of_field(
    field: str, formulas: Sequence[CorpusFormula], told: Sequence[tuple[Told, Told]]
) -> list[tuple[float, float]]:
    """Of each formula of a field in both readings, by codes that were learned from the others."""
    pairs = list(zip(formulas, told, strict=True))
    codes = [
        StructureCode.learned(reading.told)
        for reading in readings([each for formula, each in pairs if formula.field != field])
    ]
    return [
        (
            codes[0].nats(fitted, len(formula.expression.vocabulary.variables)),
            codes[1].nats(columns, len(formula.in_columns.vocabulary.variables)),
        )
        for formula, (fitted, columns) in pairs
        if formula.field == field and fitted.variables
    ]


def readings(told: Sequence[tuple[Told, Told]]) -> tuple[Reading, Reading]:
    """Both readings of all formulas; that nothing depends on a column is said in the first alone."""
    dependent = (columns for fitted, columns in told if fitted.variables)
    return Reading.of(fitted for fitted, _ in told), Reading.of(dependent)


def main() -> None:
    """Print nats per formula, field by field, and write the tables."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    formulas, told, n_dropped = kept_formulas()
    print(f"{len(formulas)} formulas; {n_dropped} coincide with a benchmark's and are dropped")
    print(f"nats per formula{'':<5}{'fitted':>8}{'columns':>9}")
    every: list[tuple[float, float]] = []
    for field in sorted({each.field for each in formulas}):
        nats = nats_of_field(field, formulas, told)
        every += nats
        print(_line(field, nats))
    print(_line("all", every))
    fitted, columns = readings(told)
    code = StructureCode.learned(fitted.told)
    for text in EXAMPLES:
        expression, is_free = read_formula(text, ["x"], ["c"])
        print(f"{code.nats(tell([expression], [is_free])[0], 1):>6.1f}  {text}")
    folder = Path(ddsr.price.__file__).parent
    for name, text in write_tables(fitted, columns).items():
        (folder / name).write_text(text)


def _line(field: str, nats: Sequence[tuple[float, float]]) -> str:
    fitted, columns = (mean(each[reading] for each in nats) for reading in (0, 1))
    return f"{field:<16}{len(nats):>5}{fitted:>8.2f}{columns:>9.2f}"


if __name__ == "__main__":
    main()
