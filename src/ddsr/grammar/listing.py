"""The equations that may be listed: those of the given operators that obey the user's rules.

The search fits `scale * expression + offset`. Users see this equation written out, so the rules apply to it
with its constants, products and sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from ddsr import _core
from ddsr.errors import ExpressionError, VocabularyError
from ddsr.expression import Expression, Kind, Node, Vocabulary, scaled
from ddsr.grammar import (
    AtMost,
    ConstantRange,
    Forbid,
    Grammar,
    MaxDepth,
    MustAppear,
    Nesting,
    NoOffset,
    OperandSize,
    Rule,
)

LONGEST_EQUATION = 256
"""Maximum number of tokens of a listed equation; `max_length` applies without scale and offset."""


@dataclass(frozen=True)
class Listing:
    """Decides which equations a search with this grammar may list."""

    grammar: Grammar

    def allows(self, equation: Expression) -> bool:
        """Return whether an equation uses the search's operators and obeys the user's rules.

        A single number may be listed unless a rule requires a variable or forbids numbers, although the
        search never proposes one.
        """
        own = self._in_vocabulary(equation)
        if own is None:
            return False
        if own.vocabulary.template is not None and not own.is_filled:
            return False
        if own.tree.kind in (Kind.CONSTANT, Kind.ONE):
            return self._allows_number(own)
        rules, units = tuple(self.grammar.rules), self.grammar.units
        if not rules and units is None:
            return True
        checked = _unlimited(own.vocabulary, rules, units)
        return checked.check(own.tokens, own.constants) is None and not self._is_disguised(own)

    def _is_disguised(self, equation: Expression) -> bool:
        """Return whether an equation obeys a rule only by parts that cancel, such as the offset 3 * t / t."""
        disguisable = [rule for rule in self.grammar.rules if isinstance(rule, (NoOffset, MustAppear))]
        if not disguisable:
            return False
        simpler = equation.simplified()
        if len(simpler) >= len(equation):
            return False
        if simpler.tree.kind in (Kind.CONSTANT, Kind.ONE):
            return any(self._refuses_number(rule, simpler) for rule in disguisable)
        checked = _unlimited(simpler.vocabulary, tuple(disguisable), None)
        return checked.check(simpler.tokens, simpler.constants) is not None

    def _allows_number(self, number: Expression) -> bool:
        has_unit = self.grammar.units is not None and not self.grammar.units.allows_offset
        return not has_unit and not any(self._refuses_number(rule, number) for rule in self.grammar.rules)

    def _in_vocabulary(self, equation: Expression) -> Expression | None:
        """Return the equation over the search's tokens, in any order; None if it uses others."""
        given, own = equation.vocabulary, self.grammar.vocabulary
        if given == own or (set(given.names) == set(own.names) and given.variables == own.variables):
            return equation
        try:
            return Expression.from_tree(own, equation.tree)
        except (ExpressionError, VocabularyError):
            return None

    def written(
        self, expression: Expression, scale: float, offset: float, unit: float = 1.0
    ) -> Expression | None:
        """Return `scale * expression + offset` if it may be listed, otherwise None.

        `unit` is the spread of y; an offset that is negligible compared with it is omitted.
        """
        vocabulary = self.grammar.vocabulary
        if scale == 0.0:
            if not vocabulary.has_constant:
                return None
            equation: Expression | None = Expression.from_tree(vocabulary, Node.constant(offset))
        else:
            equation = scaled(expression, scale, offset, unit)
        return equation if equation is not None and self.allows(equation) else None

    def shortened(self, equation: Expression) -> Expression:
        """Return the simplified equation if it is not longer and may be listed."""
        shorter = equation.simplified()
        return shorter if len(shorter) <= len(equation) and self.allows(shorter) else equation

    @property
    def always_allows_scale_and_offset(self) -> bool:
        """Whether `scale * f + offset` may be listed for every f that the grammar allows.

        If not, constants are only fitted inside the expressions.
        """
        vocabulary = self.grammar.vocabulary
        if vocabulary.template is not None:
            return False
        scale = next((name for name in ("mul", "div") if name in vocabulary.operators), None)
        offset = [name for name in ("add", "sub") if name in vocabulary.operators]
        if not (vocabulary.has_constant and scale and offset):
            return False
        if any(isinstance(rule, (ConstantRange, MaxDepth)) for rule in self.grammar.rules):
            return False
        added = {vocabulary.token(name) for name in (scale, *offset, "?")}
        return not any(added & self._limited_by(rule) for rule in self.grammar.rules)

    def _limited_by(self, rule: Rule) -> set[int]:
        """Return tokens that a rule may forbid at the root of an expression that it otherwise allows."""
        match rule:
            case Forbid(operator, _):
                names: str | tuple[str, ...] = operator
            case Nesting(outer, _, _):
                names = outer
            case AtMost(tokens, _):
                names = tokens
            case OperandSize(operator, _):
                names = operator
            case _:
                names = ()
        listed = (names,) if isinstance(names, str) else names
        return {self.grammar.vocabulary.token(name) for name in listed}

    def _refuses_number(self, rule: Rule, number: Expression) -> bool:
        if isinstance(rule, AtMost):
            return rule.n == 0 and number.vocabulary.names[number.tokens[0]] in self._names(rule)
        if isinstance(rule, ConstantRange):
            return not all(rule.holds(value) for value in number.constants)
        return isinstance(rule, NoOffset) or (isinstance(rule, MustAppear) and len(rule.variables) > 0)

    def _names(self, rule: AtMost) -> set[str]:
        return {self.grammar.vocabulary.names[token] for token in self._limited_by(rule)}


@lru_cache(maxsize=16)
def _unlimited(vocabulary: Vocabulary, rules: tuple[Rule, ...], units: _core.Units | None) -> Grammar:
    """Return the rules for equations with scale and offset, which may be longer than `max_length`."""
    return Grammar(vocabulary, LONGEST_EQUATION, LONGEST_EQUATION, rules, units)
