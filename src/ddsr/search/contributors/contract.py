"""The contract of everything that contributes expressions to the default search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, Scores
from ddsr.errors import MethodError
from ddsr.expression import Batch, Expression, Vocabulary
from ddsr.grammar import Grammar
from ddsr.learning.curves import UpdateStats
from ddsr.search.front import ParetoFront
from ddsr.search.hall_of_fame import HallOfFame
from ddsr.storage.saved import Saved, unwritable

HOW = "see docs/contributors.md"


@dataclass(frozen=True)
class SearchView:
    """The search as a contributor sees it in its turn."""

    epoch: int
    """number of the epoch, from 0"""
    front: ParetoFront
    """the best equation of each size so far"""
    engine: Engine
    """scores expressions on the data; `engine.vocabulary` is that of all proposals"""
    grammar: Grammar
    """rules that proposals must obey"""
    elites: Callable[[], Batch]
    """the fittest expressions of evolution, best first, without scale and offset"""
    shortlist: Callable[[], HallOfFame]
    """the models that may have the shortest description, whatever their size"""


@dataclass(frozen=True)
class TurnBudget:
    """The budget of a contributor for one turn."""

    evaluations: int
    """number of expressions to fit"""
    seconds: float | None = None
    """seconds to spend; None if the search has no time limit, so that nothing may depend on the clock"""
    deadline: Deadline = NEVER
    """when the search ends; scoring then raises `TimeIsUp`, and the turn has proposed nothing"""


@dataclass(frozen=True)
class TimeShare:
    """Limits on a contributor's share of the time, which depends on its gain per second."""

    least: float
    """share even if the contributor gains nothing; 0: it has no turns"""
    most: float
    head_start: float = 0.0
    """seconds in which evolution runs alone at first"""

    def __post_init__(self) -> None:
        if not 0.0 <= self.least <= self.most <= 1.0 or not self.head_start >= 0.0:
            raise MethodError(
                f"a time share needs 0 <= least <= most <= 1 and a head_start of at least 0, got {self}"
            )


@dataclass(frozen=True)
class Proposals:
    """The results of a contributor's turn."""

    expressions: Batch | Sequence[Expression] = ()
    """expressions to put into evolution, which fits their constants from the present values. Those that break
    the grammar are left out"""
    scores: tuple[Scores | HallOfFame, ...] = ()
    """known results, which enter the front without another fit. The first is used whole; of the others, only
    expressions without scale and offset are used"""
    update: UpdateStats | None = None
    """statistics of what was learned in this turn"""

    def __len__(self) -> int:
        return len(self.expressions) + len(self.scores)

    @classmethod
    def checked(cls, found: object, name: str, vocabulary: Vocabulary) -> Proposals | None:
        """Return what a contributor of this name proposed, or raise an error if it breaks the contract."""
        breach = None if found is None else _breach(found, vocabulary)
        if breach is not None:
            raise MethodError(f"contributor {name!r}: {breach}; {HOW}")
        return cast("Proposals | None", found)


def _breach(found: object, vocabulary: Vocabulary) -> str | None:
    """Return a message on how the result of a turn breaks the contract, or None."""
    if not isinstance(found, Proposals):
        return f"propose must return Proposals(...), or None if there was nothing to do, not {found!r}"
    written, scores = found.expressions, found.scores
    if not isinstance(written, (Batch, Sequence)) or isinstance(written, str):
        return f"expressions must be a list of expressions or a Batch, not {written!r}"
    for each in () if isinstance(written, Batch) else written:
        if not isinstance(each, Expression):
            return (
                f"expressions has {each!r}: read text with Expression.parse(text, search.engine.vocabulary)"
            )
    if not isinstance(scores, tuple):
        return (
            f"scores must be a tuple of results of search.engine.score, not of type {type(scores).__name__}"
        )
    for result in scores:
        if not isinstance(result, (Scores, HallOfFame)):
            return f"scores has {result!r}, which is not a result of search.engine.score"
    if not (found.update is None or isinstance(found.update, UpdateStats)):
        return f"update must be UpdateStats(...) or None, not {found.update!r}"
    sources = [written] if isinstance(written, Batch) else written
    if any(each.vocabulary != vocabulary for each in (*sources, *(each.batch for each in scores))):
        return "a proposal has a different vocabulary than the search: use search.engine.vocabulary"
    return None


class Contributor(Protocol):
    """Contributes expressions to the default search.

    A contributor with an attribute `time_share`, a `TimeShare`, has a turn when it has used less than its
    share of the time. Others have a turn in every epoch.
    """

    @property
    def name(self) -> str:
        """Name in learning curves and saved states; unique in a search."""
        ...

    @property
    def n_scored(self) -> int:
        """Number of expressions that it has scored so far, without those that evolution fits."""
        ...

    def propose(self, search: SearchView, budget: TurnBudget) -> Proposals | None:
        """Take one turn; return None if there was nothing to do in this epoch."""
        ...

    def saved(self) -> Saved:
        """Return all that changes from turn to turn, as names, arrays and plain values."""
        ...

    def restore(self, saved: Saved) -> None:
        """Continue from what `saved` returned."""
        ...


def time_share_of(contributor: object) -> TimeShare | None:
    """Return the limits on a contributor's share of the time, or None if it has a turn in every epoch."""
    share: TimeShare | None = getattr(contributor, "time_share", None)
    return share


def state_of(contributor: Contributor) -> Saved:
    """Return what a contributor saves; raise an error if it cannot be written to a file."""
    saved: object = contributor.saved()
    what = f"contributor {contributor.name!r}: saved()"
    if not isinstance(saved, dict):
        raise MethodError(f"{what} must return a dict, {{}} if nothing changes, not {saved!r}; {HOW}")
    if (found := unwritable(saved)) is not None:
        raise MethodError(
            f"{what} returned {found}: return dicts of arrays and of what JSON can hold, such as numbers, "
            f"strings and lists; {HOW}"
        )
    return saved
