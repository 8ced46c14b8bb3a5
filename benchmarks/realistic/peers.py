"""Methods to compare with: gplearn and Operon, if they are installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from benchmarks.realistic.tables import OPERATORS, Floats
from ddsr import Expression, Vocabulary
from ddsr_bench.peers import PEERS
from ddsr_bench.runner.methods import make_estimator

DEFAULT = ("gplearn", "operon")


def why_skipped(name: str) -> str | None:
    """Return why a peer cannot be run; None if it can."""
    if name not in PEERS:
        return f"{name} is unknown; peers are {', '.join(PEERS)}"
    package = PEERS[name].package
    return None if find_spec(package) is not None else f"{name} needs the package {package}: make setup-peers"


def fit_peer(name: str, X: Any, y: Floats, limit: float, seed: int) -> Expression:
    """Return the equation that a peer finds in a table (a DataFrame), on one thread."""
    model = make_estimator(name, seed, limit, None, 1, "cpu").fit(X, y)
    return read_equation(str(model.sympy()), tuple(X.columns))


def read_equation(text: str, variables: tuple[str, ...]) -> Expression:
    """Parse an equation as SymPy would."""
    return Expression.parse(text.replace("Abs(", "abs("), Vocabulary(list(variables), OPERATORS))
