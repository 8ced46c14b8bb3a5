"""Expressions in C, JavaScript, spreadsheets, ONNX and JAX have the values of NumPy."""

import ctypes
import json
import math
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest

from ddsr.errors import ExpressionError
from ddsr.expression import OPERATORS, CustomOperator, Expression, Vocabulary
from ddsr.expression.definitions import read_operators
from ddsr.expression.exports.c import to_c
from ddsr.expression.exports.excel import to_excel_formula
from ddsr.expression.exports.javascript import to_javascript
from ddsr.expression.exports.jax import to_jax
from ddsr.expression.exports.onnx import to_onnx
from ddsr.expression.known_constant import KnownConstant

NAMES = ("x", "y", "z")
VOCABULARY = Vocabulary(NAMES, tuple(OPERATORS))
CALLS = [
    f"{row.name}(x)" if row.arity == 1 else f"{row.name}(x, y)"
    for row in OPERATORS.values()
    if not row.symbol and row.name != "neg"
]
EQUATIONS = [
    *CALLS,
    "x + y - (z - x) - -2.5",
    "-(x + y) * z / (x * y) / z",
    "-x^2 - (-2.5)^3 + (x^2)^y",
    "x^-y / 1.5e-07",
    "1 / (x / y) * 3e+20",
    "2.5 * exp(-0.3 * x) + 1",
    "x - (y - (z - 1)) * -2",
    "-(-x) - -(y)",
    "7.3 * x / (1.9 + x)",
    "sqrt(x^2 + y^2) * sin(2 * z + 0.3)",
    "log(x) - 2 * inverse(y + square(z))",
    "3.25",
]
X = np.random.default_rng(0).uniform(-2.0, 2.0, size=(40, 3))
X[:20] = np.abs(X[:20])


def parsed(text, vocabulary=VOCABULARY):
    return Expression.parse(text, vocabulary)


def assert_same(found, expression, rtol=1e-11, rows=X):
    expected = expression.to_callable()(rows)
    found, is_defined = np.asarray(found, dtype=np.float64), np.isfinite(expected)
    assert np.allclose(found[is_defined], expected[is_defined], rtol=rtol, atol=rtol), str(expression)
    assert not np.isfinite(found[~is_defined]).any(), str(expression)


def compiled(sources, folder):
    """Compile C source, with warnings as errors, and return the library."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = folder / "equations.so"
    (folder / "equations.c").write_text("\n".join(sources))
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-shared", "-fPIC"]
    command = [compiler, *flags, "-o", str(library), str(folder / "equations.c"), "-lm"]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return ctypes.CDLL(str(library))


def test_c(tmp_path):
    names = [f"equation_{n}" for n in range(len(EQUATIONS))]
    expressions = [parsed(text) for text in EQUATIONS]
    sources = [to_c(each.expanded, name) for each, name in zip(expressions, names, strict=True)]
    # helpers of one file, which several equations may need
    helpers = {line for source in sources for line in source.split("\n") if line.startswith("static")}
    bodies = ["\n".join(line for line in source.split("\n") if line not in helpers) for source in sources]
    library = compiled(["#include <math.h>", *sorted(helpers), *bodies], tmp_path)
    for expression, name in zip(expressions, names, strict=True):
        function = library[name]
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * 3
        assert_same([function(*row) for row in X.tolist()], expression)


def values_in_node(sources, calls, rows):
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    lines = [*sources, f"const rows = {json.dumps(rows.tolist())};"]
    lines.append(f"const found = [{', '.join(calls)}].map(f => rows.map(row => f(...row)));")
    lines.append("console.log(JSON.stringify(found));")
    run = subprocess.run([node, "-"], input="\n".join(lines), check=True, capture_output=True, text=True)
    return [[np.nan if value is None else value for value in each] for each in json.loads(run.stdout)]


def test_javascript():
    names = [f"equation_{n}" for n in range(len(EQUATIONS))]
    expressions = [parsed(text) for text in EQUATIONS]
    sources = [to_javascript(each.expanded, name) for each, name in zip(expressions, names, strict=True)]
    found = values_in_node(sources, names, X)
    for expression, values in zip(expressions, found, strict=True):
        assert_same(values, expression)


def test_javascript_has_erf_and_gamma_in_double_precision():
    vocabulary = Vocabulary(["x"], ("erf", "gamma"))
    rows = np.concatenate([np.linspace(-7.0, 7.0, 57) + 0.01, [20.5, 100.25, 150.0]])[:, None]
    expressions = [parsed("erf(x)", vocabulary), parsed("gamma(x)", vocabulary)]
    sources = [to_javascript(expressions[0].expanded, "a"), to_javascript(expressions[1].expanded, "b")]
    for values, expression in zip(values_in_node(sources, ["a", "b"], rows), expressions, strict=True):
        assert np.allclose(values, expression.to_callable()(rows), rtol=1e-12, atol=1e-300)


def excel_functions():
    """Spreadsheet functions in Python; errors of a spreadsheet are NaN."""
    same = ("sin", "cos", "sqrt", "exp", "tan", "tanh", "asin", "acos", "atan", "sinh", "cosh", "gamma")
    return {
        **{name.upper(): getattr(math, name) for name in same},
        **{"ABS": abs, "MIN": min, "MAX": max, "LN": math.log, "INT": math.floor, "POWER": math.pow},
        "SIGN": lambda a: float(np.sign(a)),
        "ATAN2": lambda x, y: math.atan2(y, x),
        "SUMSQ": lambda *given: sum(each * each for each in given),
        "IF": lambda condition, yes, no: yes if condition else no,
        "ERF": SimpleNamespace(PRECISE=math.erf),
    }


def excel_values(formula, rows):
    assert formula.startswith("=") and "^" not in formula and "e" not in formula
    found = []
    for row in rows.tolist():
        cells = dict(zip(("A2", "B2", "C2"), row, strict=True))
        try:
            found.append(eval(formula[1:], {"__builtins__": {}}, {**excel_functions(), **cells}))
        except (ValueError, ZeroDivisionError, OverflowError):
            found.append(np.nan)
    return found


@pytest.mark.parametrize("text", EQUATIONS)
def test_spreadsheets(text):
    expression = parsed(text)
    assert_same(excel_values(to_excel_formula(expression.expanded), X), expression)


def test_cells_can_be_named():
    expression = parsed("2.5 * exp(-0.3 * y)").expanded
    assert to_excel_formula(expression, {"y": "[@time]"}) == "=2.5 * EXP(-0.3 * [@time])"
    with pytest.raises(ExpressionError, match="no reference for 'y'"):
        to_excel_formula(expression, {"x": "A1"})
    with pytest.raises(ExpressionError, match="'t', which is not an input"):
        to_excel_formula(expression, {"t": "A1"})


def test_columns_after_z_have_two_letters():
    names = [f"v{n}" for n in range(60)]
    expression = parsed("v25 + v26 + v51 + v52", Vocabulary(names, ("add",)))
    assert to_excel_formula(expression.expanded) == "=Z2 + AA2 + AZ2 + BA2"


def test_formulas_too_long_for_a_spreadsheet_are_refused():
    expression = parsed(" + ".join(["1.23456789012345 * x"] * 500))
    with pytest.raises(ExpressionError, match="Excel accepts 8192"):
        to_excel_formula(expression.expanded)


def onnx_values(model, rows):
    runtime = pytest.importorskip("onnxruntime", reason="needs onnxruntime")
    session = runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, {"X": np.ascontiguousarray(rows)})[0]


@pytest.mark.parametrize("text", [text for text in EQUATIONS if text != "gamma(x)"])
def test_onnx(text):
    pytest.importorskip("onnx", reason="needs onnx")
    expression = parsed(text)
    rtol = 1e-6 if "erf" in text else 1e-9
    found = onnx_values(to_onnx(expression.expanded), X)
    assert found.dtype == np.float64 and found.shape == (len(X),)
    expected = expression.to_callable()(X)
    is_defined = np.isfinite(expected)
    assert np.allclose(found[is_defined], expected[is_defined], rtol=rtol, atol=rtol)


def test_onnx_at_the_ends_of_inverse_functions():
    pytest.importorskip("onnx", reason="needs onnx")
    rows = np.array([[-1.0, 0, 0], [-0.99999, 1, 0], [0.0, -1, 0], [1.0, 1, 0]])
    for text in ("asin(x)", "acos(x)", "atan(1e+200 * x)", "atan2(y, x + 2)"):
        assert_same(onnx_values(to_onnx(parsed(text).expanded), rows), parsed(text), 1e-9, rows)


def test_onnx_names_what_it_lacks():
    pytest.importorskip("onnx", reason="needs onnx")
    with pytest.raises(ExpressionError, match="ONNX has no operator for gamma"):
        to_onnx(parsed("gamma(x)").expanded)


def test_jax():
    jax = pytest.importorskip("jax", reason="needs jax")
    jax.config.update("jax_enable_x64", True)
    for text in EQUATIONS:
        expression = parsed(text)
        assert_same(jax.jit(to_jax(expression.expanded))(X), expression)


def test_arguments_have_names_of_the_language(tmp_path):
    names = ("double", "body mass", "2nd", "x", "α", "*/ int y;", "sin")
    vocabulary = Vocabulary(names, ("add", "mul", "exp"))
    row = np.arange(1.0, 8.0)
    text = "`double` + `body mass` * `2nd` + x * exp(`α`) + `*/ int y;` + `sin`"
    expression = parsed(text, vocabulary)
    expected = expression.to_callable()(row[None])[0]
    function = compiled([to_c(expression.expanded)], tmp_path).equation
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(names)
    assert math.isclose(function(*row.tolist()), expected, rel_tol=1e-12)
    source = to_javascript(expression.expanded)
    assert math.isclose(values_in_node([source], ["equation"], row[None])[0][0], expected, rel_tol=1e-12)


@pytest.mark.parametrize("write", [to_c, to_javascript])
@pytest.mark.parametrize("name", ["", "2nd", "while", "exp", "Math.exp", "a b"])
def test_names_that_are_no_names_are_refused(write, name):
    if write is to_javascript and name == "exp":
        return  # a method of Math there
    with pytest.raises(ExpressionError, match="cannot be the name of a function"):
        write(parsed("x").expanded, name)


def test_own_formulas_are_written_out_and_python_functions_refused():
    own = Vocabulary(("x",), read_operators(["add", "lorentz(a) = 1 / (1 + min(a, 2)^2)"]))
    expression = parsed("x + lorentz(x)", own)
    assert "1.0 / (1.0 + pow(minimum(x, 2.0), 2.0))" in to_c(expression.expanded)
    assert "static double minimum" in to_c(expression.expanded)
    python = Vocabulary(("x",), ("add", CustomOperator("bump", np.cos)))
    with pytest.raises(ExpressionError, match="bump is a Python function, which C cannot call"):
        to_c(parsed("x + bump(x)", python).expanded)


def test_known_constants_are_written_as_numbers():
    vocabulary = Vocabulary(("m", KnownConstant("g", 9.81)), ("mul",))
    expression = parsed("m * g", vocabulary).expanded
    assert "return m * 9.81;" in to_c(expression)
    assert to_excel_formula(expression) == "=A2 * 9.81"
    assert "return m * 9.81;" in to_javascript(expression)
