"""Small networks, and examples of few variables drawn uniformly from a grammar."""

from dataclasses import dataclass

import numpy as np
import torch

from ddsr.engine import values
from ddsr.expression import Batch, Vocabulary
from ddsr.generators.prior.config import NetworkConfig
from ddsr.grammar import Grammar
from ddsr_pretraining.config import TrainingConfig
from ddsr_pretraining.training import Trainer

TINY = NetworkConfig(
    cell_width=16,
    n_row_layers=1,
    n_row_latents=4,
    width=32,
    n_layers=2,
    n_heads=2,
    max_length=16,
    look_rows=32,
)
QUICK = TrainingConfig(batch_size=32, batches_per_chunk=2, n_views=2, warm_up=10, learning_rate=3e-3)


def write_weights(path):
    """Write an untrained network to a file and return its path as text."""
    trainer = Trainer(TINY, QUICK, PlainMaker(), {}, torch.device("cpu"))
    trainer.checkpoint().to_prior().save(path)
    return str(path)


@dataclass
class PlainExamples:
    tokens: np.ndarray
    x: np.ndarray
    y: np.ndarray
    n_variables: np.ndarray
    n_rows: np.ndarray


class PlainMaker:
    """Finite, non-constant expressions of the first variables, in place of the core's recipe."""

    def __init__(self, n_variables=1, n_rows=24, max_length=16, seed=0):
        self.seed, self.n_rows, self.max_length, self.n_variables = seed, n_rows, max_length, n_variables
        self.network_vocabulary = Vocabulary.of_size(10)
        vocabulary = Vocabulary.of_size(n_variables)
        self.grammar = Grammar(vocabulary, max_length=7, max_constants=0)

    def __call__(self, first_index, n):
        rng = np.random.default_rng((self.seed, first_index))
        batch = Batch.from_tokens(
            self.grammar.vocabulary, self.grammar.sample(20 * n, self.seed, first_index)
        )
        rows = rng.uniform(0.5, 4.0, size=(self.n_rows, self.n_variables))
        y, is_finite = values(batch, rows)
        with np.errstate(all="ignore"):
            is_good = is_finite & (np.abs(y).max(axis=1) < 1e6) & (y.std(axis=1) > 1e-3)
        chosen = np.flatnonzero(is_good)[:n]
        assert len(chosen) == n
        tokens = np.full((n, self.max_length), -1, np.int16)
        tokens[:, : batch.tokens.shape[1]] = batch.tokens[chosen]
        x = np.zeros((n, self.n_rows, 10), np.float32)
        x[:, :, : self.n_variables] = rows
        return PlainExamples(
            tokens,
            x,
            y[chosen].astype(np.float32),
            np.full(n, self.n_variables),
            np.full(n, self.n_rows),
        )
