"""What a user should know of rules that were checked on a grid."""

from __future__ import annotations

from ddsr.grammar.rules import RulesLike, read_rules
from ddsr.grammar.value_rules import ValueRule


def rules_on_grid(rules: RulesLike) -> list[str]:
    """Return the rules on values, as text."""
    return [str(rule) for rule in read_rules(rules) if isinstance(rule, ValueRule)]


def grid_note(rules: RulesLike) -> str:
    """Return a sentence on the rules on values; an empty text if there are none."""
    texts = rules_on_grid(rules)
    if not texts:
        return ""
    return (
        f"Checked on a grid within the ranges of the inputs, also between the rows: {'; '.join(texts)}. "
        "It proves nothing between its points or outside these ranges."
    )
