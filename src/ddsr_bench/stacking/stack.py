"""A stack: searches in several threads that draw and learn together.

Each search takes a place. To draw or learn, it asks the stack and waits. When all searches wait, the stack
does what they asked for in one pass, first the updates, then the draws. Scoring, the pool and the front
belong to each search, and run in parallel.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ddsr.expression import Tokens
from ddsr.learning.curves import UpdateStats

if TYPE_CHECKING:
    from ddsr_bench.stacking.networks import StackedNetworks


@dataclass(frozen=True)
class Draw:
    """Request for the expressions of an epoch."""

    epoch: int


@dataclass(frozen=True)
class Learn:
    """Request for the update of an epoch, whose lesson is written already."""


Request = Draw | Learn
Answer = Tokens | UpdateStats | BaseException


class Stack:
    """The meeting point of the threads; hold `turn` to use `networks`."""

    def __init__(self, networks: StackedNetworks) -> None:
        self.networks = networks
        self.turn = threading.Condition()
        self._taken: set[int] = set()
        self._asked: dict[int, Request] = {}
        self._answers: dict[int, Answer] = {}

    def enter(self) -> int:
        """Take a place, as soon as one is free."""
        with self.turn:
            self.turn.wait_for(lambda: len(self._taken) < self.networks.n_places)
            place = min(set(range(self.networks.n_places)) - self._taken)
            self._taken.add(place)
            return place

    def leave(self, place: int) -> None:
        """Free a place, so that the others do not wait for it."""
        with self.turn:
            self._taken.discard(place)
            self._asked.pop(place, None)
            self._serve()
            self.turn.notify_all()

    def ask(self, place: int, request: Request) -> Answer:
        """Wait until all have asked, and return the answer, or raise the error of the pass."""
        with self.turn:
            self._asked[place] = request
            self._serve()
            self.turn.wait_for(lambda: place in self._answers)
            answer = self._answers.pop(place)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def _serve(self) -> None:
        """Do what was asked for, unless a search is still at work."""
        if not self._asked or self._taken - self._asked.keys():
            return
        learning = [place for place, request in self._asked.items() if isinstance(request, Learn)]
        draws = {place: each.epoch for place, each in self._asked.items() if isinstance(each, Draw)}
        served = learning or list(draws)
        try:
            done: Mapping[int, Answer] = (
                self.networks.learn(learning) if learning else self.networks.draw(draws)
            )
        except Exception as error:  # the error ends every search
            done = dict.fromkeys(served, error)
        for place in served:
            del self._asked[place]
            self._answers[place] = done[place]
        self.turn.notify_all()
