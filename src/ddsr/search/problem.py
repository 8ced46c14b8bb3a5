"""The problem that a search solves, whatever its method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ddsr.config import DefaultConfig, SearchConfig
from ddsr.data.dataset import Dataset
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, Scores
from ddsr.expression import Expression
from ddsr.grammar import Grammar
from ddsr.search.contributors.contract import Contributor
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.lister import Lister
from ddsr.storage.saved import Saved


@dataclass(frozen=True)
class Problem:
    """Data, grammar and settings of a search."""

    data: Dataset
    """data as the user gave them"""
    engine: Engine
    """engine on the data, with weights that match their noise"""
    grammar: Grammar
    config: SearchConfig
    front: ParetoFront
    """the baseline"""
    seed: int
    device: str
    n_threads: int
    deadline: Deadline = NEVER
    """when the search has to end"""
    starting_points: Scores | None = None
    """expressions to start from, fitted"""
    saved: Saved | None = None
    """state to resume, from `SearchState.save` of a search by the same method"""
    guesses: tuple[Expression, ...] = ()
    """the user's own equations; each is listed unless an equation no larger is as accurate"""
    guessed: tuple[FrontEntry, ...] = ()
    """the guesses, fitted as they are written"""
    noise: Literal["constant", "relative"] = "constant"
    """whether errors are constant or proportional to the value (`ddsr.price.noise`)"""
    contributors: tuple[Given, ...] = ()
    """the user's contributors, in addition to those of the preset"""

    @property
    def may_ask_for_noise(self) -> bool:
        """Whether the kind of noise may be inferred: no weights are given, and constants are fitted."""
        is_open = self.data.loss.name == "squared" and not self.data.is_weighted
        return is_open and isinstance(self.config, DefaultConfig) and self.config.constants

    @property
    def lister(self) -> Lister:
        """The lister of this problem."""
        return Lister.of(self.engine, self.grammar)


Given = Contributor | Callable[[Problem], Contributor]
"""a contributor, which each search copies, or a class or function that creates one for a search"""
