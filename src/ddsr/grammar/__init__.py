"""The grammar: legal tokens, the user's rules and guesses, and which equations may be listed."""

from typing import get_args

from ddsr.grammar.form_rules import ConstantRange, Exponents, MaxDepth, NoOffset, OperandSize
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
from ddsr.grammar.value_rules import (
    Concave,
    Convex,
    Decreasing,
    Increasing,
    Symmetric,
    ValueRange,
    ZeroAt,
)

RULES: tuple[type, ...] = get_args(Rule)
"""the classes of rules"""

__all__ = [
    "RULES",
    "AtMost",
    "Concave",
    "ConstantRange",
    "Convex",
    "Decreasing",
    "Exponents",
    "Forbid",
    "Grammar",
    "GrammarTables",
    "Increasing",
    "MaxDepth",
    "MustAppear",
    "Nesting",
    "NoOffset",
    "OperandSize",
    "Rule",
    "Symmetric",
    "ValueRange",
    "ZeroAt",
    "with_names",
]
