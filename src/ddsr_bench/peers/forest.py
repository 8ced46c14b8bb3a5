"""Random forest; its size is the nodes of its trees."""

from __future__ import annotations

from sklearn.ensemble import RandomForestRegressor

from ddsr_bench.peers.unwritten import Unwritten


def count_nodes(forest: RandomForestRegressor) -> int:
    """Of all trees."""
    return sum(int(tree.tree_.node_count) for tree in forest.estimators_)


def make(seed: int, time: float | None, threads: int) -> Unwritten:
    """A hundred trees; it ends by itself, well within a symbolic method's time."""
    return Unwritten(RandomForestRegressor(n_estimators=100, random_state=seed, n_jobs=threads), count_nodes)
