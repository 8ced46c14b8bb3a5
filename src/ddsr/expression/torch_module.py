"""Torch modules that compute an expression; imported only when used, since torch takes seconds to load."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ddsr.expression.folded import Folded
from ddsr.expression.torch_functions import torch_function


class EquationModule(nn.Module):
    """Module that computes an expression; gradients reach X and the constants.

    X has a column for each input of the vocabulary, used or not. `constants`, the only parameter, is in
    breadth-first order, and in double precision until the module is converted.
    """

    def __init__(self, expression: Folded) -> None:
        super().__init__()
        self.expression = expression
        self.constants = nn.Parameter(torch.tensor(expression.constants, dtype=torch.float64))

    def forward(self, X: Tensor) -> Tensor:
        """Return values (n_rows,) on the rows of X (n_rows, n_features)."""
        vocabulary = self.expression.vocabulary
        n_inputs = len(vocabulary.inputs)
        if X.ndim != 2 or X.shape[1] != n_inputs:
            raise ValueError(f"X must have the shape (n_rows, {n_inputs}), not {tuple(X.shape)}")
        known = [self.constants.new_tensor(each.value) for each in vocabulary.known_constants]
        waiting = iter(range(len(self.constants) - 1, -1, -1))  # a fold meets the last constant first
        found = self.expression.fold(
            variable=lambda column: X[:, column] if column < n_inputs else known[column - n_inputs],
            constant=lambda value: self.constants[next(waiting)],
            one=torch.ones((), dtype=self.constants.dtype, device=self.constants.device),
            apply=lambda row, operands: torch_function(row)(*operands),
        )
        return found.expand(len(X)) if found.ndim == 0 else found

    def extra_repr(self) -> str:
        """Return the equation with its current constants."""
        return str(self.expression.with_constants(self.constants.tolist()))
