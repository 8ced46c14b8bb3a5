"""The methods of a benchmark by name."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import BenchError, MethodError
from ddsr.search.presets import PRESETS, parse_method
from ddsr_bench.peers import PEERS, check_installed


class Regressor(Protocol):
    """A regressor. If its model is not a formula, it also has a method `complexity()`."""

    def fit(self, X: Any, y: NDArray[np.float64]) -> Any:
        """Fit to a DataFrame, whose column names are the variables of the model."""
        ...

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the model."""
        ...

    def sympy(self) -> Any:
        """Return the model as a SymPy form or as text that SymPy reads; None if it is not a formula."""
        ...


def check_method(name: str) -> str:
    """Return the shortest name of a method; refuse unknown methods and peers that are not installed."""
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
    """Return the shortest name of a preset with its options, and any other name as it is."""
    try:
        return str(parse_method(name))
    except MethodError:
        return name


def modules_of(method: str) -> tuple[str, ...]:
    """Return the modules that a run of a method imports, to import them once before the runs."""
    if method in PEERS:
        return (PEERS[method].module,)
    networks = ("torch", "ddsr.generators.diffusion.generator", "ddsr.learning.policy")
    return ("ddsr.estimator.regressor", *(() if method == "uniform" else networks))


def make_estimator(
    method: str, seed: int, time: float | None, epochs: int | None, threads: int, device: str
) -> Regressor:
    """Return a preset of ddsr or a peer, limited by `time` (seconds) and `epochs`; peers ignore epochs."""
    if method in PEERS:
        return PEERS[method].make(seed, time, threads)  # type: ignore[no-any-return]
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
