"""Known signs of the variables, as the native simplifier takes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import VocabularyError, did_you_mean
from ddsr.expression.vocabulary import Vocabulary

NONNEGATIVE, POSITIVE = 1, 2


def signs_of(
    vocabulary: Vocabulary, positive: Iterable[str], nonnegative: Iterable[str]
) -> NDArray[np.uint8]:
    """Return the sign of each variable, 0 if unknown; positive overrides nonnegative."""
    signs = np.zeros(len(vocabulary.variables), dtype=np.uint8)
    columns = {name: column for column, name in enumerate(vocabulary.variables)}
    for names, sign in ((nonnegative, NONNEGATIVE), (positive, POSITIVE)):
        if isinstance(names, str):
            raise VocabularyError(f"variables must be a list of names, not the text {names!r}")
        for name in names:
            if name not in columns:
                known = ", ".join(map(repr, vocabulary.variables))
                hint = did_you_mean(name, columns)
                raise VocabularyError(
                    f"{name!r} is not a variable of this vocabulary{hint}, which has: {known}"
                )
            signs[columns[name]] = sign
    return signs
