"""Searches that meet in a stack."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ddsr.learning.curves import UpdateStats
from ddsr_bench.stacking.stack import Draw, Learn, Stack

STATS = UpdateStats(1.0, 0.0, 2.0, 0.0)


class Recorded:
    """Records which members were served together."""

    def __init__(self, n_places=3, fails=False):
        self.n_places, self.fails, self.calls = n_places, fails, []

    def draw(self, epochs):
        self.calls.append(("draw", dict(epochs)))
        if self.fails:
            raise ValueError("no draw")
        return {place: np.full((2, 3), 10 * place + epoch, np.int16) for place, epoch in epochs.items()}

    def learn(self, places):
        self.calls.append(("learn", sorted(places)))
        return dict.fromkeys(places, STATS)


def member(stack, n_epochs, seated):
    """A search that checks that it gets its own results."""
    place = stack.enter()
    seated.wait()
    try:
        for epoch in range(n_epochs):
            assert (stack.ask(place, Draw(epoch)) == 10 * place + epoch).all()
            assert stack.ask(place, Learn()) == STATS
    finally:
        stack.leave(place)
    return place


def run(together, lengths):
    stack, seated = Stack(together), threading.Barrier(len(lengths))
    with ThreadPoolExecutor(len(lengths)) as pool:
        done = [pool.submit(member, stack, n, seated) for n in lengths]
        return [each.result() for each in done]


def test_all_draw_together_and_learn_together():
    together = Recorded()
    assert sorted(run(together, [2, 2, 2])) == [0, 1, 2]
    everyone = [0, 1, 2]
    assert together.calls == [
        call for epoch in range(2) for call in (("draw", dict.fromkeys(everyone, epoch)), ("learn", everyone))
    ]


def test_finished_members_are_not_waited_for():
    together = Recorded()
    places = run(together, [1, 3, 2])
    drawn = [len(asked) for kind, asked in together.calls if kind == "draw"]
    assert drawn == [3, 2, 1] and sorted(places) == [0, 1, 2]


def test_a_place_is_reused():
    together, stack = Recorded(n_places=1), None
    stack = Stack(together)
    alone = threading.Barrier(1)
    with ThreadPoolExecutor(3) as pool:
        done = [pool.submit(member, stack, 2, alone) for _ in range(3)]
        assert [each.result() for each in done] == [0, 0, 0]
    assert len(together.calls) == 3 * 2 * 2


def test_an_error_ends_every_search():
    stack, seated = Stack(Recorded(fails=True)), threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        done = [pool.submit(member, stack, 1, seated) for _ in range(2)]
        for each in done:
            with pytest.raises(ValueError, match="no draw"):
                each.result()
