"""Removal of what fixed constants make redundant, such as terms that became 0.

The rewriting is native (core/simplify/needless.hpp).
"""

from __future__ import annotations

from functools import lru_cache

from ddsr import _core
from ddsr.expression import OPERATORS, Expression, Node, Vocabulary
from ddsr.expression.operators import TEMPLATE
from ddsr.price.model import Model


def with_fixed_constants(vocabulary: Vocabulary, tree: Node) -> Model | None:
    """Return the tree as a model, without what fixed constants make redundant.

    Values do not change where the tree has one. Return None if it has none anywhere, or if the vocabulary
    cannot write the result; the tree itself may have any operators.
    """
    if vocabulary.template is not None and tree.operation == TEMPLATE:
        parts = [with_fixed_constants(vocabulary.of_parts, part) for part in tree.children]
        trees = [part.tree for part in parts if part is not None]
        is_whole = len(trees) == len(parts)
        return Model.of_tree(vocabulary, Node.operator(TEMPLATE, *trees)) if is_whole else None
    wide = _with_all_operators(vocabulary)
    given = Model.of_tree(wide, tree)
    if given is None:
        return None
    expression = given.expression
    found = _core.drop_needless(
        wide.core, vocabulary.core, expression.tokens, expression.constants, given.is_fixed
    )
    if found is None:
        return None
    tokens, constants, is_fixed = found
    return Model(Expression(vocabulary, tokens, constants), tuple(is_fixed))


@lru_cache(maxsize=16)  # checking thousands of variables takes a while
def _with_all_operators(vocabulary: Vocabulary) -> Vocabulary:
    return Vocabulary(vocabulary.variables, (*OPERATORS, *vocabulary.own))
