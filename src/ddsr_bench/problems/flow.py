"""Rows along trajectories: the states of a system of ordinary differential equations at even times.

The values of y are those of the problem's formula at these states, so the precision of the integration does
not limit the precision of the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError
from ddsr_bench.problems.formula import NAME, evaluate_formula

TIME = "t"
N_TRAJECTORIES = 4
"""trajectories of a problem, as in Strogatz's data"""
TOLERANCE = 1e-4
MOST_EVALUATIONS = 20_000
"""of the derivatives in one integration; more are needed only by stiff systems"""


@dataclass(frozen=True)
class Flow:
    """A system of ordinary differential equations in the time t: dx/dt = derivative of x."""

    variables: tuple[str, ...]
    """states, parameters and t; parameters have one value per trajectory"""
    ranges: tuple[tuple[float, float], ...]
    """of the starts, of the parameters, and of t"""
    derivatives: tuple[str, ...]
    """formula of each variable's derivative; empty for parameters and t"""

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Flow:
        """Read a flow from JSON, where tuples are lists."""
        ranges = tuple((low, high) for low, high in fields["ranges"])
        return cls(tuple(fields["variables"]), ranges, tuple(fields["derivatives"]))

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time."""
        return self.ranges[self.variables.index(TIME)]


def read_flow(
    text: str, formula: str, variables: tuple[str, ...], ranges: tuple[tuple[float, float], ...]
) -> Flow:
    """Read derivatives such as `x: v; v: -x`. In `x: v; v`, that of v is the problem's formula."""
    derivatives: dict[str, str] = {}
    for part in text.split(";"):
        name, _, derivative = (piece.strip() for piece in part.partition(":"))
        if name == TIME:
            raise BenchError(f"{TIME} is the time: it cannot have a derivative")
        if name not in variables:
            raise BenchError(
                f"the flow has a derivative of {name!r}, but the ranges are of {', '.join(variables)}"
            )
        if name in derivatives:
            raise BenchError(f"the flow has two derivatives of {name}")
        derivatives[name] = derivative or formula
    if TIME not in variables:
        raise BenchError(f"a flow needs a range of the time {TIME}, such as `{TIME}:0:10`")
    return Flow(variables, ranges, tuple(derivatives.get(name, "") for name in variables))


def variables_in(formula: str, variables: tuple[str, ...]) -> tuple[str, ...]:
    """Return the variables that a formula uses."""
    names = set(NAME.findall(formula))
    return tuple(name for name in variables if name in names)


def trajectories(
    flow: Flow, n_rows: int, rng: np.random.Generator, n_trajectories: int = N_TRAJECTORIES
) -> NDArray[np.float64]:
    """Return rows (n_rows, n_variables) at even times along trajectories with random starts."""
    from scipy.integrate import solve_ivp

    low, high = np.array(flow.ranges).T
    starts = rng.uniform(low, high, size=(n_trajectories, len(low)))
    moving = [column for column, derivative in enumerate(flow.derivatives) if derivative]
    times = np.linspace(*flow.span, math.ceil(n_rows / n_trajectories))
    slopes = _slopes(flow, starts, moving)
    with np.errstate(all="ignore"):
        solved = solve_ivp(
            slopes, flow.span, starts[:, moving].ravel(), t_eval=times, rtol=TOLERANCE, atol=TOLERANCE
        )
    if not solved.success or not np.isfinite(solved.y).all():
        last = solved.t[-1] if len(solved.t) else flow.span[0]
        raise BenchError(
            f"a trajectory leaves the finite numbers after {TIME} = {last:.4g}: choose other starts, or a "
            "shorter time"
        )
    rows = np.repeat(starts[:, None], len(times), axis=1)  # (n_trajectories, n_times, n_variables)
    rows[:, :, moving] = solved.y.reshape(n_trajectories, len(moving), -1).swapaxes(1, 2)
    rows[:, :, flow.variables.index(TIME)] = times
    return rows.reshape(-1, len(low))[:n_rows]


def _slopes(
    flow: Flow, starts: NDArray[np.float64], moving: list[int]
) -> Callable[[float, NDArray[np.float64]], NDArray[np.float64]]:
    """Return the function of the derivatives of all trajectories at once."""
    rows, time = starts.copy(), flow.variables.index(TIME)
    n_evaluations = 0

    def slopes(now: float, states: NDArray[np.float64]) -> NDArray[np.float64]:
        nonlocal n_evaluations
        n_evaluations += 1
        if n_evaluations > MOST_EVALUATIONS:
            raise BenchError(
                f"the flow is too stiff to be integrated from {TIME} = {flow.span[0]:g} to {flow.span[1]:g}"
            )
        rows[:, time] = now
        rows[:, moving] = states.reshape(len(rows), -1)
        found = [evaluate_formula(flow.derivatives[column], flow.variables, rows) for column in moving]
        return np.column_stack(found).ravel()

    return slopes
