"""The option `start=prior` of the preset `paper`: the policy starts from the pretrained prior.

Only the network differs: it is larger, and it reads the data. Everything else is that of the preset: the
backward process in a random order, the objective, the memory, the batches, and the updates. The learning rate
is the paper's 1e-4, with which the default search trains the prior, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ddsr.config import PaperConfig, SearchConfig
from ddsr.data.arrays import Floats
from ddsr.data.row_samples import choose_rows
from ddsr.errors import MethodError
from ddsr.generators.device import find_device
from ddsr.generators.prior.weights import DEFAULT, check_weights, find_weights
from ddsr.search.problem import Problem

if TYPE_CHECKING:
    from ddsr.generators.prior.conditioned import ConditionedDiffusion


SHOWN_ROWS = 10_000
"""maximum number of rows to show to the prior, which uses a few hundred of them"""


def check_prior(method: str, options: Mapping[str, str], config: SearchConfig) -> None:
    """Raise an error for a prior that the policy cannot start from, or that the method would ignore."""
    if not isinstance(config, PaperConfig):
        return
    if options.get("start") == "prior":
        _check_start(config)
    elif not uses_prior(options) and config.prior not in (None, DEFAULT):
        raise unused_prior(method, config.prior)


def uses_prior(options: Mapping[str, str]) -> bool:
    """Return whether a method with these options reads the setting `prior`."""
    return "prior" in options or options.get("start") == "prior"


def unused_prior(method: str, prior: object) -> MethodError:
    """Return the error for a prior that the method would ignore."""
    return MethodError(
        f"the preset '{method}' does not use a prior, but one was given ({prior!r}): "
        "leave it out, or use the preset 'ddsr' or 'paper:start=prior'"
    )


def _check_start(config: PaperConfig) -> None:
    if config.prior is None:
        raise MethodError(
            "start=prior needs weights, but there is no prior: use the default one or a file of weights"
        )
    if config.denoiser != PaperConfig().denoiser:
        raise MethodError(
            "denoiser has no effect with start=prior, whose network has the sizes of its file: leave it out"
        )
    longest = check_weights(config.prior).network.max_length
    if config.max_length > longest:
        raise MethodError(
            f"with start=prior, max_length can be at most {longest}, the length that the prior was trained "
            f"for, not {config.max_length}: lower it, or use start=random"
        )


def start_from_prior(problem: Problem, config: PaperConfig) -> ConditionedDiffusion:
    """Return the paper's generator with the prior's network, conditioned on the data."""
    from ddsr.generators.prior.conditioned import ConditionedDiffusion
    from ddsr.generators.prior.weights import load_weights

    assert config.prior is not None
    network, _ = load_weights(find_weights(config.prior))
    return ConditionedDiffusion(
        network,
        *shown_rows(problem),
        problem.grammar,
        config,
        problem.seed,
        find_device(problem.device),
        problem.n_threads,
        problem.deadline,
    )


def shown_rows(problem: Problem) -> tuple[Floats, Floats]:
    """Return X and y of at most `SHOWN_ROWS` rows with a weight, in their order."""
    data = problem.data
    chosen = choose_rows(data.weighting.weights, len(data.X), SHOWN_ROWS, problem.seed)
    return (data.X[chosen], data.y[chosen]) if len(chosen) else (data.X, data.y)
