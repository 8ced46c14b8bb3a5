"""A stack: searches in threads of their own that draw and learn together.

Each search takes a place. Where it would draw or learn by itself, it asks the stack and waits. As soon as all
searches wait, what they asked for is done in one pass: first the updates, then the draws. Scoring, the pool
and the front are each search's own, and go on side by side meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ddsr.learning.curves import UpdateStats
from ddsr.storage.saved import Saved

Tokens = NDArray[np.int16]


class StackStopped(Exception):
    """The stack was stopped while a search waited for it."""


@dataclass(frozen=True)
class Draw:
    """Asks for the expressions of an epoch."""

    epoch: int


@dataclass(frozen=True)
class Learn:
    """Asks for the update of an epoch, whose lesson is written already."""


Request = Draw | Learn
Answer = Tokens | UpdateStats | BaseException


class Together(Protocol):
    """What is done for several places in one pass; places are numbers from 0."""

    n_places: int

    def draw(self, epochs: Mapping[int, int]) -> Mapping[int, Tokens]:
        """The expressions of these places in these epochs."""
        ...

    def learn(self, places: list[int]) -> Mapping[int, UpdateStats]:
        """Update the networks of these places by the lessons that are written."""
        ...

    def load(self, place: int, saved: Saved, vocab_size: int) -> None:
        """Take what a policy saved into a place."""
        ...

    def saved(self, place: int, vocab_size: int) -> Saved:
        """What a policy would save."""
        ...


class Stack:
    """The meeting point of the searches' threads."""

    def __init__(self, together: Together) -> None:
        self.together = together
        self._turn = threading.Condition()
        self._taken: set[int] = set()
        self._asked: dict[int, Request] = {}
        self._answers: dict[int, Answer] = {}
        self._is_stopped = False

    def enter(self) -> int:
        """Take a place, as soon as one is free."""
        with self._turn:
            self._turn.wait_for(lambda: self._is_stopped or len(self._taken) < self.together.n_places)
            self._check()
            place = min(set(range(self.together.n_places)) - self._taken)
            self._taken.add(place)
            return place

    def leave(self, place: int) -> None:
        """Give a place back: the others wait for it no longer."""
        with self._turn:
            self._taken.discard(place)
            self._asked.pop(place, None)
            self._serve()
            self._turn.notify_all()

    def ask(self, place: int, request: Request) -> Answer:
        """Wait until all have asked, and return what came of it; raises what went wrong."""
        with self._turn:
            self._check()
            self._asked[place] = request
            self._serve()
            self._turn.wait_for(lambda: self._is_stopped or place in self._answers)
            self._check()
            answer = self._answers.pop(place)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def load(self, place: int, saved: Saved, vocab_size: int) -> None:
        """Take what a policy saved into a place."""
        with self._turn:
            self.together.load(place, saved, vocab_size)

    def saved(self, place: int, vocab_size: int) -> Saved:
        """What the policy of a place would save."""
        with self._turn:
            return self.together.saved(place, vocab_size)

    def stop(self) -> None:
        """Let everything that waits raise `StackStopped`."""
        with self._turn:
            self._is_stopped = True
            self._turn.notify_all()

    def _check(self) -> None:
        if self._is_stopped:
            raise StackStopped

    def _serve(self) -> None:
        """Do what is asked for, if nobody is still at work."""
        if not self._asked or self._taken - self._asked.keys():
            return
        learning = [place for place, request in self._asked.items() if isinstance(request, Learn)]
        draws = {place: each.epoch for place, each in self._asked.items() if isinstance(each, Draw)}
        served = learning or list(draws)
        try:
            done: Mapping[int, Answer] = (
                self.together.learn(learning) if learning else self.together.draw(draws)
            )
        except Exception as error:  # each of the searches ends by it
            done = dict.fromkeys(served, error)
        for place in served:
            del self._asked[place]
            self._answers[place] = done[place]
        self._turn.notify_all()
