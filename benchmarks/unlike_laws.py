"""The hard laws of `unlike-develop.csv` and `unlike-report.csv`, and what a law of each class must have.

`python -m benchmarks.unlike_laws` checks all laws. None may have the form of another one, of a law in another
table or suite, or of a formula of the corpus, whatever the names of variables and the values of constants.
The classes were chosen, and the laws written, before any of them was searched for (docs/bench.md).
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from benchmarks.corpus import read_corpus, read_formula
from benchmarks.corpus_forms import NamelessForm, NamelessForms, freed_form_of
from benchmarks.coverage import standard_forms
from benchmarks.realistic.curves import curves
from ddsr import Expression
from ddsr.engine import Floats
from ddsr.expression import Batch, Kind, Node
from ddsr_bench.judge.rules import round_constants
from ddsr_bench.problems.formula import evaluate_form, parse_formula
from ddsr_bench.problems.suites import (
    BenchmarkProblem,
    load_suite,
    load_suites,
    positive_variables,
    sample_rows,
)

FOLDER = Path(__file__).parent
FILES = {half: FOLDER / f"unlike-{half}.csv" for half in ("develop", "report")}
OTHER_SUITES = ("feynman", "strogatz", "nguyen")
N_ROWS = 400
LEAST_INFLUENCE = 0.01  # of the standard deviation of y
MOST_ROUNDING = 0.01  # of the standard deviation of y
PERIODIC_OR_FAST = frozenset({"sin", "cos", "tan", "exp"})
LEAST_SWING = float(np.pi)  # of the argument of a fast function
MOST_PERMUTED = 7  # variables; more permutations take too long


@dataclass(frozen=True)
class Law:
    """A law of one of the classes."""

    problem: BenchmarkProblem
    kind: str
    half: str

    @cached_property
    def parsed(self) -> tuple[Expression, tuple[bool, ...]]:
        """The expression, and which of its constants are free."""
        return read_formula(str(self.problem.formula), self.problem.variables, ())

    @property
    def tree(self) -> Node:
        """The expression as nodes."""
        return self.parsed[0].tree

    @cached_property
    def n_tokens(self) -> int:
        """Number of tokens in the standard form of the prior's examples, or as written if there is none."""
        written = Batch.of([self.parsed[0]])
        forms, has_form = standard_forms(written, positive_variables(self.problem))
        return len((forms if has_form[0] else written)[0])

    @cached_property
    def rows(self) -> Floats:
        """Rows of the inputs, as in a trial."""
        return sample_rows(self.problem, N_ROWS, np.random.default_rng(1))

    def values(self, node: Node, rows: Floats | None = None) -> Floats:
        """The values of a part of the law."""
        part = Expression.from_tree(self.parsed[0].vocabulary, node)
        with np.errstate(all="ignore"):
            return np.asarray(part.to_callable()(self.rows if rows is None else rows), dtype=np.float64)


def read_laws(half: str | None = None, is_checked: bool = False) -> list[Law]:
    """Read all laws, or those of one half; `is_checked` evaluates them as `ddsr bench run` does."""
    return [
        Law(problem, kind, each)
        for each, path in FILES.items()
        if half in (None, each)
        for problem, kind in zip(load_suite(str(path), is_checked), _kinds(path), strict=True)
    ]


def _kinds(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return [row["class"] for row in csv.DictReader(file)]


def faults_of(law: Law) -> Iterator[str]:
    """Yield what a law lacks: finite values, inputs that matter, and what its class demands."""
    y = law.values(law.tree)
    if not np.isfinite(y).all():
        yield "not finite"
    for name, influence in influences(law):
        if not influence > LEAST_INFLUENCE:
            yield f"{name} changes y by only {influence:.2g} of its standard deviation"
    yield from FAULTS[law.kind](law)


def rounding_of(law: Law) -> float:
    """Return how much y changes when verdicts round the law's decimals, in standard deviations of y."""
    variables = law.problem.variables
    rounded = round_constants(parse_formula(str(law.problem.formula), variables, has_numeric_pi=True))
    y = law.values(law.tree)
    return float(np.sqrt(np.mean((evaluate_form(rounded, variables, law.rows) - y) ** 2)) / y.std())


def influences(law: Law) -> Iterator[tuple[str, float]]:
    """Yield how much y changes when the values of one input are shuffled, in standard deviations of y."""
    y = law.values(law.tree)
    for column, name in enumerate(law.problem.variables):
        shuffled = law.rows.copy()
        np.random.default_rng(column).shuffle(shuffled[:, column])
        yield name, float(np.sqrt(np.nanmean((law.values(law.tree, shuffled) - y) ** 2)) / y.std())


def _faults_of_inputs(law: Law) -> Iterator[str]:
    if not 5 <= len(law.problem.variables) <= 10:
        yield f"{len(law.problem.variables)} inputs"
    if not 15 <= law.n_tokens <= 35:
        yield f"{law.n_tokens} tokens"


def _faults_of_dynamics(law: Law) -> Iterator[str]:
    if law.problem.flow is None:
        yield "no flow"
    terms = [term for term in terms_of(law.tree) if variables_in(term)]
    n_bent = sum(not is_linear(term) for term in terms)
    if not 3 <= n_bent <= len(terms) <= 5:
        yield f"{len(terms)} terms, {n_bent} of them nonlinear"
    parts = [Expression.from_tree(law.parsed[0].vocabulary, term) for term in terms]
    if len({part.key for part in parts}) < len(parts):
        yield "two terms differ only in their constants"
    spread = law.values(law.tree).std()
    for term, part in zip(terms, parts, strict=True):
        if law.values(term).std() < LEAST_INFLUENCE * spread:
            yield f"a term hardly varies: {part}"


def _faults_of_waves(law: Law) -> Iterator[str]:
    swings = [
        float(np.ptp(law.values(node.children[0])))
        for node in nodes_of(law.tree)
        if node.operation in PERIODIC_OR_FAST and len(variables_in(node)) > 1
    ]
    if not swings:
        yield "no fast function of several inputs"
    elif max(swings) < LEAST_SWING:
        yield f"its argument varies by only {max(swings):.2g}"


def _faults_of_rational(law: Law) -> Iterator[str]:
    degrees = degrees_of(law.tree)
    if degrees is None:
        yield "not a rational function"
    elif len(law.problem.variables) <= 2 and max(degrees) < 3:
        yield f"degree {max(degrees)}"


FAULTS: dict[str, Callable[[Law], Iterator[str]]] = {
    "inputs": _faults_of_inputs,
    "dynamics": _faults_of_dynamics,
    "waves": _faults_of_waves,
    "rational": _faults_of_rational,
}


def terms_of(node: Node) -> list[Node]:
    """Return the terms of a sum, without their signs."""
    if node.operation in ("add", "sub"):
        return [term for child in node.children for term in terms_of(child)]
    return terms_of(node.children[0]) if node.operation == "neg" else [node]


def is_linear(term: Node) -> bool:
    """Return whether a term is a constant times a variable."""
    nodes = nodes_of(term)
    n_variables = sum(node.kind is Kind.VARIABLE for node in nodes)
    return n_variables == 1 and {node.operation for node in nodes} <= {"", "mul", "neg"}


def nodes_of(root: Node) -> list[Node]:
    """Return all nodes of a tree."""
    found = [root]
    for node in found:  # grows during the loop
        found.extend(node.children)
    return found


def variables_in(root: Node) -> set[str]:
    """Return the variables of a tree."""
    return {node.name for node in nodes_of(root) if node.kind is Kind.VARIABLE}


def degrees_of(node: Node) -> tuple[int, int] | None:
    """Return the degrees of numerator and denominator, uncancelled; None if the node is not rational."""
    if node.kind is not Kind.OPERATOR:
        return (1 if node.kind is Kind.VARIABLE else 0), 0
    if node.operation in ("pow", "square", "cube"):
        power = {"square": 2.0, "cube": 3.0}.get(node.operation) or node.children[1].value
        base = degrees_of(node.children[0])
        return None if base is None or power % 1 else (int(power) * base[0], int(power) * base[1])
    parts = [degrees_of(child) for child in node.children]
    if any(part is None for part in parts):
        return None
    a, b, *rest = [part for part in parts if part is not None] + [(0, 0)]
    return _combined(node.operation, a, b)


def _combined(operation: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int] | None:
    match operation:
        case "add" | "sub":
            return max(a[0] + b[1], b[0] + a[1]), a[1] + b[1]
        case "mul":
            return a[0] + b[0], a[1] + b[1]
        case "div":
            return a[0] + b[1], a[1] + b[0]
        case "neg":
            return a
        case "inverse":
            return a[1], a[0]
    return None


def form_of(law: Law) -> NamelessForm:
    """Return the form of a law with free numbers."""
    return freed_form_of(*law.parsed)


def other_forms() -> Iterator[tuple[str, NamelessForm]]:
    """Yield the forms of all other tables of the repository, with their names."""
    for name, formula, variables in other_formulas():
        yield name, freed_form_of(*read_formula(formula.replace("cot(", "1/tan("), variables, ()))
    for each in read_corpus():
        name = f"{each.field}: {each.name}"
        readings = [(each.expression, each.is_free), (each.in_columns, each.is_free_in_columns), *each.varied]
        yield from ((name, freed_form_of(*reading)) for reading in readings)


def other_formulas() -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Yield name, formula and variables of all other laws in tables and suites."""
    for problem in load_suites(OTHER_SUITES):
        yield problem.name, str(problem.formula), problem.variables
    for path in sorted(FOLDER.glob("*.csv")):
        if path in FILES.values():
            continue
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                names = [part.split(":")[0] for part in row["ranges"].split(";")]
                yield f"{path.stem}: {row['name']}", row["formula"], tuple(names)
    for curve in curves():
        yield f"realistic: {curve.name}", curve.formula, tuple(each.name for each in curve.inputs)


def coincidences(laws: Iterable[Law], others: Iterable[tuple[str, NamelessForm]]) -> Iterator[str]:
    """Yield each law whose form occurs among the others or in an earlier law."""
    named = list(others)
    known, names = NamelessForms(form for _, form in named), [name for name, _ in named]
    earlier: list[Law] = []
    for law in laws:
        yield from (f"{law.problem.name} has the form of {names[index]}" for index in _same(known, law))
        seen = NamelessForms(map(form_of, earlier))
        yield from (
            f"{law.problem.name} has the form of {earlier[index].problem.name}" for index in _same(seen, law)
        )
        earlier.append(law)


def _same(known: NamelessForms, law: Law) -> list[int]:
    """Indices of equal forms. With many variables, a form with the same parts counts as equal."""
    form = form_of(law)
    if len(law.problem.variables) > MOST_PERMUTED:
        return known.alike(form)
    return list(known.indices_of(form))


def main() -> int:
    """Print the numbers of laws and all faults."""
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    laws = read_laws(is_checked=True)
    for kind in FAULTS:
        counts = [sum(law.kind == kind and law.half == half for law in laws) for half in FILES]
        print(f"{kind:10}", *(f"{count} {half}" for count, half in zip(counts, FILES, strict=True)))
    faults = [f"{law.problem.name}: {fault}" for law in laws for fault in faults_of(law)]
    faults += [f"{law.problem.name}: rounded" for law in laws if not rounding_of(law) < MOST_ROUNDING]
    faults += coincidences(laws, other_forms())
    print(*faults, sep="\n", end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
