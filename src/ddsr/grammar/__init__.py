"""The grammar: which tokens may fill a slot, and the rules, guesses and lists of users."""

from ddsr.grammar.grammar import (
    AtMost,
    Forbid,
    Grammar,
    GrammarTables,
    MustAppear,
    Nesting,
    Rule,
    with_names,
)

__all__ = ["AtMost", "Forbid", "Grammar", "GrammarTables", "MustAppear", "Nesting", "Rule", "with_names"]
