"""Gradient boosting; its size is the nodes of its trees."""

from __future__ import annotations

from sklearn.ensemble import GradientBoostingRegressor

from ddsr_bench.peers.unwritten import Unwritten


def count_nodes(boosting: GradientBoostingRegressor) -> int:
    """Of all trees."""
    return sum(int(tree.tree_.node_count) for tree in boosting.estimators_.ravel())


def make(seed: int, time: float | None, threads: int) -> Unwritten:
    """A hundred trees of depth three; it uses one thread, and ends by itself."""
    return Unwritten(GradientBoostingRegressor(n_estimators=100, random_state=seed), count_nodes)
