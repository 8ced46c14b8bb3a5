"""What ddsr is measured against: a small module a method, with SRBench's settings, imported when it is run.

A module has `make(seed, time, threads)`, which returns a `Method` (`ddsr_bench.runner.methods`).
Where a method has options for it, it gets the time, the threads and the paper's operators that ddsr gets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec

from ddsr.errors import BenchError


@dataclass(frozen=True)
class Peer:
    """Where a method comes from."""

    module: str
    package: str
    """what has to be installed"""


PEERS: Mapping[str, Peer] = {
    "gplearn": Peer("ddsr_bench.peers.gplearn", "gplearn"),
    "operon": Peer("ddsr_bench.peers.operon", "pyoperon"),
    "ffx": Peer("ddsr_bench.peers.ffx", "ffx"),
    "physo": Peer("ddsr_bench.peers.physo", "physo"),
    "linear": Peer("ddsr_bench.peers.linear", "sklearn"),
    "forest": Peer("ddsr_bench.peers.forest", "sklearn"),
    "boosting": Peer("ddsr_bench.peers.boosting", "sklearn"),
    "mlp": Peer("ddsr_bench.peers.mlp", "sklearn"),
}


def check_installed(name: str) -> None:
    """Refuse a peer whose package is not there, with how to get it."""
    if find_spec(PEERS[name].package) is None:
        raise BenchError(f"{name} needs the package {PEERS[name].package}: pip install 'ddsr[peers]'")
