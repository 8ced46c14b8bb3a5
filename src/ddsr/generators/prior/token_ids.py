"""The prior's ids of a user's tokens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ddsr._core import MASK
from ddsr.expression.vocabulary import Vocabulary
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.screen import ShownData

UNKNOWN_LOGIT = -8.0
"""logit of tokens that the prior does not know: they are rarely drawn unless rules require them"""


def ids_in_prior(vocabulary: Vocabulary, view: ShownData, config: NetworkConfig) -> list[int]:
    """Return the prior's id for each of the user's tokens; MASK for unknown ones."""
    own = config.vocabulary
    ids = [own.operators.index(name) if name in own.operators else MASK for name in vocabulary.operators]
    if vocabulary.has_one:
        ids.append(MASK if own.one is None else own.one)
    if vocabulary.has_constant:
        ids.append(MASK if own.constant is None else own.constant)
    places = {int(column): place for place, column in enumerate(view.columns)}
    return ids + [
        own.first_variable + places[column] if column in places else MASK
        for column in range(len(vocabulary.variables))
    ]


def places_in_view(vocabulary: Vocabulary, view: ShownData) -> NDArray[np.intp]:
    """Return places of the tokens' random numbers that do not change if columns are permuted."""
    n_columns, first = len(vocabulary.variables), vocabulary.first_variable
    hidden = np.setdiff1d(np.arange(n_columns), view.columns)
    places = np.arange(len(vocabulary))
    places[first + np.concatenate((view.columns, hidden))] = first + np.arange(n_columns)
    return places
