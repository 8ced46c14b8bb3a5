"""Forms of formulas, whatever their variables are called, used to leave forms out of the corpus.

`Description.key` depends on the order of the columns: `x^2 * y^4` and `y^2 * x^4` have different keys. Here
they are one form.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

from benchmarks.corpus import CorpusFormula
from ddsr import Expression
from ddsr.expression import Kind, Node
from ddsr.price.structure_code import Description, describe, n_fitted
from ddsr.selection.posterior import structural_constants


@dataclass(frozen=True, eq=False)
class NamelessForm:
    """The structure of an equation. `is_free` marks its fitted constants, breadth-first."""

    expression: Expression
    is_free: tuple[bool, ...]

    @cached_property
    def described(self) -> Description:
        """The structure with its columns in the given order."""
        described = describe([self.expression], [self.is_free])[0]
        # Each symbol has its own value.
        free = {v for v, is_free in zip(self.expression.constants, self.is_free, strict=True) if is_free}
        return replace(described, has_ties=n_fitted(described) > len(free))

    @cached_property
    def signature(self) -> tuple[object, ...]:
        """Equal for equal forms and quick to compute; different forms may share it.

        Names of variables affect only the order of parts of the same kind, so the choices are the same.
        """
        occurrences = sorted(Counter(self.described.variables).values())
        choices = frozenset(Counter(self.described.choices).items())
        return tuple(occurrences), choices, tuple(sorted(self.described.numbers))

    @cached_property
    def keys(self) -> frozenset[tuple[object, ...]]:
        """`Description.key` for every permutation of the variables. Only equal forms share keys."""
        used = self.expression.variables_used
        return frozenset(
            describe([_renamed(self.expression, dict(zip(used, names, strict=True)))], [self.is_free])[0].key
            for names in permutations(used)
        )


class NamelessForms:
    """A sequence of forms that can be searched."""

    def __init__(self, forms: Iterable[NamelessForm]) -> None:
        self._forms: dict[tuple[object, ...], list[tuple[int, NamelessForm]]] = defaultdict(list)
        for index, form in enumerate(forms):
            self._forms[form.signature].append((index, form))

    def indices_of(self, form: NamelessForm) -> Iterator[int]:
        """Yield the positions of a form."""
        for index, other in self._forms.get(form.signature, ()):
            if other.described.key in form.keys:
                yield index

    def alike(self, form: NamelessForm) -> list[int]:
        """Return the positions of forms with the same parts, which may be arranged differently."""
        return [index for index, _ in self._forms.get(form.signature, ())]

    def __contains__(self, form: NamelessForm) -> bool:
        return any(True for _ in self.indices_of(form))


def form_of(formula: CorpusFormula) -> NamelessForm:
    """Return the form of a formula of the corpus, as the code is learned from it."""
    return NamelessForm(formula.expression, formula.is_free)


def form_in_columns(formula: CorpusFormula) -> NamelessForm:
    """Return the form with all symbols of the formula as columns."""
    return NamelessForm(formula.in_columns, formula.is_free_in_columns)


def freed_form_of(expression: Expression, is_free: Sequence[bool] | None = None) -> NamelessForm:
    """Return the form with free numbers, except those that belong to it: 1 and small integer exponents.

    Constants that `is_free` marks are free whatever their values are.
    """
    marked = is_free or (False,) * expression.n_constants
    is_part = structural_constants(expression)
    return NamelessForm(
        expression, tuple(is_marked or not part for is_marked, part in zip(marked, is_part, strict=True))
    )


def _renamed(expression: Expression, names: dict[str, str]) -> Expression:
    def renamed(node: Node) -> Node:
        if node.kind is Kind.VARIABLE:
            return Node.variable(names[node.name])
        return Node.operator(node.name, *map(renamed, node.children)) if node.children else node

    return Expression.from_tree(expression.vocabulary, renamed(expression.tree))
