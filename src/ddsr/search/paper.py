"""A search by a generator that is taught what the elites have in common: alone, or in a stack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

from ddsr.learning.memory import Memory
from ddsr.search.loop import Generator, SearchState, Updater, search
from ddsr.search.problem import Problem

if TYPE_CHECKING:
    from ddsr.generators.diffusion.generator import MaskedDiffusion
    from ddsr.learning.objective import Objective
    from ddsr.learning.policy import Learner

    class LearnedGenerator(Generator, Learner[Any], Protocol):
        """Proposes expressions and can be taught."""


class Seat(Generator, Updater, Protocol):
    """A search's place in a stack: its generator and its policy."""


class Stacks(Protocol):
    """Searches that draw and learn together on one device (`ddsr_bench.stacking`)."""

    def takes(self, generator: MaskedDiffusion, /) -> bool:
        """Whether there is room for its vocabulary."""

    def seat(self, generator: MaskedDiffusion, objective: Objective, /) -> AbstractContextManager[Seat]:
        """A place for a search, as soon as one is free."""


SHARED: ContextVar[Stacks | None] = ContextVar("stacks", default=None)
"""those that searches of this thread are to use; None: each is alone"""


def learned_search(
    problem: Problem,
    learner: LearnedGenerator,
    objective: Objective,
    memory: Callable[[int], Memory],
    is_captured: bool = False,
) -> Iterator[SearchState]:
    """In a stack, where this thread has one and it takes such a generator."""
    from ddsr.generators.diffusion.generator import MaskedDiffusion
    from ddsr.learning.policy import Policy

    stacks = SHARED.get()
    if stacks is not None and isinstance(learner, MaskedDiffusion) and stacks.takes(learner):
        return _together(problem, stacks, learner, objective, memory)
    policy = Policy(learner, objective, problem.config, problem.seed, problem.deadline, is_captured)
    return _search(problem, learner, policy, memory)


def _together(
    problem: Problem,
    stacks: Stacks,
    learner: MaskedDiffusion,
    objective: Objective,
    memory: Callable[[int], Memory],
) -> Iterator[SearchState]:
    """The seat is given back when the search ends or is left."""
    with stacks.seat(learner, objective) as seat:
        yield from _search(problem, seat, seat, memory)


def _search(
    problem: Problem, generator: Generator, policy: Updater, memory: Callable[[int], Memory]
) -> Iterator[SearchState]:
    elites = memory(problem.config.n_elites)
    if problem.starting_points is not None:
        elites = elites.merge(problem.starting_points)
    return search(
        generator,
        problem.engine,
        elites,
        policy,
        problem.config.batch_size,
        problem.front,
        problem.deadline,
        problem.saved,
        problem.lister,
    )
