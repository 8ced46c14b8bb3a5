"""The steps of the backward process: how many positions are masked before each step.

The paper keeps one more position per step, so that an expression of at most M tokens takes M predictions of
the whole sequence. With fewer steps, each keeps several positions, drawn from one prediction.
"""

from __future__ import annotations


def step_levels(max_length: int, n_steps: int | None) -> list[int]:
    """Return M, then the number of masked positions after each step, down to 0.

    The steps are as equal as whole numbers allow. None means one position per step; more steps than positions
    mean the same.
    """
    n = max_length if n_steps is None else min(n_steps, max_length)
    return [-(-max_length * left // n) for left in range(n, -1, -1)]
