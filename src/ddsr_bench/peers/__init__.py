"""Other methods, with SRBench's settings. Their modules are imported when they run.

A peer is a `Regressor` (`ddsr_bench.runner.methods`). It gets the same time, threads and operators as
ddsr, if it has options for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

from ddsr.errors import BenchError


class Peer(NamedTuple):
    """The class of a peer and its package."""

    module: str
    maker: str
    """class or function of the module, called with (seed, time, threads)"""
    package: str
    """package that must be installed"""

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
    """Refuse a peer whose package is not installed, with instructions."""
    if find_spec(PEERS[name].package) is None:
        raise BenchError(f"{name} needs the package {PEERS[name].package}: pip install 'ddsr[peers]'")
