"""Handwritten outcomes of fits: forms with given weights."""

import numpy as np

from ddsr import DDSRRegressor, Expression, Vocabulary
from ddsr.data.frames import named_targets
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.selection.outcome import Outcome
from ddsr.selection.parting import Parting
from ddsr.selection.posterior import Form

NAMES = Vocabulary(["S"], ("add", "sub", "mul", "div", "exp", "pow", "log", "sqrt"))
TEXTS = ("7.3 * S / (1.9 + S)", "6.1 * (1 - exp(-0.5 * S))", "2.1 * S^0.5", "1.3 * S", "3.1 * log(S + 1.7)")
PLACES = (
    None,
    Parting({"S": (0.3, 0.8)}, 2.13, is_beyond=False),
    Parting({"S": (19.0, 30.0)}, 4.0, is_beyond=True),
    Parting({"S": (2.0, 2.0)}, 0.4, is_beyond=False),
    None,
)


def outcome(*weights: float, best: int = 0) -> Outcome:
    """An outcome with one form for each weight."""
    entries = [
        FrontEntry(Expression.parse(text, NAMES), 0.1 + 0.01 * number, nats=float(number))
        for number, text in enumerate(TEXTS)
    ]
    forms = tuple(
        Form(entry, weight, np.eye(entry.equation.n_constants), place)
        for entry, weight, place in zip(entries, weights, PLACES, strict=False)
    )
    front = ParetoFront(tuple(entries))
    return Outcome(front, entries[best], (), "max_epochs", 2.0, 12, (None,) * len(entries), 0, forms=forms)


def model_of(*outcomes: Outcome) -> DDSRRegressor:
    """A model whose fit ended with these outcomes."""
    model = DDSRRegressor()
    model.n_features_in_, model.feature_names_in_, model.n_fits_ = 1, np.array(["S"], dtype=object), 1
    model._keep(list(outcomes))
    model.target_names_ = named_targets([None] * len(outcomes))
    return model


UNSURE = outcome(0.6, 0.2, 0.1, 0.05, 0.03)
