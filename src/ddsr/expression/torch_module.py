"""Torch modules that compute an expression; imported only when used, since torch takes seconds to load."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ddsr.expression.folded import Folded
from ddsr.expression.torch_functions import torch_function


class EquationModule(nn.Module):
    """Module that computes an expression; gradients reach X and the constants.

    X has a column for each variable of the vocabulary, used or not. `constants`, the only parameter, is in
    breadth-first order, and in double precision until the module is converted.
    """

    def __init__(self, expression: Folded) -> None:
        super().__init__()
        self.expression = expression
        self.constants = nn.Parameter(torch.tensor(expression.constants, dtype=torch.float64))

    def forward(self, X: Tensor) -> Tensor:
        """Return values (n_rows,) on the rows of X (n_rows, n_features)."""
        n_variables = len(self.expression.vocabulary.variables)
        if X.ndim != 2 or X.shape[1] != n_variables:
            raise ValueError(f"X must have the shape (n_rows, {n_variables}), not {tuple(X.shape)}")
        waiting = iter(range(len(self.constants) - 1, -1, -1))  # a fold meets the last constant first
        found = self.expression.fold(
            variable=lambda column: X[:, column],
            constant=lambda value: self.constants[next(waiting)],
            one=torch.ones((), dtype=self.constants.dtype, device=self.constants.device),
            apply=lambda row, operands: torch_function(row)(*operands),
        )
        return found.expand(len(X)) if found.ndim == 0 else found

    def extra_repr(self) -> str:
        """Return the equation with its current constants."""
        return str(self.expression.with_constants(self.constants.tolist()))
