"""Expressions: parsing, printing, simplification and exports."""

from ddsr._core import MASK, PAD
from ddsr.expression.batch import Batch, Tokens
from ddsr.expression.expression import Expression
from ddsr.expression.operators import DEFAULT_OPERATORS, OPERATORS, Operator, find_operator
from ddsr.expression.own_operators import CustomOperator, FormulaOperator
from ddsr.expression.scaling import scaled, unscaled
from ddsr.expression.tree import Kind, Node
from ddsr.expression.vocabulary import Vocabulary

__all__ = [
    "DEFAULT_OPERATORS",
    "MASK",
    "OPERATORS",
    "PAD",
    "Batch",
    "CustomOperator",
    "Expression",
    "FormulaOperator",
    "Kind",
    "Node",
    "Operator",
    "Tokens",
    "Vocabulary",
    "find_operator",
    "scaled",
    "unscaled",
]
