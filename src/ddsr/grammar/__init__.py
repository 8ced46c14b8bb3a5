"""The grammar: legal tokens, the user's rules and guesses, and which equations may be listed."""

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
