"""What ddsr is measured against, with SRBench's settings. Modules are imported when a method is run.

A method is made from its seed, time and threads, and is a `Regressor` (`ddsr_bench.runner.methods`).
Where it has options for them, it gets the time, the threads and the paper's operators that ddsr gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from ddsr.errors import BenchError


class Peer(NamedTuple):
    """Where a method comes from."""

    module: str
    maker: str
    """class or function of the module, called with (seed, time, threads)"""
    package: str
    """what has to be installed"""

    def make(self, seed: int, time: float | None, threads: int) -> Any:
        """Return a new regressor."""
        return getattr(import_module(self.module), self.maker)(seed, time, threads)


PEERS: Mapping[str, Peer] = {
    "gplearn": Peer("ddsr_bench.peers.gplearn", "GplearnRegressor", "gplearn"),
    "operon": Peer("ddsr_bench.peers.operon", "OperonRegressor", "pyoperon"),
    "ffx": Peer("ddsr_bench.peers.ffx", "FFXRegressor", "ffx"),
    "physo": Peer("ddsr_bench.peers.physo", "PhysoRegressor", "physo"),
    **{
        name: Peer("ddsr_bench.peers.scikit_learn", name, "sklearn")
        for name in ("linear", "forest", "boosting", "mlp")
    },
}


def check_installed(name: str) -> None:
    """Refuse a peer whose package is not there, with how to get it."""
    if find_spec(PEERS[name].package) is None:
        raise BenchError(f"{name} needs the package {PEERS[name].package}: pip install 'ddsr[peers]'")
