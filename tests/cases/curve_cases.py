"""A learning curve whose every point is known."""

import numpy as np
import pandas as pd

from ddsr_bench.runner.curves import COLUMNS


def curve(n_epochs: int, height: float = 1.0) -> pd.DataFrame:
    """Best rewards rise from 0 to `height`, mean rewards are half of them."""
    best = np.linspace(0.0, height, n_epochs)
    epochs = np.arange(1.0, n_epochs + 1)
    shares = np.ones(n_epochs), np.zeros(n_epochs), np.zeros(n_epochs)
    values = (epochs, best, best / 2, best, best, best, *shares, epochs / 10)
    return pd.DataFrame(dict(zip(COLUMNS, values, strict=True)))
