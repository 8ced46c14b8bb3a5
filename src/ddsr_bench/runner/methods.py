"""The methods that a benchmark runs, made by name."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError, MethodError
from ddsr.search.presets import PRESETS, parse_method
from ddsr_bench.peers import PEERS, check_installed


class Regressor(Protocol):
    """A regressor; one whose model cannot be written down has a `complexity()` beside these."""

    def fit(self, X: Any, y: NDArray[np.float64]) -> Any:
        """Learn from a DataFrame, whose column names are the variables of the model."""
        ...

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The model's values."""
        ...

    def sympy(self) -> Any:
        """The model, as a SymPy form or as text that SymPy reads; None if it is no formula."""
        ...


def check_method(name: str) -> str:
    """The method's shortest name; one that is neither a preset nor a peer that is installed is refused."""
    preset, _, options = name.partition(":")
    if preset in PEERS:
        if options or name != preset:
            raise BenchError(f"the method {preset} takes no options, but {name!r} has {options!r}")
        check_installed(name)
        return name
    try:
        return str(parse_method(name))
    except MethodError as error:
        peers = "" if preset in PRESETS else f"; peers are: {', '.join(PEERS)}"
        raise BenchError(f"method {name!r}: {error}{peers}") from error


def canonical_name(name: str) -> str:
    """The shortest name of a preset with its options; any other name as it is."""
    try:
        return str(parse_method(name))
    except MethodError:
        return name


def modules_of(method: str) -> tuple[str, ...]:
    """What its run imports, which takes longer than many a run: to be done once, before."""
    if method in PEERS:
        return (PEERS[method].module,)
    networks = (
        ()
        if method == "uniform"
        else ("torch", "ddsr.generators.diffusion.generator", "ddsr.learning.policy")
    )
    return ("ddsr.estimator.regressor", *networks)


def make_estimator(
    method: str, seed: int, time: float | None, epochs: int | None, threads: int, device: str
) -> Regressor:
    """One of ddsr's presets or a peer, by name; `time` in seconds or `epochs` end a search, what comes first.

    Peers know no epochs.
    """
    if method in PEERS:
        peer: Regressor = PEERS[method].make(seed, time, threads)
        return peer
    from ddsr.estimator.regressor import DDSRRegressor

    regressor: Regressor = DDSRRegressor(
        preset=method,
        max_time=time,
        max_epochs=epochs,
        n_jobs=threads,
        random_state=seed,
        device=device,
    )
    return regressor
