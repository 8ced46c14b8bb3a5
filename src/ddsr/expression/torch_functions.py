"""The torch functions of operators; imported only when used, since torch takes seconds to load."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from ddsr.expression.operators import ARITHMETIC, Operator


def torch_function(row: Operator) -> Callable[..., Tensor]:
    """Return the torch function of an operator on tensors."""
    if row.own is not None:
        return row.own.torch_function
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
