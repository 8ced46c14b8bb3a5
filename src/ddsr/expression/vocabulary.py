"""The vocabulary: the tokens of expressions and their integer ids."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ddsr import _core
from ddsr.errors import VocabularyError, did_you_mean
from ddsr.expression.known_constant import KnownConstant, inputs_among, known_among
from ddsr.expression.operators import (
    DEFAULT_OPERATORS,
    OPERATORS,
    TEMPLATE,
    Operator,
    filled_by,
    find_operator,
    listed,
)
from ddsr.expression.own_operators import SLOTS, OwnOperator, with_uses
from ddsr.expression.template import Template
from ddsr.expression.tree import Kind
from ddsr.expression.words import write_name

LARGEST = 32767  # token ids are 16-bit


@dataclass(frozen=True, init=False)
class Vocabulary:
    """Operators, the literal 1, the constant and the variables, with ids in this order.

    Operators are given by name or symbol. Variables, one per column of the data, may have any name. Known
    constants are the last variables.
    """

    variables: tuple[str, ...]
    operators: tuple[str, ...]
    """names of the operators"""
    has_one: bool
    has_constant: bool
    template: Template | None
    """template that all expressions of this vocabulary fill, if there is one"""
    own: tuple[OwnOperator, ...]
    """user-defined operators"""

    def __init__(
        self,
        variables: Sequence[str] = ("x", "y"),
        operators: Sequence[str | OwnOperator] = DEFAULT_OPERATORS,
        has_one: bool = True,
        has_constant: bool = True,
        template: Template | None = None,
    ) -> None:
        given = tuple(listed(operators, "operators"))
        own = tuple(each for each in given if isinstance(each, OwnOperator))
        names = tuple(
            each.name if isinstance(each, OwnOperator) else find_operator(each).name for each in given
        )
        _refuse_repeated(names, "operator")
        object.__setattr__(self, "variables", _checked_variables(variables))
        object.__setattr__(self, "operators", names)
        object.__setattr__(self, "has_one", bool(has_one))
        object.__setattr__(self, "has_constant", bool(has_constant))
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "own", own)
        for each in own:
            if each.name in self.variables:
                what = f"the operator {each.name!r} has the name of a column"
                raise VocabularyError(f"{what}; rename one of them")
        if len(self) > LARGEST:
            raise VocabularyError(f"a vocabulary holds at most {LARGEST} tokens, not {len(self)}")

    @classmethod
    def of_size(
        cls,
        n_features: int,
        operators: Sequence[str | OwnOperator] = DEFAULT_OPERATORS,
        has_one: bool = True,
        has_constant: bool = True,
    ) -> Vocabulary:
        """Create a vocabulary with variables x0, x1, … for data without column names."""
        names = [f"x{column}" for column in range(n_features)]
        return cls(names, operators, has_one, has_constant)

    def __len__(self) -> int:
        return self.first_variable + len(self.variables)

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[object, ...]]:
        # the core's object is not pickled but rebuilt when needed
        parts = self.variables, self.definitions, self.has_one, self.has_constant, self.template
        return Vocabulary, parts

    @cached_property
    def one(self) -> int | None:
        """Id of the literal 1; None if there is none."""
        return self._n_operators if self.has_one else None

    @cached_property
    def constant(self) -> int | None:
        """Id of the constant; None if there is none."""
        return self._n_operators + self.has_one if self.has_constant else None

    @cached_property
    def first_variable(self) -> int:
        """Id of the variable of column 0; the others follow."""
        return self._n_operators + self.has_one + self.has_constant

    @property
    def _n_operators(self) -> int:
        """Number of tokens with operands: the operators, and the root of a filled template."""
        return len(self.operators) + (self.template is not None)

    @property
    def _all_operators(self) -> tuple[str, ...]:
        return self.operators if self.template is None else (*self.operators, TEMPLATE)

    @property
    def definitions(self) -> tuple[str | OwnOperator, ...]:
        """The operators as another vocabulary takes them: by name, or as the user defines them."""
        known = {own.name: own for own in self.own}
        return tuple(known.get(name, name) for name in self.operators)

    @cached_property
    def _defined(self) -> tuple[OwnOperator, ...]:
        """All user-defined operators: those of expressions, of their formulas and of the template."""
        of_template = () if self.template is None else self.template.own
        return with_uses((*self.own, *of_template))

    @cached_property
    def _slots(self) -> dict[str, str]:
        """Name in the core of each user-defined operator."""
        slots: dict[str, str] = {}
        for arity, names in SLOTS.items():
            own = [each.name for each in self._defined if each.arity == arity]
            if len(own) > len(names):
                raise VocabularyError(f"at most {len(names)} operators of {arity} argument(s) can be defined")
            slots |= dict(zip(own, names, strict=False))
        return slots

    @cached_property
    def _rows(self) -> Mapping[str, Operator]:
        return {**OPERATORS, **{own.name: own.row for own in self._defined}}

    def find_row(self, name: str) -> Operator | None:
        """Return the row of an operator of the table, or of a user-defined one."""
        return self._rows.get(name)

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """Variables that are columns of the user's table: all but the known constants."""
        return inputs_among(self.variables)

    @cached_property
    def known_constants(self) -> tuple[KnownConstant, ...]:
        """Variables with a known value."""
        return known_among(self.variables)

    @cached_property
    def columns(self) -> dict[str, int]:
        """Column of each variable by its bare name."""
        return {name: column for column, name in enumerate(self.variables)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of each id: `add`, `1`, `?` for the constant, variables as in text."""
        leaves = ["1"] * self.has_one + ["?"] * self.has_constant
        variables = (write_name(name, self.operators) for name in self.variables)
        return (*self._all_operators, *leaves, *variables)

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """Number of operands of each id."""
        n_leaves = len(self) - self._n_operators
        return (*(self.operator(token).arity for token in range(self._n_operators)), *[0] * n_leaves)

    @cached_property
    def core(self) -> _core.Vocabulary:
        """This vocabulary for the native core."""
        names = [self._slots.get(name, name) for name in self._all_operators]
        nodes, holes = [], []
        if self.template is not None:
            nodes = self.template.rows(self.columns, self._slots)
            holes = [
                (hole.is_constant, [self.columns[name] for name in hole.inputs])
                for hole in self.template.holes
            ]
        definitions = [(self._slots[own.name], *own.core_parts(self._slots)) for own in self._defined]
        n_variables = len(self.variables)
        return _core.Vocabulary(
            names, self.has_one, self.has_constant, n_variables, nodes, holes, definitions
        )

    @cached_property
    def of_parts(self) -> Vocabulary:
        """The vocabulary of what fills the template's holes."""
        if self.template is None:
            return self
        return Vocabulary(self.variables, self.definitions, self.has_one, self.has_constant)

    @cached_property
    def plain(self) -> Vocabulary:
        """The vocabulary without the template, with the operators of its known part."""
        if self.template is None:
            return self
        known = {own.name: own for own in self.template.own}
        missing = [name for name in self.template.operators if name not in self.operators]
        operators = (*self.definitions, *(known.get(name, name) for name in missing))
        return Vocabulary(self.variables, operators, has_constant=True)

    def arity(self, token: int) -> int:
        """Return the number of operands of a token."""
        return self.arities[token]

    def is_constant(self, token: int) -> bool:
        """Return whether a token is the constant, whose value is fitted."""
        return token == self.constant

    def operator(self, token: int) -> Operator:
        """Return the operator with this id."""
        if token == len(self.operators) and self.template is not None:
            return filled_by(len(self.template.holes))
        return self._rows[self.operators[token]]

    def token(self, name: str) -> int:
        """Return the id of one of `names`, of an operator's symbol or of a variable's bare name.

        If a variable has the name of an operator, the bare name means the operator.
        """
        try:
            return self._ids[name]
        except (KeyError, TypeError):
            hint = did_you_mean(name, (*self.operators, *self.variables))
            raise VocabularyError(
                f"{name!r} is not in this vocabulary{hint}, which has: {', '.join(self.names)}"
            ) from None

    @cached_property
    def nodes(self) -> dict[tuple[Kind, str], int]:
        """Ids of tree nodes by kind and, for operators and variables, by name."""
        ids = {(Kind.OPERATOR, name): token for token, name in enumerate(self._all_operators)}
        ids |= {(Kind.VARIABLE, name): self.first_variable + k for name, k in self.columns.items()}
        if self.one is not None:
            ids[Kind.ONE, ""] = self.one
        if self.constant is not None:
            ids[Kind.CONSTANT, ""] = self.constant
        return ids

    @cached_property
    def _ids(self) -> dict[str, int]:
        variables = list(enumerate(self.variables, self.first_variable))
        ids = {name: token for token, name in variables}
        ids |= {write_name(name, OPERATORS): token for token, name in variables}
        ids |= {self._rows[name].symbol: k for k, name in enumerate(self.operators)}
        ids.pop("", None)  # the symbol of functions
        if "pow" in self.operators:
            ids["**"] = ids["^"]
        return ids | {name: k for k, name in enumerate(self.names)}


def _checked_variables(variables: Sequence[str]) -> tuple[str, ...]:
    names = tuple(listed(variables, "variables"))
    if not names:
        raise VocabularyError("a vocabulary needs at least one variable")
    for column, name in enumerate(names):
        if not isinstance(name, str):
            raise VocabularyError(f"the name of variable {column} is not a string: {name!r}")
        if not name:
            raise VocabularyError(f"the name of variable {column} is empty")
    _refuse_repeated(names, "variable")
    if (*inputs_among(names), *known_among(names)) != names:
        raise VocabularyError("known constants must come after the other variables")
    return tuple(name if isinstance(name, KnownConstant) else str(name) for name in names)


def _refuse_repeated(names: tuple[str, ...], what: str) -> None:
    repeated = [name for name, count in Counter(names).items() if count > 1]
    if repeated:
        raise VocabularyError(f"{what} {repeated[0]!r} is given more than once")
