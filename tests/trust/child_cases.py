"""Parts for a child of the trust runner, good and bad; they import little, so that children start fast."""

import os
import time

from benchmarks.trust.child import Result, in_turn


def crashing(seed, folder):
    """In a child: one case fails, one raises, one ends the process."""

    def case(number):
        if number == 1:
            return Result(["the second one"], tried=10)
        if number == 2:
            raise KeyError("third")
        if number == 3:
            os._exit(7)
        print("noise on standard output")
        return Result(notes={"seed": seed})

    return case


def hanging(seed, folder):
    """In a child: the second case never ends."""

    def case(number):
        if number == 1:
            time.sleep(1000)
        return Result()

    return case


def turns(seed, folder):
    """In a child: three parts by turns; one passes, one fails, one ends the process at its first case."""
    made = [
        lambda seed, folder: lambda number: Result(),
        lambda seed, folder: lambda number: Result([f"odd {number}"]),
        lambda seed, folder: lambda number: os._exit(7) if number == 0 else Result(tried=0),
    ]
    return in_turn(made, seed, folder)
