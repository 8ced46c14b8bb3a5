"""The paper's search: a generator learns from the elites, alone or on a device shared by several searches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

from ddsr.learning.memory import Memory
from ddsr.learning.reward import Reward
from ddsr.search.loop import Generator, SearchState, Updater, search
from ddsr.search.problem import Problem

if TYPE_CHECKING:
    from ddsr.generators.diffusion.generator import MaskedDiffusion
    from ddsr.learning.objective import Objective
    from ddsr.learning.policy import Learner

    class LearnedGenerator(Generator, Learner[Any], Protocol):
        """Proposes expressions and can be taught."""


class SharedPlace(Generator, Updater, Protocol):
    """Generator and policy of one search among those on a shared device."""


class SharedDevice(Protocol):
    """A device on which several searches draw and learn together (`ddsr_bench.stacking`)."""

    def takes(self, generator: MaskedDiffusion, /) -> bool:
        """Return whether there is room for the generator's vocabulary."""

    def seat(
        self, generator: MaskedDiffusion, objective: Objective, /
    ) -> AbstractContextManager[SharedPlace]:
        """Wait for a free place, and give it to one search."""


SHARED: ContextVar[SharedDevice | None] = ContextVar("shared", default=None)
"""the device that searches of this thread share; None if each runs alone"""


def learned_search(
    problem: Problem,
    learner: LearnedGenerator,
    objective: Objective,
    memory: Callable[[int], Memory],
    reward: Reward,
    is_captured: bool = False,
) -> Iterator[SearchState]:
    """Search on the shared device if this thread has one with room for the generator, otherwise alone."""
    from ddsr.generators.diffusion.generator import MaskedDiffusion
    from ddsr.learning.policy import Policy

    shared = SHARED.get()
    if shared is not None and isinstance(learner, MaskedDiffusion) and shared.takes(learner):
        return _together(problem, shared, learner, objective, memory, reward)
    policy = Policy(learner, objective, problem.config, problem.seed, problem.deadline, is_captured)
    return _search(problem, learner, policy, memory, reward)


def _together(
    problem: Problem,
    shared: SharedDevice,
    learner: MaskedDiffusion,
    objective: Objective,
    memory: Callable[[int], Memory],
    reward: Reward,
) -> Iterator[SearchState]:
    """Search in a place on a shared device, and free the place afterwards."""
    with shared.seat(learner, objective) as seat:
        yield from _search(problem, seat, seat, memory, reward)


def _search(
    problem: Problem,
    generator: Generator,
    policy: Updater,
    memory: Callable[[int], Memory],
    reward: Reward,
) -> Iterator[SearchState]:
    elites, known = memory(problem.config.n_elites), problem.starting_points
    if known is not None:
        elites = elites.merge(known.batch, reward(known))
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
        reward,
    )
