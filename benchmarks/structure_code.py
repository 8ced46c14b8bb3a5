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
from benchmarks.corpus_forms import NamelessForm, NamelessForms, form_of
from ddsr.bench.problems import Problem, load_suites
from ddsr.price.corpus import CorpusFormula, read_corpus, read_formula
from ddsr.price.structure_code import StructureCode, Told, count, tell, write_counts

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
def kept_formulas() -> tuple[list[CorpusFormula], list[Told], int]:
    """The corpus without what coincides with a benchmark, and how many do."""
    every = read_corpus()
    forbidden = forms_of_suites()
    forms = map(form_of, every)
    pairs = zip(every, forms, strict=True)
    kept = [(formula, form.told) for formula, form in pairs if form not in forbidden]
    return [formula for formula, _ in kept], [told for _, told in kept], len(every) - len(kept)


def nats_of_field(field: str, formulas: Sequence[CorpusFormula], told: Sequence[Told]) -> list[float]:
    """Of each formula of a field, by a code that was learned from the others."""
    pairs = list(zip(formulas, told, strict=True))
    code = StructureCode.learned(each for formula, each in pairs if formula.field != field)
    return [
        code.nats(each, len(formula.expression.vocabulary.variables))
        for formula, each in pairs
        if formula.field == field
    ]


def main() -> None:
    """Print nats per formula, field by field, and write the tables."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    formulas, told, n_dropped = kept_formulas()
    print(f"{len(formulas)} formulas; {n_dropped} coincide with a benchmark's and are dropped")
    every: list[float] = []
    for field in sorted({each.field for each in formulas}):
        nats = nats_of_field(field, formulas, told)
        every += nats
        print(f"{field:<16}{len(nats):>5}{mean(nats):>8.2f} nats per formula")
    print(f"{'all':<16}{len(every):>5}{mean(every):>8.2f}")
    code = StructureCode.learned(told)
    for text in EXAMPLES:
        expression, is_free = read_formula(text, ["x"], ["c"])
        print(f"{code.nats(tell([expression], [is_free])[0], 1):>6.1f}  {text}")
    folder = Path(ddsr.price.__file__).parent
    for name, text in write_counts(*count(told)).items():
        (folder / name).write_text(text)


if __name__ == "__main__":
    main()
