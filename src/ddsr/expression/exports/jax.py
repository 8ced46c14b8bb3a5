"""Functions of JAX that compute an expression; they can be compiled and differentiated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ddsr.errors import ExpressionError
from ddsr.expression.folded import Folded
from ddsr.expression.operators import ARITHMETIC, Operator
from ddsr.expression.own_operators import FormulaOperator


def to_jax(expression: Folded) -> Callable[[Any], Any]:
    """Return a function from X (n_rows, n_features) to (n_rows,) that uses jax.numpy.

    JAX computes in single precision unless `jax.config.update("jax_enable_x64", True)` was called.
    """
    try:
        import jax.numpy as jnp
        import jax.scipy.special as special
    except ImportError:
        raise ExpressionError("to_jax needs JAX: pip install jax") from None

    functions = {
        "step": lambda a: jnp.heaviside(a, 1.0),
        "relu": lambda a: jnp.maximum(a, 0.0),
        "erf": special.erf,
        "gamma": special.gamma,
        "logistic": special.expit,
    }

    def apply(row: Operator, operands: list[Any]) -> Any:
        if isinstance(row.own, FormulaOperator):
            return row.own.fold(operands, jnp.asarray, apply)
        if row.own is not None:
            raise ExpressionError(f"{row.name} is a Python function, which JAX cannot compile")
        name = row.numpy or row.name
        function = ARITHMETIC.get(row.name) or functions.get(row.name) or getattr(jnp, name)
        return function(*operands)

    inputs, known = expression.vocabulary.inputs, expression.vocabulary.known_constants

    def equation(X: Any) -> Any:
        values = expression.fold(
            variable=lambda column: (
                X[:, column] if column < len(inputs) else jnp.asarray(known[column - len(inputs)].value)
            ),
            constant=jnp.asarray,
            one=jnp.asarray(1.0),
            apply=apply,
        )
        return jnp.broadcast_to(values, X.shape[:1])

    return equation
