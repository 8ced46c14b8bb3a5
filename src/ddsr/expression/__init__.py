"""Expressions: parsing, printing, simplification and exports."""

from ddsr.expression.batch import Batch
from ddsr.expression.expression import Expression
from ddsr.expression.operators import DEFAULT_OPERATORS, OPERATORS, Operator, find_operator
from ddsr.expression.own_operators import CustomOperator, FormulaOperator
from ddsr.expression.scaling import scaled, unscaled
from ddsr.expression.tree import Kind, Node
from ddsr.expression.vocabulary import Vocabulary

__all__ = [
    "DEFAULT_OPERATORS",
    "OPERATORS",
    "Batch",
    "CustomOperator",
    "Expression",
    "FormulaOperator",
    "Kind",
    "Node",
    "Operator",
    "Vocabulary",
    "find_operator",
    "scaled",
    "unscaled",
]
