"""Torch modules that compute an expression; imported only when used, since torch takes seconds to load."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from ddsr.expression.folded import Folded
from ddsr.expression.operators import ARITHMETIC, Operator


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


def torch_function(row: Operator) -> Callable[..., Tensor]:
    """Return the torch function of an operator on tensors."""
    function: Callable[..., Tensor]
    match row.name:
        case "step":
            return _step
        case "gamma":
            return _gamma
        case "logistic":
            return torch.sigmoid
        case _:
            function = ARITHMETIC.get(row.name) or getattr(torch, row.numpy, None) or getattr(torch, row.name)
    return function


def _step(a: Tensor) -> Tensor:
    """Return 1 where a >= 0; unlike `torch.heaviside`, with the derivative 0."""
    return 0.5 + 0.5 * torch.sign(torch.sign(a) + 0.5)


def _gamma(a: Tensor) -> Tensor:
    """Return the gamma function from the logarithm of its absolute value."""
    is_negative = (a < 0.0) & (torch.remainder(torch.floor(a), 2.0) == 1.0)
    value = torch.exp(torch.lgamma(a))
    return torch.where(is_negative, -value, value)
