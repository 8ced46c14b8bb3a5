"""The prior for one data set, computed by the core without torch: distinct draws, and log-probabilities.

The core computes the same network from the same weights. `next_token.py` is the same in torch, which a GPU
and further training need.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr import _core
from ddsr.data.arrays import Floats
from ddsr.errors import DataError
from ddsr.expression import MASK, Tokens
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.screen import N_DRAWS, choose_view
from ddsr.generators.prior.shown_features import target_features_of, value_features_of
from ddsr.generators.prior.tensor_file import Arrays
from ddsr.generators.prior.token_ids import UNKNOWN_LOGIT, ids_in_prior, places_in_view
from ddsr.generators.prior.weights import read_once
from ddsr.grammar import Grammar


class NativePrior:
    """The weights of a prior in the layout of the core."""

    def __init__(self, config: NetworkConfig, arrays: Arrays) -> None:
        self.config = config
        self.core = _make_core(config, arrays)

    @classmethod
    def read(cls, path: Path) -> NativePrior:
        """Read a file of weights; each version of a file is packed once."""
        state = path.stat()
        return _pack_once(path, state.st_size, state.st_mtime_ns)


class NativeDraws:
    """Draws distinct legal expressions for one data set, the next ones at each call, and never one twice.

    The sequence depends on the seed alone, not on how many are drawn at a time.
    """

    def __init__(
        self,
        prior: NativePrior,
        X: ArrayLike,
        y: ArrayLike,
        grammar: Grammar,
        seed: int,
        n_threads: int = 1,
        n_draws: int = N_DRAWS,
    ) -> None:
        sizes, rows = prior.config, np.asarray(X, dtype=np.float64)
        target = np.asarray(y, dtype=np.float64)
        self.view = choose_view(rows, target, sizes.max_variables, sizes.look_rows, n_draws, seed)
        self.grammar = replace(grammar, max_length=min(grammar.max_length, sizes.max_length))
        self.n_threads = n_threads
        self.network = _core.PriorOfData(
            prior.core,
            target_features_of(self.view.scaled_target),
            value_features_of(self.view.x),
            ids_in_prior(grammar.vocabulary, self.view, sizes),
            UNKNOWN_LOGIT,
            self.grammar.max_length,
            n_threads,
        )
        places = places_in_view(grammar.vocabulary, self.view)
        self._draws = _core.PriorDraws(self.grammar.core, self.network, places.tolist(), seed)

    def draw(self, n: int, seconds: float = np.inf) -> Tokens:
        """Return the next `n` expressions, (n, M): fewer after `seconds`, or if the grammar has no more."""
        return self._draws.next(n, seconds, self.n_threads)

    def log_probs(self, tokens: Tokens) -> Floats:
        """Return log-probabilities of the tokens of expressions, (B, M), drawn from left to right.

        They are 0 after the end, and −inf from a token on that is not legal.
        """
        return self.network.token_log_probs(self.grammar.core, tokens, self.n_threads)

    def next_logits(self, beginnings: Tokens, position: int) -> NDArray[np.float32]:
        """Return (B, V) logits of the token at `position`, given only those before it."""
        shown = np.array(beginnings, dtype=np.int16)
        shown[:, position:] = MASK
        return self.network.next_logits(shown, self.n_threads)


@lru_cache(maxsize=2)
def _pack_once(path: Path, size: int, modified: int) -> NativePrior:
    file = read_once(path)
    try:
        return NativePrior(file.card.network, file.arrays)
    except ValueError as error:
        raise DataError(f"{path} is not a prior that this ddsr can use: {error}") from error


def _make_core(config: NetworkConfig, arrays: Arrays) -> _core.PriorNetwork:
    weights = {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in arrays.items()}
    vocabulary, sizes = config.vocabulary, asdict(config)
    for name in ("operators", "look_rows"):
        sizes.pop(name)
    return _core.PriorNetwork(weights, list(vocabulary.arities[: vocabulary.first_variable]), **sizes)
