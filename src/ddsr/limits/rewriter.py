"""Expressions rewritten where one operator imitates another on the data, as proposals to be fitted."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import ExpressionError
from ddsr.expression import OPERATORS, Batch, Expression, Kind, Node, unscaled
from ddsr.expression.operators import numpy_function
from ddsr.grammar import Grammar
from ddsr.limits.rules import OPERANDS, PARABOLA, SYMMETRIC, Template, evaluated, filled, limits_of
from ddsr.limits.scales import joined, split_scale
from ddsr.saved import Saved

Floats = NDArray[np.float64]

# What is left of an operator by its limit, relative to how much it varies: exp(u) is 1 + u so far up to
# |u| = 0.5. A proposal is fitted afterwards, so the limit need not be close.
LARGEST_REMAINDER = 0.15
# A wave may be there for its symmetry alone, in the place of a square: that need not look alike.
LARGEST_OF_SYMMETRIC = 0.6
ENOUGH = 0.05
MOST_SITES = 6
"""rewrites of one expression, the closest limits first"""
IDENTITY_BYTES = 8
USUAL_CONSTANTS = (1e-4, 1e4)
"""where one lies outside, scales are taken out before the constants are judged"""


@dataclass(frozen=True)
class Site:
    """An operator that is near a limit."""

    position: int
    """of the operator among the nodes, each before those under it"""
    end: int
    """position behind the last node under it"""
    kind: str
    template: Template
    remainder: float


def rewritten(
    expression: Expression,
    X: Floats,
    grammar: Grammar,
    *,
    is_scale_free: bool = True,
    positive: Collection[str] = (),
) -> list[Expression]:
    """What the expression could be in the limits that it is near to on the rows of X.

    Each limit alone, each with those beneath it, all of a kind, and all; simplified, where the variables
    named are positive. With `is_scale_free` they come without the constants that scale and shift them.
    """
    sites = find_sites(expression, X)
    found = _finished(_rewritten(expression, _choices(sites)), grammar, is_scale_free, positive)
    # What cancels but for a residue, as 2.0001 - (1 - u^2) - (1 - v^2), may be negative where it must not.
    waves = [site for site in sites if site.kind in (PARABOLA, SYMMETRIC)]
    together = _finished(_rewritten(expression, _distinct([waves, sites])), grammar, is_scale_free, positive)
    rests = [rest for each in together.values() for rest in _without_residues(each, X)]
    return [*(found | _finished(rests, grammar, is_scale_free, positive)).values()]


def find_sites(
    expression: Expression, X: Floats, operators: Collection[str] = tuple(OPERATORS)
) -> list[Site]:
    """Those of the operators that are near a limit, the closest first; of each one limit of a kind."""
    finder = _Finder(dict(zip(expression.vocabulary.variables, X.T, strict=True)), operators)
    with np.errstate(all="ignore"):
        finder.visit(expression.tree, 0)
    return sorted(finder.sites, key=lambda site: (site.remainder, site.position))[:MOST_SITES]


@dataclass
class _Finder:
    columns: dict[str, Floats]
    operators: Collection[str]
    sites: list[Site] = field(default_factory=list)

    def visit(self, node: Node, position: int) -> tuple[Floats, int]:
        """Values of the node, and the position behind its last one."""
        if node.kind is Kind.VARIABLE:
            return self.columns[node.name], position + 1
        if node.kind is not Kind.OPERATOR:
            return np.asarray(node.value), position + 1
        operands, end = [], position + 1
        for child in node.children:
            values, end = self.visit(child, end)
            operands.append(values)
        values = numpy_function(OPERATORS[node.name])(*operands)
        if node.name in self.operators and np.ndim(values) > 0 and np.isfinite(sum(operands, values)).all():
            self.sites.extend(_sites_at(node, (position, end), operands, values))
        return values, end


def _sites_at(node: Node, span: tuple[int, int], operands: list[Floats], values: Floats) -> Iterator[Site]:
    best: dict[str, Site] = {}
    spread = float(values.std())
    for kind, template in limits_of(node, operands):
        site = Site(*span, kind, template, _remainder(values - evaluated(template, operands), spread))
        best[kind] = _better(best.get(kind), site)
    if _is_near(best.get(PARABOLA)):
        best.pop(SYMMETRIC, None)
    return filter(_is_near, best.values())


def _is_near(site: Site | None) -> bool:
    if site is None:
        return False
    return site.remainder < (LARGEST_OF_SYMMETRIC if site.kind == SYMMETRIC else LARGEST_REMAINDER)


def _better(known: Site | None, site: Site) -> Site:
    """Of two limits of a kind the closer one; but the rules give the simplest first, and it may be enough."""
    if known is None or known.remainder >= max(site.remainder, ENOUGH):
        return site
    return known


def _remainder(left: Floats, spread: float) -> float:
    """Root mean square of what a template leaves of an operator's values, over their spread."""
    remainder = np.sqrt(left @ left / len(left)) / spread if spread > 0.0 else np.inf
    return float(remainder) if np.isfinite(remainder) else np.inf


def _choices(sites: list[Site]) -> list[dict[int, Template]]:
    """Which of the sites to rewrite together, by position; each choice once."""
    groups = [[site] for site in sites]
    groups += [[site, *_beneath(site, sites)] for site in sites]
    groups += [[site for site in sites if site.kind == kind] for kind in {site.kind: 0 for site in sites}]
    return _distinct([*groups, sites])


def _distinct(groups: list[list[Site]]) -> list[dict[int, Template]]:
    chosen = [_closest(group) for group in groups]
    known = {
        frozenset((position, id(template)) for position, template in each.items()): each for each in chosen
    }
    return [each for each in known.values() if each]


def _beneath(site: Site, sites: list[Site]) -> list[Site]:
    return [each for each in sites if site.position < each.position < site.end]


def _closest(sites: list[Site]) -> dict[int, Template]:
    return {site.position: site.template for site in reversed(sites)}


def _without_residues(expression: Expression, X: Floats) -> list[Expression]:
    """Without the constants that hardly count in their sums, if there are any."""
    if not _adds_constant(expression.tree):
        return []
    sites = [each for each in find_sites(expression, X, ("add", "sub")) if each.template in OPERANDS]
    return _rewritten(expression, [_closest(sites)] if sites else [])


def _adds_constant(node: Node) -> bool:
    is_sum = node.name in ("add", "sub") and node.kind is Kind.OPERATOR
    return (is_sum and any(map(_is_number, node.children))) or any(map(_adds_constant, node.children))


def _is_number(node: Node) -> bool:
    return node.kind in (Kind.CONSTANT, Kind.ONE)


def _rebuilt(root: Node, chosen: dict[int, Template]) -> Node:
    positions = iter(range(10**9))

    def visit(node: Node) -> Node:
        position = next(positions)
        children = [visit(child) for child in node.children]
        if position in chosen:
            return filled(chosen[position], children)
        return node if node.kind is not Kind.OPERATOR else Node.operator(node.name, *children)

    return visit(root)


def _rewritten(expression: Expression, choices: Iterable[dict[int, Template]]) -> list[Expression]:
    return [*_expressions((_rebuilt(expression.tree, chosen) for chosen in choices), expression)]


def _expressions(trees: Iterable[Node], original: Expression) -> Iterator[Expression]:
    for tree in trees:
        try:
            yield Expression.from_tree(original.vocabulary, tree)
        except ExpressionError:  # too long, a constant too large, or operators that the vocabulary lacks
            continue


def _finished(
    made: list[Expression], grammar: Grammar, is_scale_free: bool, positive: Collection[str]
) -> dict[bytes, Expression]:
    """Simplified, with constants of usual size, within the grammar, by identity."""
    if not made:
        return {}
    simple = [*Batch.of(made).simplified(positive=positive)]
    finished: dict[bytes, Expression] = {}
    for expression in simple:
        form = _with_usual_constants(expression, is_scale_free)
        if form.variables_used and grammar.check(form.tokens) is None:
            finished.setdefault(identity(form), form)
    return finished


def _with_usual_constants(expression: Expression, is_scale_free: bool) -> Expression:
    """Where constants are huge or tiny, scales are brought outside; a free one is left out."""
    if not expression.constants:
        return expression
    least, most = USUAL_CONSTANTS
    if is_scale_free and any(_is_number(child) for child in expression.tree.children):
        expression = unscaled(expression)
    is_usual = all(least <= abs(value) <= most for value in expression.constants)
    if is_usual and not (is_scale_free and expression.tree.name in ("mul", "div")):
        return expression
    scale, rest = split_scale(expression.tree)
    if is_usual and scale == 1.0:
        return expression
    tree = joined((1.0 if is_scale_free else scale, rest))
    return next((each.simplified() for each in _expressions([tree], expression)), expression)


def identity(expression: Expression) -> bytes:
    """Equal for what differs by operand order and by constants, but for whole ones: x^2 is not x^2.1."""
    whole = sorted(value for value in expression.constants if value == round(value))
    return blake2b(expression.key + np.array(whole).tobytes(), digest_size=IDENTITY_BYTES).digest()


@dataclass
class LimitRewriter:
    """Rewrites what a search finds, each structure once."""

    X: Floats
    """some rows of the data"""
    grammar: Grammar
    is_scale_free: bool = True
    positive: Collection[str] = ()
    """variables above 0 on every row of all the data"""
    seen: set[bytes] = field(default_factory=set)
    """identities of what was rewritten, and of what came of it"""

    def proposals(self, found: Batch, n_most: int) -> list[Expression]:
        """New expressions that those found may be imitating; the last `n_most` not rewritten yet are.

        The others have their turn in the next call.
        """
        expressions = (found[row] for row in reversed(range(len(found))))
        due = [each for each in expressions if identity(each) not in self.seen][:n_most]
        self.seen.update(map(identity, due))
        return [proposal for each in due for proposal in self._unseen(each)]

    def saved(self) -> Saved:
        """What was rewritten before."""
        seen = b"".join(sorted(self.seen))
        return {"seen": np.frombuffer(seen, np.uint8).reshape(-1, IDENTITY_BYTES)}

    def restore(self, saved: Saved) -> None:
        """Rewrite nothing that the saved one had."""
        self.seen = {row.tobytes() for row in saved["seen"]}

    def _unseen(self, expression: Expression) -> Iterator[Expression]:
        for each in rewritten(
            expression, self.X, self.grammar, is_scale_free=self.is_scale_free, positive=self.positive
        ):
            if identity(each) not in self.seen:
                self.seen.add(identity(each))
                yield each
