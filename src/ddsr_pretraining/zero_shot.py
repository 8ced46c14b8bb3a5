"""Rate at which the prior proposes the true equation, with fitted constants but without a search.

Without noise, a hit is a fit with an NRMSE below 10⁻⁶ on the training rows, with free scale and offset. With
noise, it is a proposal with R² > 0.9999 on the clean test rows after a fit to the noisy target, whose
structure is also exact, in the sense above, after a fit to the clean target; an approximation is not a hit.
Held-out examples have too few rows for accurate constants, so only the structure counts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ddsr._core import MASK
from ddsr.config import DefaultConfig
from ddsr.data.arrays import Floats
from ddsr.engine import Engine, FitOptions, Scores, values
from ddsr.errors import BenchError
from ddsr.expression import Batch, Vocabulary
from ddsr.grammar import Grammar
from ddsr.search.contributors.proposals import fit_proposals
from ddsr_bench.problems.suites import BenchmarkProblem
from ddsr_bench.problems.trial import make_data

if TYPE_CHECKING:
    from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion
    from ddsr.generators.prior.network import PriorNetwork

HIT_NRMSE = 1e-6
HIT_NRMSE_SINGLE = 1e-4
"""limit for held-out examples, whose numbers are in single precision"""
ACCURATE = 0.9999
MOST_CANCELLED = 1e4
"""largest offset relative to the target; a larger one cancels another large term"""
MOST_ROWS = 2000
FITTING = FitOptions(max_steps=30, n_starts=4, is_scale_free=True)


@dataclass(frozen=True, eq=False)
class Case:
    """A data set with its true equation."""

    name: str
    size: int
    """number of tokens of the expression, or of variables of a formula"""
    noise: float
    vocabulary: Vocabulary
    X: Floats
    y: Floats
    y_clean: Floats
    X_test: Floats
    y_test: Floats
    exact: float = HIT_NRMSE
    least_r_squared: float = ACCURATE
    """lowest R² on the test rows of a hit with noise"""


@dataclass(frozen=True)
class CaseResult:
    """The result of one case."""

    name: str
    size: int
    n_variables: int
    noise: float
    is_hit: bool
    nrmse: float
    """lowest NRMSE on the given target"""
    n_distinct: int
    """number of different expressions among the samples"""
    seconds: float
    """time for sampling and fitting"""
    equation: str
    """the hit, otherwise the equation with the lowest error"""


@dataclass(frozen=True)
class Sampling:
    """Settings of the draws of proposals."""

    n: int = 2000
    tokens_per_step: int = 0
    """number of tokens to draw per step; 0: one, and only distinct expressions"""
    temperature: float = 1.0
    seed: int = 0
    device: str = "cpu"
    n_threads: int = 1


def evaluate(network: PriorNetwork, case: Case, sampling: Sampling) -> CaseResult:
    """Sample proposals, fit them, and count hits."""
    import torch

    from ddsr.generators.prior.distinct_diffusion import DistinctDiffusion

    began = time.perf_counter()
    grammar = Grammar(case.vocabulary, network.config.max_length)
    device, n_threads = torch.device(sampling.device), sampling.n_threads
    generator = DistinctDiffusion(
        network, case.X, case.y, grammar, DefaultConfig(), sampling.seed, device, n_threads
    )
    if sampling.tokens_per_step:
        drawn = draw_in_order(generator, sampling.n, 0, sampling.tokens_per_step, sampling.temperature)
    else:
        drawn = generator.draw_distinct(sampling.n, 0)
    batch = Batch.from_tokens(case.vocabulary, drawn).first_distinct(sampling.n, n_threads)
    engine = Engine(case.vocabulary, case.X, case.y, options=FITTING, n_threads=n_threads)
    scores = fit_proposals(batch, engine, (case.X, case.y), generator.view, grammar, FITTING)
    seconds = time.perf_counter() - began
    hits = find_hits(scores, case, n_threads)
    best = int(hits[0]) if len(hits) else int(np.argmin(scores.nrmse))
    return CaseResult(
        case.name,
        case.size,
        len(case.vocabulary.variables),
        case.noise,
        len(hits) > 0,
        float(scores.nrmse.min()),
        len(batch),
        round(seconds, 3),
        scores.batch[best].text(4),
    )


def draw_in_order(
    generator: DistinctDiffusion,
    n_rows: int,
    stream: int,
    tokens_per_step: int = 1,
    temperature: float = 1.0,
) -> NDArray[np.int16]:
    """Return legal expressions, (B, M), with `tokens_per_step` tokens drawn at a time, left to right.

    Positions after those drawn next are masked, so they are left out of the sequence.
    """
    grammar = generator.grammar
    max_length = grammar.max_length
    kept = np.full((n_rows, max_length), MASK, dtype=np.int16)
    drawn = kept.copy()
    active = np.arange(n_rows)
    for begin in range(0, max_length, tokens_per_step):
        end = min(begin + tokens_per_step, max_length)
        logits = generator.logits_up_to(kept[active], end) / temperature
        filled = grammar.fill_tokens(
            logits, kept[active], generator.seed, stream * max_length + begin, generator.n_threads
        )
        drawn[active] = filled
        kept[active, begin:end] = filled[:, begin:end]
        active = active[(filled >= 0).sum(axis=1) > end]
        if not len(active):
            break
    return drawn


def find_hits(scores: Scores, case: Case, n_threads: int) -> NDArray[np.intp]:
    """Return the rows that are hits."""
    if case.noise == 0.0:
        return np.flatnonzero(are_hits(scores, case.y, case.exact))
    accurate = np.flatnonzero(r_squared(scores, case) > case.least_r_squared)
    if not len(accurate):
        return accurate
    clean = Engine(case.vocabulary, case.X, case.y_clean, options=FITTING, n_threads=n_threads)
    refitted = clean.score(scores.batch.take(accurate))
    return np.asarray(accurate[are_hits(refitted, case.y_clean, case.exact)])


def are_hits(scores: Scores, y: Floats, exact: float) -> NDArray[np.bool_]:
    """Return which fits are exact and do not cancel huge terms: x^(1e-7) gives log(x) to seven digits."""
    is_plain = np.abs(scores.offset) < MOST_CANCELLED * np.sqrt(np.mean(y**2))
    return np.asarray((scores.nrmse < exact) & is_plain)


def r_squared(scores: Scores, case: Case) -> Floats:
    """Return R² on the clean test rows; −∞ if a value is not finite."""
    found, is_finite = values(scores.batch, case.X_test)
    with np.errstate(all="ignore"):
        predicted = scores.scale[:, None] * found + scores.offset[:, None]
        errors = ((predicted - case.y_test) ** 2).mean(axis=1)
    errors = np.where(is_finite & np.isfinite(errors), errors, np.inf)
    return np.asarray(1.0 - errors / case.y_test.var())


def ground_truth_cases(
    problems: tuple[BenchmarkProblem, ...], noise: float, data_dir: Path | None
) -> Iterator[Case]:
    """Yield trial 0 of each problem."""
    for problem in problems:
        if problem.formula is None:
            raise BenchError(f"the equation of {problem.name} is unknown, so it cannot be evaluated")
        noisy, clean = (make_data(problem, 0, level, data_dir) for level in (noise, 0.0))
        vocabulary = Vocabulary(problem.variables)
        X, X_test = (np.asarray(table, dtype=np.float64) for table in (noisy.X_train, noisy.X_test))
        some = slice(MOST_ROWS)
        yield Case(
            problem.name,
            len(problem.variables),
            noise,
            vocabulary,
            X[some],
            noisy.y_train[some],
            clean.y_train[some],
            X_test[some],
            noisy.y_test[some],
        )


def held_out_cases(recipe: dict[str, Any], seed: int, n: int) -> Iterator[Case]:
    """Yield held-out examples of the recipe."""
    from ddsr_pretraining.examples import ExampleMaker, ExampleOptions
    from ddsr_pretraining.training import HELD_OUT as first_index

    examples = ExampleMaker(ExampleOptions(**recipe), seed).make(n, 1, first_index, with_clean=True)
    clean = examples.y if examples.y_clean is None else examples.y_clean
    for row in range(n):
        rows, columns = int(examples.n_rows[row]), int(examples.n_variables[row])
        X = examples.x[row, :rows, :columns].astype(np.float64)
        y, y_clean = (part[row, :rows].astype(np.float64) for part in (examples.y, clean))
        yield Case(
            f"held-out-{row}",
            int((examples.tokens[row] >= 0).sum()),
            float(examples.noise[row]),
            Vocabulary.of_size(columns),
            X,
            y,
            y_clean,
            X,
            y_clean,
            HIT_NRMSE_SINGLE,
            0.0,
        )
