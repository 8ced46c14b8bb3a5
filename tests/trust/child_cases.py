"""Parts that a child of the trust runner takes, good and bad; imports little, so that children start fast."""

import os
import time

from benchmarks.trust.child import Result


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
