"""The contributor that searches in fewer inputs, if the best approximations have symmetries."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from ddsr.config import RefinerConfig
from ddsr.data.arrays import Floats
from ddsr.data.dataset import Dataset
from ddsr.data.row_samples import choose_rows
from ddsr.engine import Engine, values
from ddsr.errors import DataError, ExpressionError, GrammarError, RunError
from ddsr.expression import Batch, Expression, Node, Vocabulary
from ddsr.grammar import AtMost, Exponents, Grammar, Nesting, OperandSize, Rule
from ddsr.search.contributors.contract import Proposals, SearchView, TurnBudget
from ddsr.search.contributors.evolution import Ending, Refiner
from ddsr.search.contributors.names import SYMMETRIES
from ddsr.search.contributors.symmetry.detection import find_reduction
from ddsr.search.contributors.symmetry.reduction import Input, Reduction
from ddsr.search.contributors.symmetry.slopes import slopes_of
from ddsr.search.hall_of_fame import HallOfFame
from ddsr.storage.saved import Saved

TOLERANCE = 0.05
"""maximum remainder of slopes that should cancel, relative to their size"""
MOST_NRMSE = 0.5
"""maximum NRMSE of an approximation for its symmetries to count"""
N_APPROXIMATIONS = 3
"""number of approximations that must share a symmetry"""
MOST_PROPOSALS, LEAST_PROPOSALS = 20, 2
"""maximum and minimum number of models proposed from the shortlist and from the hall of fame, each"""
MOST_REDUCTIONS = 2
"""number of reductions whose searches are kept"""
MOST_ROWS = 20_000
"""maximum number of rows of a search in fewer inputs; proposals are fitted to all rows afterwards"""
ROWS_TO_FIT = 200_000
"""maximum rows times proposals of one turn, so that fitting them takes little time"""
IDENTITY_BYTES = 8
FIRST_EPOCH = 2
"""first epoch that looks for symmetries; earlier approximations are rough"""
LEAST_SECONDS_LEFT = 1.0
"""seconds reserved for fitting the proposals to all rows"""
LEAST_SHIFT = 1e-12
"""smaller shifts are omitted"""


@dataclass
class ReducedSearch:
    """The contributor that finds symmetries of the best approximations, and searches in fewer inputs."""

    name: ClassVar[str] = SYMMETRIES
    engine: Engine
    """engine on all inputs"""
    grammar: Grammar
    X: Floats
    y: Floats
    weights: Floats
    n_counted: int
    """effective number of observations"""
    config: RefinerConfig
    seed: int
    n_threads: int = 1
    refiners: dict[Reduction, Refiner] = field(default_factory=dict)
    """searches in the latest reductions; the last one is the current one"""
    seen: set[bytes] = field(default_factory=set)
    """identities of earlier proposals"""
    n_forgotten: int = 0
    """number of evaluations in reductions that are no longer kept"""

    @classmethod
    def on(
        cls,
        data: Dataset,
        engine: Engine,
        grammar: Grammar,
        config: RefinerConfig,
        seed: int,
        n_threads: int = 1,
    ) -> ReducedSearch:
        """Return the contributor for these data, or a sample of them."""
        chosen = choose_rows(data.weighting.weights, len(data.X), MOST_ROWS, seed)
        if len(chosen):
            data = data.take(chosen)
        weights = np.ones(len(data.X)) if data.weighting.weights is None else data.weighting.weights
        n_counted = data.weighting.n_counted
        return cls(engine, grammar, data.X, data.y, weights, n_counted, config, seed, n_threads)

    @property
    def is_active(self) -> bool:
        """Whether there is a reduction to search in."""
        return bool(self.refiners)

    @property
    def reduction(self) -> Reduction | None:
        """The current reduction."""
        return next(reversed(self.refiners), None)

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals | None:
        """Look for symmetries, and search in the inputs that they leave."""
        if search.epoch < FIRST_EPOCH or budget.deadline.seconds_left <= LEAST_SECONDS_LEFT:
            return None
        found = self.look(search.shortlist())
        if self.is_active:
            left = max(0.0, budget.deadline.seconds_left - LEAST_SECONDS_LEFT)
            seconds = None if budget.seconds is None else min(budget.seconds, left)
            found += self.run(budget.evaluations, seconds)
        return Proposals(found)

    def look(self, found: HallOfFame) -> list[Expression]:
        """Look for symmetries of the best models; propose the units that were divided out of y."""
        reduction = self._find(found)
        if reduction is None:
            return []
        refiner = self.refiners.pop(reduction, None) or self._refiner_of(reduction)
        if refiner is not None:
            self.refiners[reduction] = refiner
            for oldest in list(self.refiners)[:-MOST_REDUCTIONS]:
                self.n_forgotten += self.refiners.pop(oldest).n_evaluations
        return [*self._restored([Node.one()], reduction)]

    def run(self, evaluations: int, seconds: float | None) -> list[Expression]:
        """Continue the search in fewer inputs, and return its best models over the variables of the data."""
        reduction, refiner = next(reversed(self.refiners.items()))
        if refiner.run(0).ending is Ending.EXACT:
            refiner = self.refiners[reduction] = self._unending(refiner)
        refiner.run(evaluations, seconds)
        listed, best = refiner.shortlist(), refiner.hall_of_fame()
        n = min(max(ROWS_TO_FIT // self.engine.n_rows, LEAST_PROPOSALS), MOST_PROPOSALS)
        trees = [*_models(listed, range(min(n, len(listed))))]
        trees += _models(best, range(max(0, len(best) - n), len(best)))
        return [*self._restored(trees, reduction)]

    @property
    def n_scored(self) -> int:
        """Number of expressions fitted in fewer inputs."""
        return self.n_forgotten + sum(refiner.n_evaluations for refiner in self.refiners.values())

    def saved(self) -> Saved:
        """Return the reductions and the states of their searches."""
        searches = {
            str(place): {
                "inputs": [[self._text(each.tree), list(each.powers)] for each in reduction.inputs],
                "units": [self._text(tree) for tree in reduction.units],
                "powers": list(reduction.powers),
                "refiner": np.frombuffer(refiner.save(), np.uint8),
            }
            for place, (reduction, refiner) in enumerate(self.refiners.items())
        }
        seen = np.frombuffer(b"".join(sorted(self.seen)), np.uint8).reshape(-1, IDENTITY_BYTES)
        return {"searches": searches, "seen": seen, "n_forgotten": self.n_forgotten}

    def restore(self, saved: Saved) -> None:
        """Restore the searches in saved reductions, on the same data."""
        self.seen, self.n_forgotten = {row.tobytes() for row in saved["seen"]}, saved["n_forgotten"]
        self.refiners = {}
        for each in saved["searches"].values():
            inputs = (Input(self._tree(text), tuple(powers)) for text, powers in each["inputs"])
            units = tuple(map(self._tree, each["units"]))
            reduction = Reduction(tuple(inputs), units, tuple(each["powers"]))
            fresh = self._refiner_of(reduction)
            if fresh is None:
                raise RunError("the saved search in fewer inputs belongs to other data")
            self.refiners[reduction] = Refiner.load(
                each["refiner"].tobytes(), fresh.engine, fresh.grammar, self.n_threads
            )

    def _text(self, tree: Node) -> str:
        return Expression.from_tree(self.engine.vocabulary, tree).text(17)

    def _tree(self, text: str) -> Node:
        return Expression.parse(text, self.engine.vocabulary).tree

    def _find(self, found: HallOfFame) -> Reduction | None:
        is_near = found.nrmse <= min(MOST_NRMSE, 2.0 * found.nrmse.min(initial=np.inf))
        chosen = np.flatnonzero(is_near)[:N_APPROXIMATIONS]
        if len(chosen) == 0:
            return None
        slopes = slopes_of(
            found.batch.take(chosen),
            found.scale[chosen],
            found.offset[chosen],
            self.engine.sampled_rows,
            self.n_threads,
        )
        if slopes is None:
            return None
        names = self.engine.vocabulary.variables
        is_positive = [name in self.engine.positive_variables for name in names]
        return find_reduction(slopes, names, is_positive, TOLERANCE)

    def _refiner_of(self, reduction: Reduction) -> Refiner | None:
        """Return a refiner on the reduced data; None if no input is left, or the data are not finite."""
        if not reduction.inputs:
            return None
        full = self.engine.vocabulary
        vocabulary = Vocabulary(reduction.names, full.definitions, full.has_one, full.has_constant)
        trees = (*reduction.trees, reduction.factor)
        try:
            written = Batch.of(Expression.from_tree(full, tree) for tree in trees)
            made, _ = values(written, self.X, self.n_threads)
            inputs, factors = np.ascontiguousarray(made[:-1].T), made[-1]
            with np.errstate(all="ignore"):  # the engine refuses an overflow
                target, weights = self.y / factors, self.weights * factors**2
            engine = Engine(
                vocabulary,
                inputs,
                target,
                weights,
                # the factor changes the scale of errors, not the number of observations
                n_counted=self.n_counted,
                seed=self.seed,
                n_threads=self.n_threads,
            )
            rules = _rules_of_operators(self.grammar)
            grammar = Grammar(vocabulary, self.grammar.max_length, self.grammar.max_constants, rules)
        except (DataError, ExpressionError, GrammarError):
            return None
        return Refiner(engine, grammar, self.config, self.seed, self.n_threads)

    def _unending(self, refiner: Refiner) -> Refiner:
        """Return a refiner that continues after an exact fit that is too long in the original variables."""
        self.n_forgotten += refiner.n_evaluations
        config = replace(refiner.config, exact=0.0)
        other = Refiner(refiner.engine, refiner.grammar, config, self.seed, self.n_threads)
        other.seed(refiner.hall_of_fame().batch)
        return other

    def _restored(self, trees: list[Node], reduction: Reduction) -> Iterator[Expression]:
        """Yield models over the variables of the data that are new and obey the grammar, simplified."""
        made = []
        for tree in trees:
            try:
                made.append(Expression.from_tree(self.engine.vocabulary, reduction.restored(tree)))
            except ExpressionError:
                continue
        if not made:
            return
        for expression in Batch.of(made).simplified(positive=self.engine.positive_variables):
            known = identity(expression)
            is_new = known not in self.seen and bool(expression.variables_used)
            if is_new and self.grammar.check(expression.tokens, expression.constants) is None:
                self.seen.add(known)
                yield expression


def identity(expression: Expression) -> bytes:
    """Return a hash that ignores the order of operands and all constants that are not whole numbers."""
    whole = sorted(value for value in expression.constants if value == round(value))
    return blake2b(expression.key + np.array(whole).tobytes(), digest_size=IDENTITY_BYTES).digest()


def _rules_of_operators(grammar: Grammar) -> list[Rule]:
    """Return the rules that name no variables; proposals that break other rules are left out later."""
    known = set(grammar.vocabulary.operators)
    return [
        rule
        for rule in grammar.rules
        if (isinstance(rule, Nesting) and {*_names(rule.outer), *_names(rule.inner)} <= known)
        or (isinstance(rule, AtMost) and {*_names(rule.tokens)} <= known)
        or isinstance(rule, (Exponents, OperandSize))
    ]


def _names(tokens: str | tuple[str, ...]) -> tuple[str, ...]:
    return (tokens,) if isinstance(tokens, str) else tokens


def _models(found: HallOfFame, rows: range) -> Iterator[Node]:
    """Yield g + offset / scale for each model, since a scale is fitted outside."""
    for row in rows:
        tree, scale = found.batch[row].tree, found.scale[row]
        shift = found.offset[row] / scale if scale != 0.0 else 0.0
        if not np.isfinite(shift) or abs(shift) <= LEAST_SHIFT:
            yield tree
        elif shift > 0.0:
            yield Node.operator("add", tree, Node.constant(float(shift)))
        else:
            yield Node.operator("sub", tree, Node.constant(float(-shift)))
