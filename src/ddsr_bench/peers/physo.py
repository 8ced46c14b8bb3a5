"""PhySO: deep symbolic regression with a recurrent network, here without physical units."""

from __future__ import annotations

import re
import time as clock
from contextlib import redirect_stdout, suppress
from io import StringIO
from typing import Any

import numpy as np
import physo
import torch
from numpy.typing import NDArray
from physo.config.config0 import config0
from physo.learn.monitoring import RunLogger

OPERATORS = ("add", "sub", "mul", "div", "sin", "cos", "exp", "log", "sqrt", "pow")
CONSTANTS = ("c0", "c1", "c2")
EPOCHS = 50
"""number of epochs without a time limit"""
UNLIMITED = 10**9
NAME = re.compile(r"\b[vc]\d+\b")


class _TimeIsUpError(Exception):
    pass


class _Logger(RunLogger):  # type: ignore[misc]
    """Keeps the best programs, and ends the search after the epoch in which the time runs out."""

    def __init__(self, deadline: float) -> None:
        super().__init__()
        self.deadline = deadline

    def log(self, *arguments: Any, **named: Any) -> None:
        """End the search after this epoch if the time is up."""
        super().log(*arguments, **named)
        if clock.monotonic() >= self.deadline:
            raise _TimeIsUpError


class PhysoRegressor:
    """The program with the highest reward, with PhySO's default settings and the paper's operators."""

    def __init__(self, seed: int, time: float | None, threads: int) -> None:
        self._seed, self._time, self._threads = seed, time, threads

    def fit(self, X: Any, y: NDArray[np.float64]) -> PhysoRegressor:
        """Search for at least one epoch of a thousand programs."""
        self._names = [str(name) for name in X.columns]
        torch.manual_seed(self._seed)
        np.random.seed(self._seed)
        logger = _Logger(np.inf if self._time is None else clock.monotonic() + self._time)
        with redirect_stdout(StringIO()), suppress(_TimeIsUpError):
            physo.SR(
                np.array(X, dtype=np.float64).T,
                y,
                X_names=[f"v{column}" for column in range(len(self._names))],
                fixed_consts=[1.0],
                free_consts_names=list(CONSTANTS),
                op_names=list(OPERATORS),
                use_protected_ops=False,
                run_config=config0,
                get_run_logger=lambda: logger,
                get_run_visualiser=lambda: None,
                parallel_mode=self._threads > 1,
                n_cpus=self._threads,
                epochs=EPOCHS if self._time is None else UNLIMITED,
            )
        self._program = logger.hall_of_fame[-1]
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the values of the program."""
        rows = torch.tensor(np.array(X, dtype=np.float64).T)
        values = self._program(rows).detach().numpy()
        return np.array(np.broadcast_to(values, len(X)), dtype=np.float64)

    def sympy(self) -> str:
        """Return the program as text, with the values of its constants and the names of the columns."""
        (constants,) = self._program.get_sympy_local_dicts(replace_nan_with=1.0)
        written = {name: f"({float(value)!r})" for name, value in constants.items()}
        written |= {f"v{column}": name for column, name in enumerate(self._names)}
        return NAME.sub(lambda found: written[found[0]], self._program.get_infix_str())
