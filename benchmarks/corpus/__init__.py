"""Formulas that scientists and engineers use, by field, with the roles of their symbols.

One table per field: name, formula, and which symbols are variables, fitted parameters, fitted exponents, or
known constants. The formulas are facts, collected for this corpus and not taken from a benchmark.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from math import pi

from ddsr.expression import OPERATORS, Expression, Kind, Node, Vocabulary

SUFFIX = ".tsv"
PI = "pi"
ROLES = ("variables", "parameters", "exponents", "known")
# Numbers that are part of a law: integers, fractions and multiples of pi. All others were once fitted.
MOST_NUMERATOR, MOST_DENOMINATOR = 32, 8
SAME_NUMBER = 1e-9  # relative: how close a value must be to count as one of them
ANY_STEP = 0.37132  # between the values given to fitted constants


@dataclass(frozen=True)
class CorpusFormula:
    """A formula as it appears in data: its variables are columns, all other symbols are constants."""

    field: str
    name: str
    expression: Expression
    is_free: tuple[bool, ...]
    """for each constant: it is fitted or measured, not part of the law"""
    in_columns: Expression
    """the formula in a table where all its symbols except fitted exponents are columns"""
    is_free_in_columns: tuple[bool, ...]
    """`is_free` for `in_columns`"""
    varied: tuple[tuple[Expression, tuple[bool, ...]], ...]
    """the formula in tables in which one of several variables was varied and the others held"""


@cache
def read_corpus() -> tuple[CorpusFormula, ...]:
    """Read all formulas, field by field."""
    tables = sorted(
        (table for table in files(__name__).iterdir() if table.name.endswith(SUFFIX)), key=lambda t: t.name
    )
    return tuple(
        formula
        for table in tables
        for formula in _read_table(table.name.removesuffix(SUFFIX), table.read_text(encoding="utf-8"))
    )


def is_part_of_law(value: float) -> bool:
    """Whether a number belongs to the law, as 2 and pi/4 do, rather than to the measurement."""
    for size in (abs(value), abs(value) / pi):
        near = Fraction(size).limit_denominator(MOST_DENOMINATOR)
        if abs(near - size) <= SAME_NUMBER * max(size, 1.0) and near.numerator <= MOST_NUMERATOR:
            return True
    return False


def read_formula(
    text: str, variables: Sequence[str], others: Sequence[str]
) -> tuple[Expression, tuple[bool, ...]]:
    """Parse a formula as it appears in data, and find its free constants.

    `others` are its symbols that are not variables; `pi` can be omitted.
    """
    formula = Expression.parse(text, Vocabulary([*variables, *others, PI], tuple(OPERATORS)))
    is_free: list[bool] = []
    nodes = [formula.tree]
    for node in nodes:  # breadth-first, the order of an expression's constants; grows during the loop
        nodes.extend(node.children)
        if node.kind is Kind.VARIABLE and node.name not in variables:
            is_free.append(node.name != PI)
        elif node.kind is Kind.CONSTANT:
            is_free.append(not is_part_of_law(node.value))

    # Arbitrary values, all different: equal ones could cancel, and the logarithm of 1 is 0.
    values = {name: 1.0 + ANY_STEP * (index + 1) for index, name in enumerate(others)} | {PI: pi}

    def seen(node: Node) -> Node:
        if node.kind is Kind.VARIABLE and node.name not in variables:
            return Node.constant(values[node.name])
        return Node.operator(node.name, *map(seen, node.children)) if node.children else node

    return Expression.from_tree(Vocabulary(variables, tuple(OPERATORS)), seen(formula.tree)), tuple(is_free)


def _read_table(field: str, text: str) -> Iterator[CorpusFormula]:
    for row in csv.DictReader(text.splitlines(), delimiter="\t"):
        symbols = {role: [name.strip() for name in row[role].split(",") if name.strip()] for role in ROLES}
        variables = symbols.pop("variables")
        others = [name for names in symbols.values() for name in names]
        exponents = symbols["exponents"]
        columns = [*variables, *(name for name in others if name not in exponents)]
        yield CorpusFormula(
            field,
            row["name"],
            *read_formula(row["formula"], variables, others),
            *read_formula(row["formula"], columns, exponents),
            tuple(_varied(row["formula"], variables, others)),
        )


def _varied(
    text: str, variables: Sequence[str], others: Sequence[str]
) -> Iterator[tuple[Expression, tuple[bool, ...]]]:
    for name in variables if len(variables) > 1 else ():
        yield read_formula(text, [name], [*others, *(other for other in variables if other != name)])
