"""ddsr as a method of SRBench, with the names that its `evaluate_model` looks for."""

from __future__ import annotations

import os
from typing import Any

from ddsr import DDSRRegressor

# SRBench changes `max_time` and `random_state`, and may raise an alarm inside `fit`. The estimator then keeps
# the model of its last finished epoch; it has one even before the first.
est = DDSRRegressor(
    max_time=3600,
    n_jobs=int(os.environ.get("OMP_NUM_THREADS", "1")),
)

hyper_params: list[dict[str, Any]] = [{}]
"""nothing to tune"""

eval_kwargs: dict[str, Any] = {"test_params": {"max_time": 5, "max_epochs": 2}}
"""for SRBench's own test of a method"""


def model(est: DDSRRegressor, X: Any = None) -> str:
    """The equation as text that SymPy reads, with the names of X's columns if it has any."""
    form = est.sympy()
    columns = getattr(X, "columns", None)
    if columns is None or hasattr(est, "feature_names_in_"):
        return str(form)
    # Fitted to an array, so its variables are x0, x1, …
    names = {f"x{number}": str(name) for number, name in enumerate(columns)}
    renamed = {symbol: type(symbol)(names[symbol.name]) for symbol in form.free_symbols}
    return str(form.xreplace(renamed))


def complexity(est: DDSRRegressor) -> int:
    """Number of nodes of the equation in SymPy's form, as SRBench counts them."""
    from sympy import preorder_traversal

    return sum(1 for _ in preorder_traversal(est.sympy()))
