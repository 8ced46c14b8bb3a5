"""Expressions: what a search looks for, in every form that a person or a program wants it."""

from .expression import Expression
from .operators import DEFAULT_OPERATORS, OPERATORS, Operator, find_operator
from .tree import Kind, Node
from .vocabulary import Vocabulary

__all__ = [
    "DEFAULT_OPERATORS",
    "OPERATORS",
    "Expression",
    "Kind",
    "Node",
    "Operator",
    "Vocabulary",
    "find_operator",
]
