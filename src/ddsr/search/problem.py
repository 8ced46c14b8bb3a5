"""What a search is about, whatever its method."""

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
    """What every method starts from: data to score on, a grammar to obey, settings."""

    data: Dataset
    """as the user gave them"""
    engine: Engine
    """on the data, with the weights of the noise that they have"""
    grammar: Grammar
    config: SearchConfig
    front: ParetoFront
    """the baseline, known before the search"""
    seed: int
    device: str
    n_threads: int
    deadline: Deadline = NEVER
    """when the search ends by itself"""
    starting_points: Scores | None = None
    """expressions to start from, fitted"""
    saved: Saved | None = None
    """by `SearchState.save` of a search of the same method, to go on from"""
    guesses: tuple[Expression, ...] = ()
    """the user's own equations: listed unless one that is no larger is as accurate"""
    guessed: tuple[FrontEntry, ...] = ()
    """the guesses, fitted as they are written"""
    noise: Literal["constant", "relative"] = "constant"
    """how errors go with the value: the same everywhere, or in proportion to it (`ddsr.price.noise`)"""
    contributors: tuple[Given, ...] = ()
    """the user's own, beside those of the preset"""

    @property
    def may_ask_for_noise(self) -> bool:
        """Whether the data may say how errors grow with y: nobody gave weights, and constants are fitted."""
        return not self.data.is_weighted and isinstance(self.config, DefaultConfig) and self.config.constants

    @property
    def lister(self) -> Lister:
        """What may be listed, and how."""
        return Lister.of(self.engine, self.grammar)


Given = Contributor | Callable[[Problem], Contributor]
"""a contributor, of which each search gets a copy, or a class or function that makes one for a search"""
