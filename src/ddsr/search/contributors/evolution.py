"""Evolution: the contributor that works in every epoch, on a native refiner of whole expressions."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from enum import IntEnum
from math import isclose
from sys import float_info
from typing import Any

import numpy as np

from ddsr import _core
from ddsr.config import RefinerConfig, without_removed
from ddsr.data.arrays import Floats
from ddsr.data.checks import check_whole
from ddsr.data.row_samples import choose_rows
from ddsr.engine import MOST_THREADS, Engine, as_batch
from ddsr.errors import DataError, ExpressionError, MethodError
from ddsr.expression import OPERATORS, Batch, Expression
from ddsr.expression.operators import OWN_SLOTS
from ddsr.grammar import Grammar, with_names
from ddsr.price.code_in_use import code_in_use
from ddsr.search.contributors.contract import Proposals, SearchView, TurnBudget
from ddsr.search.contributors.names import REFINER
from ddsr.search.hall_of_fame import HallOfFame
from ddsr.storage.files import parse_json
from ddsr.storage.saved import Saved, whole

MAGIC = b"ddsr refiner 3\n"
MOST_VAIN_STEPS = 1000
"""steps without a new structure after which nothing is left to try. Even on large grammars, a short run may
find nothing new"""
USUAL_SIZE = 1e4
"""largest usual magnitude of the numbers in a column, and of their inverses"""
SPREAD_TOLERANCE = 1e-9
"""relative difference of the spreads of y within which two data sets count as the same"""


class Ending(IntEnum):
    """The reason for the end of a run."""

    OUT_OF_BUDGET = 0
    EXACT = 1
    """the hall of fame holds an exact fit"""
    EXHAUSTED = 2
    """the moves find no new structure"""


@dataclass(frozen=True)
class MoveCount:
    """Counts of a move: how often it was made, and how often its child entered the hall of fame."""

    tried: int
    improved: int


@dataclass(frozen=True, kw_only=True)
class RefinerStats:
    """Counts over all runs of a refiner."""

    evaluations: int
    """fitted children and seeds"""
    steps: int
    """attempted children"""
    duplicates: int
    """children whose structure was already tried often enough"""
    failed_moves: int
    """moves without a child that obeys the grammar"""
    refused: int
    """children that are not finite on some row, or have a constant out of range"""
    moves: Mapping[str, MoveCount]
    seconds: float
    """seconds spent in `run` and `seed` since this object was created"""
    evaluations_per_second: float
    """speed of the last run"""
    ending: Ending
    """end of the last run"""


class Refiner:
    """Evolves expressions on the data of an engine, and keeps the best of each size.

    Its results after a number of evaluations depend on `seed`, and not on `n_threads`.
    """

    def __init__(
        self,
        engine: Engine,
        grammar: Grammar,
        config: RefinerConfig | None = None,
        seed: int = 0,
        n_threads: int = 1,
    ) -> None:
        if grammar.vocabulary != engine.vocabulary:
            raise MethodError("the grammar has a different vocabulary than the engine")
        self.engine = engine
        self.grammar = grammar
        self.config = config or RefinerConfig()
        self.random_seed = check_whole(seed, "seed", least=0, most=2**64 - 1)
        self.n_threads = check_whole(n_threads, "n_threads", least=1, most=MOST_THREADS)
        self._seconds = 0.0
        rows = choose_rows(None, engine.data.n_fit_rows, self.config.fit_rows, self.random_seed)
        self._core = _core.Refiner(
            grammar.core,
            engine.data,
            rows,
            code_in_use().price_of_candidates(len(engine.vocabulary.variables)),
            _core_options(self.config, engine),
            self.random_seed,
        )

    def seed(self, expressions: Batch | Iterable[Expression]) -> None:
        """Add expressions, whose constants are the starting points of fits.

        The best few become individuals. The others go into a library from which crossover takes subtrees.
        All must obey the grammar.
        """
        batch = as_batch(expressions, self.engine.vocabulary)
        began = time.perf_counter()
        try:
            self._core.seed(batch.tokens, batch.constants, self.n_threads)
        except ValueError as error:
            raise ExpressionError(with_names(self.grammar.vocabulary, str(error))) from None
        self._seconds += time.perf_counter() - began

    def run(self, evaluations: int | None = None, seconds: float | None = None) -> RefinerStats:
        """Evolve until a budget is spent or a fit is exact; further runs continue from there."""
        if evaluations is None and seconds is None:
            raise MethodError("give the run a budget: evaluations, seconds or both")
        if evaluations is not None:
            check_whole(evaluations, "evaluations", least=0, most=2**63 - 1)
        if seconds is not None and not 0 <= seconds < np.inf:
            raise DataError(f"seconds must be a number of at least 0, got {seconds!r}")
        before = self._core.counters()["n_evaluations"]
        began = time.perf_counter()
        # a century never ends, and is within the range of the clock
        limit = None if seconds is None else min(float(seconds), 3e9)
        ending = Ending(self._core.run(evaluations, limit, self.n_threads))
        took = time.perf_counter() - began
        self._seconds += took
        return self._stats(before, took, ending)

    def _stats(self, before: int, took: float, ending: Ending) -> RefinerStats:
        counters = self._core.counters()
        moves = {name: MoveCount(*counts) for name, counts in counters.pop("moves").items()}
        named = {name.removeprefix("n_"): count for name, count in counters.items()}
        rate = (named["evaluations"] - before) / max(took, 1e-9)
        return RefinerStats(
            **named, moves=moves, seconds=self._seconds, evaluations_per_second=rate, ending=ending
        )

    @property
    def n_evaluations(self) -> int:
        """Number of fitted children and seeds, including those of an interrupted run."""
        n_evaluations: int = self._core.counters()["n_evaluations"]
        return n_evaluations

    def hall_of_fame(self) -> HallOfFame:
        """Return the Pareto front of size and error so far."""
        return self._models(self._core.hall_of_fame())

    def shortlist(self) -> HallOfFame:
        """Return the models of any size that may have the shortest description, the shortest first."""
        return self._models(self._core.shortlist())

    def _models(self, found: dict[str, Any]) -> HallOfFame:
        batch = Batch(self.grammar.vocabulary, found.pop("tokens"), found.pop("constants"))
        return HallOfFame(batch, **found)

    def elites(self, n: int) -> Batch:
        """Return the `n` fittest expressions of different structure, best first, without scale and offset."""
        check_whole(n, "n", least=0)
        tokens, constants, _ = self._core.elites(n)
        return Batch(self.grammar.vocabulary, tokens, constants)

    def save(self) -> bytes:
        """Return the state as bytes; a refiner that loads it continues exactly as this one would."""
        header = {
            "config": asdict(self.config),
            "seed": self.random_seed,
            "max_length": self.grammar.max_length,
            "names": list(self.grammar.vocabulary.names),
            "n_rows": self.engine.n_rows,
            "spread": self.engine.spread,
        }
        return MAGIC + json.dumps(header).encode() + b"\n" + self._core.save()

    @classmethod
    def load(cls, data: bytes, engine: Engine, grammar: Grammar, n_threads: int = 1) -> Refiner:
        """Load a saved refiner, on the same data and with the same grammar."""
        try:
            if not data.startswith(MAGIC):
                raise ValueError("it is not a saved refiner")
            text, _, state = data[len(MAGIC) :].partition(b"\n")
            header = parse_json(text)
            # settings that the saving version did not have keep their defaults
            settings = without_removed(header["config"])
            known = {each.name for each in fields(RefinerConfig)} & settings.keys()
            config = RefinerConfig(**{name: settings[name] for name in known})
            expected = (grammar.max_length, list(grammar.vocabulary.names), engine.n_rows)
            is_same = tuple(header[name] for name in ("max_length", "names", "n_rows")) == expected
            # another processor may have rounded the spread differently
            if not (is_same and isclose(header["spread"], engine.spread, rel_tol=SPREAD_TOLERANCE)):
                raise ValueError("it belongs to other data or another grammar")
            refiner = cls(engine, grammar, config, header["seed"], n_threads)
            refiner._core.load(state)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DataError(f"the saved refiner cannot be loaded: {error}") from None
        return refiner


@dataclass
class Stall:
    """Counts the steps in which a refiner has found nothing new."""

    n_vain_steps: int = 0
    n_fitted: int = 0
    """expressions fitted in runs and as seeds"""
    n_steps: int = 0

    def note(self, ran: RefinerStats) -> None:
        """Record a run; expressions added since the last one are in `n_fitted` already."""
        is_vain = ran.evaluations == self.n_fitted
        self.n_vain_steps = self.n_vain_steps + ran.steps - self.n_steps if is_vain else 0
        self.n_fitted, self.n_steps = ran.evaluations, ran.steps


class Evolution:
    """The contributor that runs the refiner, and to which the proposals of all others are added."""

    name = REFINER

    def __init__(self, refiner: Refiner, n_elites: int) -> None:
        self.refiner = refiner
        self.n_elites = n_elites
        self.n_scored = 0
        """expressions fitted by the refiner, as of the last call of `found`"""
        self.ending: Ending | None = None
        """end of the last run"""
        self._stall = Stall()

    @property
    def is_exhausted(self) -> bool:
        """Whether the moves have found nothing new for so long that nothing is left to try."""
        return self.ending is Ending.EXHAUSTED and self._stall.n_vain_steps >= MOST_VAIN_STEPS

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals:
        """Run the refiner."""
        ran = self.refiner.run(budget.evaluations, budget.seconds)
        self.ending = ran.ending
        self._stall.note(ran)
        return self.found()

    def found(self) -> Proposals:
        """Return the best models so far, including those proposed by others."""
        self.n_scored = self.refiner.n_evaluations
        return Proposals(scores=(self.refiner.hall_of_fame(), self.refiner.shortlist()))

    def take(self, expressions: Batch) -> None:
        """Fit the proposals of another contributor and add them."""
        self.refiner.seed(expressions)
        self._stall.n_fitted += len(expressions)

    def elites(self) -> Batch:
        """Return the fittest expressions of different structure, best first."""
        return self.refiner.elites(self.n_elites)

    def saved(self) -> Saved:
        """Return the refiner's state."""
        return {"refiner": np.frombuffer(self.refiner.save(), np.uint8), "stall": asdict(self._stall)}

    def restore(self, saved: Saved) -> None:
        """Continue from a saved state, with the present settings."""
        engine, grammar, n_threads = self.refiner.engine, self.refiner.grammar, self.refiner.n_threads
        known = Refiner.load(saved["refiner"].tobytes(), engine, grammar, n_threads)
        if known.config.is_scale_free == self.refiner.config.is_scale_free:
            self.refiner = known
        else:  # saved by a version that fitted scales and offsets that may not be listed
            self.refiner.seed(known.elites(self.n_elites))
        self._stall = Stall(**{name: whole(saved["stall"], name) for name in saved["stall"]})


def unit_factor(rows: Floats) -> float:
    """Return the factor, at least 1, by which numbers of the columns are larger or smaller than usual.

    The range of constants is multiplied by this factor.
    """
    sizes = np.abs(rows).max(axis=0)
    sizes = sizes[(sizes > 0.0) & np.isfinite(sizes)]
    with np.errstate(over="ignore"):  # denormal numbers; the caller limits the factor
        farthest = np.max(np.maximum(sizes, 1.0 / sizes), initial=1.0)
    return float(max(1.0, farthest / USUAL_SIZE))


def _core_options(config: RefinerConfig, engine: Engine) -> _core.EvolutionOptions:
    options = _core.EvolutionOptions()
    for each in fields(config):
        if each.name not in ("moves", "operators", "fit_rows"):
            setattr(options, each.name, getattr(config, each.name))
    options.constant_range = min(config.constant_range * unit_factor(engine.sampled_rows), float_info.max)
    options.move_weights = [float(config.moves.get(name, 0.0)) for name in _core.MOVES]
    known = {**dict.fromkeys(OPERATORS, 1.0), **dict.fromkeys(OWN_SLOTS, 1.0), **config.operators}
    if engine.costs:
        options.token_costs = [engine.costs.get(name, 0.0) for name in engine.vocabulary.names]
    # the template is never drawn
    options.operator_weights = [float(known.get(row["name"], 0.0)) for row in _core.operators()]
    return options
