"""An independent implementation of the grammar's rules, on trees and by enumeration."""

from collections.abc import Iterator
from functools import cache

from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import AtMost, Forbid, MustAppear, Nesting, Rule

Tree = tuple  # (name, operand, ...)

BINARY = {"add", "sub", "mul", "div", "pow"}
UNDOES = {
    ("exp", "log"), ("log", "exp"), ("neg", "neg"), ("inverse", "inverse"), ("abs", "abs"),
    ("sqrt", "square"), ("square", "sqrt"), ("sin", "asin"), ("asin", "sin"), ("cos", "acos"),
    ("acos", "cos"), ("tan", "atan"), ("atan", "tan"),
}  # fmt: skip


def arity(vocabulary: Vocabulary, name: str) -> int:
    return 0 if name not in vocabulary.operators else 2 if name in BINARY else 1


def all_trees(vocabulary: Vocabulary, max_length: int) -> Iterator[Tree]:
    """Yield every tree of at most `max_length` tokens, legal or not."""

    @cache
    def of_size(n: int) -> list[Tree]:
        trees: list[Tree] = []
        for name in vocabulary.names:
            match arity(vocabulary, name):
                case 0:
                    trees += [(name,)] * (n == 1)
                case 1:
                    trees += [(name, operand) for operand in (of_size(n - 1) if n > 1 else [])]
                case 2:
                    for k in range(1, n - 1):
                        trees += [(name, a, b) for a in of_size(k) for b in of_size(n - 1 - k)]
        return trees

    for n in range(1, max_length + 1):
        yield from of_size(n)


def nodes(tree: Tree) -> Iterator[Tree]:
    yield tree
    for operand in tree[1:]:
        yield from nodes(operand)


def most_on_a_path(tree: Tree, names: set[str]) -> int:
    """The maximum number of tokens among `names` on a path from the root of `tree` to a leaf."""
    return (tree[0] in names) + max((most_on_a_path(o, names) for o in tree[1:]), default=0)


def obeys_nesting(tree: Tree, outer: set[str], inner: set[str], at_most: int) -> bool:
    return all(
        most_on_a_path(operand, inner) <= at_most
        for node in nodes(tree)
        if node[0] in outer
        for operand in node[1:]
    )


def constant_like(vocabulary: Vocabulary) -> set[str]:
    return {"1", "?"} if vocabulary.has_constant else set()


def works_on(node: Tree, names: set[str]) -> bool:
    return len(node) > 1 and all(operand[0] in names for operand in node[1:])


def as_set(names: str | tuple[str, ...]) -> set[str]:
    return {names} if isinstance(names, str) else set(names)


def obeys(tree: Tree, rule: Rule) -> bool:
    used = [node[0] for node in nodes(tree)]
    match rule:
        case Forbid(operator, on):
            return obeys_nesting(tree, {operator}, {on}, 0)
        case Nesting(outer, inner, at_most):
            return obeys_nesting(tree, as_set(outer), as_set(inner), at_most)
        case AtMost(tokens, n):
            return sum(name in as_set(tokens) for name in used) <= n
        case MustAppear(variables):
            return set(variables) <= set(used)


def is_legal(vocabulary: Vocabulary, tree: Tree, max_constants: int, rules: tuple[Rule, ...]) -> bool:
    constants = constant_like(vocabulary)
    periodic = {"sin", "cos", "tan"}
    return (
        tree[0] not in constants
        and not any(works_on(node, constants) for node in nodes(tree))
        and not any((n[0], operand[0]) in UNDOES for n in nodes(tree) for operand in n[1:])
        and obeys_nesting(tree, periodic, periodic, 0)
        and obeys(tree, AtMost("?", max_constants))
        and all(obeys(tree, rule) for rule in rules)
    )


def breadth_first(tree: Tree) -> tuple[str, ...]:
    queue = [tree]
    for node in queue:
        queue.extend(node[1:])
    return tuple(node[0] for node in queue)


def legal_expressions(
    vocabulary: Vocabulary, max_length: int, max_constants: int, rules: tuple[Rule, ...]
) -> set[tuple[str, ...]]:
    """Every legal expression as a breadth-first sequence of names."""
    return {
        breadth_first(tree)
        for tree in all_trees(vocabulary, max_length)
        if is_legal(vocabulary, tree, max_constants, rules)
    }
