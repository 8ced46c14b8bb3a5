"""Which methods can keep the units of expressions consistent, and which rules."""

from __future__ import annotations

from ddsr.data.units import Units
from ddsr.errors import GrammarError, MethodError
from ddsr.grammar import Grammar, Symmetric


def check_units(grammar: Grammar, preset: str, method: str, has_evolution: bool) -> None:
    """Refuse a method that cannot; evolution always can."""
    if grammar.units is None or has_evolution:
        return
    if preset == "dsr":
        raise MethodError("the preset 'dsr' knows no units: leave out units, or use 'ddsr' or 'paper'")
    if not grammar.core.masks_units:
        raise MethodError(
            f"{method!r} cannot combine units with unit_constants, with a template, nor with rules that "
            "limit or require tokens: leave one of them out, or use the preset 'ddsr'"
        )


def check_symmetric(grammar: Grammar, units: Units | None) -> None:
    """Refuse a rule that exchanges inputs of different units."""
    if units is None:
        return
    vocabulary = grammar.vocabulary
    for rule in grammar.rules:
        if not isinstance(rule, Symmetric):
            continue
        tokens = (vocabulary.token(name) for name in (rule.first, rule.second))
        first, second = (units.columns[token - vocabulary.first_variable] for token in tokens)
        if first.exponents != second.exponents:
            raise GrammarError(
                f"rule '{rule}': {rule.first} has the unit {first.text!r} and {rule.second} has "
                f"{second.text!r}; only inputs of the same unit can be exchanged"
            )
