"""ONNX models that compute an expression, for programs that do not run Python."""

from __future__ import annotations

import math
from typing import Any

from ddsr.errors import ExpressionError
from ddsr.expression.folded import Folded
from ddsr.expression.operators import Operator
from ddsr.expression.own_operators import FormulaOperator

OPSET, IR_VERSION = 17, 8  # of 2022; widely supported
LARGEST_TANGENT = 1e150  # so that its products are finite; its arctangent is pi / 2
# ONNX's own operators, which runtimes have in double precision.
_DIRECT = {
    **{"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "pow": "Pow", "sin": "Sin", "cos": "Cos"},
    **{"log": "Log", "sqrt": "Sqrt", "exp": "Exp", "tanh": "Tanh", "abs": "Abs", "neg": "Neg"},
    **{"inverse": "Reciprocal", "min": "Min", "max": "Max", "sign": "Sign", "floor": "Floor"},
    "logistic": "Sigmoid",
}


class _Graph:
    """Nodes of a graph; a value is known by its name."""

    def __init__(self, helper: Any, types: Any) -> None:
        self.helper, self.types = helper, types
        self.nodes: list[Any] = []
        self.numbers: dict[str, Any] = {}

    def number(self, value: float) -> str:
        name = f"number {value!r}"
        self.numbers[name] = self.helper.make_tensor(name, self.types.DOUBLE, [], [value])
        return name

    def add(self, operation: str, *inputs: str, **attributes: Any) -> str:
        name = f"value {len(self.nodes)}"
        self.nodes.append(self.helper.make_node(operation, list(inputs), [name], **attributes))
        return name

    def column(self, number: int) -> str:
        name = f"column {number}"
        self.numbers[name] = self.helper.make_tensor(name, self.types.INT64, [], [number])
        return self.add("Gather", "X", name, axis=1)

    def apply(self, row: Operator, operands: list[str]) -> str:
        """Return the value of an operator."""
        if isinstance(row.own, FormulaOperator):
            return row.own.fold(operands, self.number, self.apply)
        if row.name in _DIRECT:
            return self.add(_DIRECT[row.name], *operands)
        written = getattr(self, f"_{row.name}", None)
        if written is None or row.own is not None:
            raise ExpressionError(f"ONNX has no operator for {row.name}")
        return str(written(*operands))

    def _square(self, a: str) -> str:
        return self.add("Mul", a, a)

    def _cube(self, a: str) -> str:
        return self.add("Mul", self._square(a), a)

    def _tan(self, a: str) -> str:
        return self.add("Div", self.add("Sin", a), self.add("Cos", a))

    def _relu(self, a: str) -> str:
        return self.add("Max", a, self.number(0.0))

    def _step(self, a: str) -> str:
        is_positive = self.add("Cast", self.add("GreaterOrEqual", a, self.number(0.0)), to=self.types.DOUBLE)
        return self.add("Where", self.add("Equal", a, a), is_positive, a)  # a missing value stays missing

    def _hypot(self, a: str, b: str) -> str:
        return self.add("Sqrt", self.add("Add", self._square(a), self._square(b)))

    def _sinh(self, a: str) -> str:
        return self._halved("Sub", a)

    def _cosh(self, a: str) -> str:
        return self._halved("Add", a)

    def _halved(self, operation: str, a: str) -> str:
        rising, falling = self.add("Exp", a), self.add("Exp", self.add("Neg", a))
        return self.add("Mul", self.number(0.5), self.add(operation, rising, falling))

    def _asin(self, a: str) -> str:
        rest = self.add("Sqrt", self.add("Sub", self.number(1.0), self._square(a)))
        return self._atan(self.add("Div", a, rest))

    def _acos(self, a: str) -> str:
        return self.add("Sub", self.number(math.pi / 2), self._asin(a))

    def _atan(self, a: str) -> str:
        # b is the result in single precision, and atan(a) = b + atan((a - tan b) / (1 + a tan b))
        a = self.add("Clip", a, self.number(-LARGEST_TANGENT), self.number(LARGEST_TANGENT))
        b = self._in_single("Atan", a)
        tangent = self._tan(b)
        above = self.add("Sub", a, tangent)
        below = self.add("Add", self.number(1.0), self.add("Mul", a, tangent))
        return self.add("Add", b, self.add("Div", above, below))

    def _erf(self, a: str) -> str:
        return self._in_single("Erf", a)

    def _in_single(self, operation: str, a: str) -> str:
        single = self.add(operation, self.add("Cast", a, to=self.types.FLOAT))
        return self.add("Cast", single, to=self.types.DOUBLE)

    def _atan2(self, a: str, b: str) -> str:
        # 2 atan(a / (b + |(a, b)|)), which is right in all quadrants
        return self.add(
            "Mul",
            self.number(2.0),
            self._atan(self.add("Div", a, self.add("Add", b, self._hypot(a, b)))),
        )


def to_onnx(expression: Folded) -> Any:
    """Return an ONNX model from X (n_rows, n_features) to y (n_rows,), both in double precision.

    Only erf is computed in single precision, since runtimes lack it in double precision.
    """
    try:
        from onnx import TensorProto, checker, helper
    except ImportError:
        raise ExpressionError("to_onnx needs the package onnx: pip install 'ddsr[onnx]'") from None

    inputs, known = expression.vocabulary.inputs, expression.vocabulary.known_constants
    graph = _Graph(helper, TensorProto)
    value = expression.fold(
        variable=lambda column: (
            graph.column(column) if column < len(inputs) else graph.number(known[column - len(inputs)].value)
        ),
        constant=graph.number,
        one=graph.number(1.0),
        apply=graph.apply,
    )
    # an equation without inputs has the same value in each row
    rows = graph.add("Shape", "X", start=0, end=1)
    graph.nodes.append(helper.make_node("Expand", [value, rows], ["y"]))
    double = TensorProto.DOUBLE
    made = helper.make_graph(
        graph.nodes,
        "equation",
        [helper.make_tensor_value_info("X", double, ["n_rows", len(inputs)])],
        [helper.make_tensor_value_info("y", double, ["n_rows"])],
        list(graph.numbers.values()),
        doc_string=str(expression),
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], producer_name="ddsr")
    model.ir_version = IR_VERSION
    helper.set_model_props(model, {"equation": str(expression), "inputs": "\n".join(inputs)})
    checker.check_model(model)
    return model
