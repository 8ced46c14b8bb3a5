"""Implementation of `ddsr prior evaluate`: results as lines, tables and JSON."""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from ddsr.data.printable import printable
from ddsr_bench.problems.suites import load_suite
from ddsr_pretraining.zero_shot import (
    Case,
    CaseResult,
    Sampling,
    evaluate,
    ground_truth_cases,
    held_out_cases,
)

if TYPE_CHECKING:
    from ddsr.generators.prior.network import PriorNetwork
    from ddsr.generators.prior.weights import Card

HELD_OUT = "held-out"
FORMAT = "ddsr prior scores 1"


def run_evaluation(
    console: Console,
    weights: str,
    suite: str,
    noises: tuple[float, ...],
    sampling: Sampling,
    *,
    n: int | None,
    data: str | None,
    jobs: int,
    out: Path | None,
) -> None:
    """Evaluate all cases of a suite, print a line for each and the tables, and write everything as JSON."""
    from ddsr.generators.prior.weights import PriorFile, find_weights, load_weights

    path = find_weights(weights)
    checksum = PriorFile.read(path).checksum_unscored
    network, card = load_weights(path)
    cases = _cases(suite, noises, dict(card.recipe), int(card.training.get("seed", 0)), n, data)
    outcomes: list[CaseResult] = []
    for outcome in _evaluated(network, path, cases, sampling, jobs):
        outcomes.append(outcome)
        console.print(Text(printable(_line(outcome))), soft_wrap=True)
    tables = _tables(outcomes, is_synthetic=suite == HELD_OUT)
    for title, table in tables.items():
        for row in table:
            console.print(
                f"{title} {row['group']}: {row['hits']} of {row['n']} hit "
                f"({100 * row['hits'] / row['n']:.1f} %), {row['seconds']:.2f} s each",
                highlight=False,
                markup=False,
            )
    if out is not None:
        content = {
            "format": FORMAT,
            "weights": weights,
            "prior": _described(network, card, checksum),
            "suite": suite,
            "sampling": asdict(sampling),
            "summary": {
                f"{suite}, noise {row['group']}, {sampling.n} samples": f"{row['hits']} of {row['n']}"
                for row in tables["noise"]
            },
            **{f"by_{title}": table for title, table in tables.items()},
            "outcomes": [asdict(outcome) for outcome in outcomes],
        }
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(content, indent=1))


def _described(network: PriorNetwork, card: Card, checksum: str) -> dict[str, Any]:
    """Return facts about the prior, including its amount of training."""
    return {
        "sha256": checksum,
        "parameters": network.n_parameters,
        "examples": card.n_examples,
        "seconds": round(3600 * card.all_hours, 1),
        "network": asdict(card.network),
        "training": dict(card.training),
    }


def _evaluated(
    network: PriorNetwork, path: Path, cases: Iterator[Case], sampling: Sampling, jobs: int
) -> Iterator[CaseResult]:
    """Yield the results in the order of the cases."""
    if jobs == 1:
        yield from (evaluate(network, case, sampling) for case in cases)
        return
    fresh = multiprocessing.get_context("spawn")  # torch may hang in forked processes
    with ProcessPoolExecutor(jobs, fresh) as processes:
        try:
            yield from processes.map(partial(_evaluate_elsewhere, path, sampling), cases)
        finally:
            processes.shutdown(wait=False, cancel_futures=True)


def _evaluate_elsewhere(path: Path, sampling: Sampling, case: Case) -> CaseResult:
    return evaluate(_network(path), case, sampling)


@cache  # a process evaluates many cases
def _network(path: Path) -> PriorNetwork:
    import torch

    from ddsr.generators.prior.weights import load_weights

    torch.set_num_threads(1)
    return load_weights(path)[0]


def _line(outcome: CaseResult) -> str:
    verdict = "hit " if outcome.is_hit else "miss"
    return (
        f"{verdict} {outcome.name} noise {outcome.noise:.3g} NRMSE {outcome.nrmse:.2e} "
        f"distinct {outcome.n_distinct} {outcome.seconds:.2f} s: {outcome.equation}"
    )


def _tables(outcomes: list[CaseResult], is_synthetic: bool) -> dict[str, list[dict[str, Any]]]:
    """Group by noise, by number of variables, and by number of tokens if the expression is known."""
    groups: dict[str, Callable[[CaseResult], Any]] = {
        "noise": (lambda each: each.noise > 0) if is_synthetic else (lambda each: each.noise),
        "variables": lambda each: each.n_variables,
    }
    if is_synthetic:
        groups["tokens"] = lambda each: 4 * (each.size // 4)
    return {title: summarise(outcomes, group) for title, group in groups.items()}


def summarise(outcomes: list[CaseResult], group: Callable[[CaseResult], Any]) -> list[dict[str, Any]]:
    """Count the hits of each group, in the order of the groups."""
    groups: dict[Any, list[CaseResult]] = {}
    for outcome in outcomes:
        groups.setdefault(group(outcome), []).append(outcome)
    return [
        {
            "group": key,
            "n": len(members),
            "hits": sum(each.is_hit for each in members),
            "seconds": round(sum(each.seconds for each in members) / len(members), 3),
        }
        for key, members in sorted(groups.items())
    ]


def _cases(
    suite: str, noises: tuple[float, ...], recipe: dict[str, Any], seed: int, n: int | None, data: str | None
) -> Iterator[Case]:
    if suite == HELD_OUT:
        yield from held_out_cases(recipe, seed, n or 200)
        return
    problems = load_suite(suite)[:n]
    for noise in noises:
        yield from ground_truth_cases(problems, noise, Path(data) if data else None)
