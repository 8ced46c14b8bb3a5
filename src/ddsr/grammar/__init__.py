"""The grammar: which tokens may fill a slot, and what users write of it: rules, guesses, lists."""

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
