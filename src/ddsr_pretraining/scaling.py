"""Gains from more training and larger networks: hits of priors by seconds, examples and parameters.

A line in the logarithm of the effort, and of the number of parameters if it differs, is fitted to the share p
of problems that are hit, on the scale log(p / (1 − p)). The intervals come from fits to many random draws of
the problems, the same for all priors. They show how much the choice of problems matters, but not what another
seed of the training would change.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.errors import BenchError
from ddsr_pretraining.evaluation import FORMAT, HELD_OUT
from ddsr_pretraining.scores import reading_scores

EFFORTS = ("seconds", "examples")
N_DRAWS = 1000
NEWTON_STEPS = 30
STIFFNESS = 0.02
"""prior precision of slopes, which keeps them finite if all or no problems are hit"""
INTERVAL = (2.5, 97.5)


@dataclass(frozen=True, eq=False)
class Scored:
    """A prior that was evaluated."""

    name: str
    parameters: int
    examples: int
    seconds: float
    """training time"""
    hits: dict[float, dict[str, bool]]
    """hits by noise and problem"""
    measured: tuple[str, int]
    """suite and number of samples, which must be the same for a comparison"""


@dataclass(frozen=True)
class Gain:
    """Expected gain from ten times the effort, in percentage points."""

    effort: str
    """seconds or examples"""
    noise: float
    now: float
    """fitted hits of the prior with the most effort, in %"""
    then: float
    """fitted hits with ten times that effort and the same number of parameters, in %"""
    interval: tuple[float, float]
    """95 % interval of the gain"""
    of_parameters: float | None
    """gain from ten times the parameters instead, if the numbers of parameters differ"""

    @property
    def gain(self) -> float:
        """Percentage points."""
        return self.then - self.now


def read_scored(path: Path) -> Scored:
    """Read what `ddsr prior evaluate --out` wrote."""
    with reading_scores(path) as content:
        if content.get("format") != FORMAT:
            raise ValueError(f"it is not a {FORMAT}")
        hits: dict[float, dict[str, bool]] = {}
        for outcome in content["outcomes"]:
            hits.setdefault(float(outcome["noise"]), {})[outcome["name"]] = bool(outcome["is_hit"])
        prior = content["prior"]
        return Scored(
            path.stem,
            int(prior["parameters"]),
            int(prior["examples"]),
            float(prior["seconds"]),
            hits,
            (content["suite"], int(content["sampling"]["n"])),
        )


def check_alike(scored: Sequence[Scored]) -> None:
    """Refuse to compare priors that were evaluated differently."""
    if len(scored) < 2:
        raise BenchError("scaling needs the scores of at least two priors")
    first = scored[0]
    for each in scored[1:]:
        for what, one, other in (
            ("suite and samples", first.measured, each.measured),
            ("noise levels", sorted(first.hits), sorted(each.hits)),
            ("problems", *({k: sorted(v) for k, v in prior.hits.items()} for prior in (first, each))),
        ):
            if one != other:
                raise BenchError(f"{first.name} and {each.name} differ in {what}: they cannot be compared")
    if first.measured[0] == HELD_OUT:
        raise BenchError("held-out examples differ from prior to prior: compare on a suite of problems")


def find_gains(scored: Sequence[Scored], seed: int = 0, n_draws: int = N_DRAWS) -> list[Gain]:
    """Return the gains at each noise level from each kind of effort that differs between the priors."""
    check_alike(scored)
    return [
        _gain(scored, effort, noise, seed, n_draws)
        for noise in sorted(scored[0].hits)
        for effort in EFFORTS
        if len({getattr(each, effort) for each in scored}) > 1
    ]


def _gain(scored: Sequence[Scored], effort: str, noise: float, seed: int, n_draws: int) -> Gain:
    efforts = np.log10([max(1.0, getattr(each, effort)) for each in scored])
    sizes = np.log10([each.parameters for each in scored])
    has_sizes = len(set(sizes)) > 1 and len(scored) > 2
    columns = [np.ones(len(scored)), efforts - efforts.mean(), *([sizes - sizes.mean()] if has_sizes else [])]
    design = np.column_stack(columns)
    names = sorted(scored[0].hits[noise])
    is_hit = np.array([[each.hits[noise][name] for name in names] for each in scored], dtype=np.float64)
    rng = np.random.default_rng(seed)
    draws = rng.multinomial(len(names), np.full(len(names), 1 / len(names)), size=n_draws)
    fits = np.array([fit_logit(design, is_hit @ draw, len(names)) for draw in (np.ones(len(names)), *draws)])
    fitted = fits @ design[int(np.argmax(efforts))]
    now, then = 100 * _logistic(fitted), 100 * _logistic(fitted + fits[:, 1])
    low, high = np.percentile((then - now)[1:], INTERVAL)
    return Gain(
        effort,
        noise,
        float(now[0]),
        float(then[0]),
        (float(low), float(high)),
        float(100 * _logistic(fitted[0] + fits[0, 2]) - now[0]) if has_sizes else None,
    )


def fit_logit(design: Floats, hits: Floats, n: int) -> Floats:
    """Return the coefficients of log(p / (1 − p)) that best fit `hits` of `n`, with damped slopes."""
    share = (hits + 0.5) / (n + 1)
    precision = np.diag([0.0, *[STIFFNESS] * (design.shape[1] - 1)])
    found = np.zeros(design.shape[1])
    found[0] = math.log(share.mean() / (1 - share.mean()))
    for _ in range(NEWTON_STEPS):
        expected = _logistic(design @ found)
        slope = design.T @ ((n + 1) * (share - expected)) - precision @ found
        curvature = design.T @ (design * ((n + 1) * expected * (1 - expected))[:, None]) + precision
        step = np.linalg.solve(curvature, slope)
        found = found + np.clip(step, -2.0, 2.0)
        if np.abs(step).max() < 1e-9:
            break
    return np.asarray(found)


def _logistic(values: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-values)))


def table_lines(scored: Sequence[Scored]) -> list[str]:
    """Return a Markdown table with one row per prior."""
    noises = sorted(scored[0].hits)
    head = ["prior", "parameters", "seconds", "examples", *(f"hit, noise {noise:g}" for noise in noises)]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for each in sorted(scored, key=lambda each: (each.parameters, each.seconds)):
        hits = [f"{sum(each.hits[noise].values())} of {len(each.hits[noise])}" for noise in noises]
        lines.append([each.name, f"{each.parameters:,}", f"{each.seconds:,.0f}", f"{each.examples:,}", *hits])
    return [f"| {' | '.join(line)} |" for line in lines]


def gain_lines(gains: Sequence[Gain]) -> list[str]:
    """Return one sentence per gain."""
    lines = []
    for gain in gains:
        low, high = gain.interval
        line = (
            f"noise {gain.noise:g}: ten times the {gain.effort} would bring {gain.now:.1f} % to "
            f"{gain.then:.1f} %, {gain.gain:+.1f} points [{low:+.1f}, {high:+.1f}]"
        )
        if gain.of_parameters is not None:
            line += f"; ten times the parameters {gain.of_parameters:+.1f}"
        lines.append(line)
    return lines
