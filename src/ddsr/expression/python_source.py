"""Python source of a function that computes an expression with NumPy, and with SciPy for erf and gamma."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from keyword import iskeyword
from unicodedata import normalize

from ddsr.errors import ExpressionError
from ddsr.expression.folded import Folded, used_operators
from ddsr.expression.known_constant import KnownConstant
from ddsr.expression.operators import Operator
from ddsr.expression.own_operators import CustomOperator, FormulaOperator, OwnOperator, with_uses
from ddsr.expression.printing import Piece, call, infix, negated, number

RESERVED = ("np", "scipy", "__debug__")

_SIGNS = {"add": " + ", "sub": " - ", "mul": " * ", "div": " / ", "pow": " ** "}
_CALLS = {"div": "divide", "pow": "power", "inverse": "reciprocal", "square": "square"}
_IN_SCIPY = {"erf": "erf", "gamma": "gamma", "logistic": "expit"}
LARGEST_SAFE_DEPTH = 50


def to_python(expression: Folded, name: str = "equation") -> str:
    """Return a module: an import, and the function with the inputs in order as arguments.

    If a variable's name is not an identifier, a comment names its argument; see `argument_names`.
    """
    own = with_uses(used_operators(expression))
    if not name.isidentifier() or iskeyword(name) or name in RESERVED:
        raise ExpressionError(f"{name!r} cannot be the name of a Python function")
    functions, variables = _function_names(own, name), expression.vocabulary.variables
    arguments = argument_names(variables, functions.values())
    inputs = arguments[: len(expression.vocabulary.inputs)]
    apply = partial(_apply, functions=functions)
    body = expression.fold(
        variable=lambda column: Piece(arguments[column]),
        constant=lambda value: number(repr(value)),
        one=number("1.0"),
        apply=apply,
    )
    helpers = [_helper(each, functions) for each in own if isinstance(each, FormulaOperator)]
    code = "\n".join([body.text, *helpers])
    modules = {called.rpartition(".")[0] for called in functions.values()} - {""}
    modules |= {"scipy.special"} if "scipy.special." in code else set()
    used = {arguments[variables.index(each)]: each for each in expression.variables_used}
    known = {name: each.value for name, each in used.items() if isinstance(each, KnownConstant)}
    converted = [name for name in used if name not in known]
    result = body.text if converted else f"np.full(np.shape({inputs[0]}), {body.text})"
    renamed = [
        (argument, variable)
        for argument, variable in zip(arguments, variables, strict=True)
        if argument != variable and (argument in inputs or argument in known)
    ]
    lines = [
        "import numpy as np",
        *(f"import {module}" for module in sorted(modules)),
        "",
        "",
        *helpers,
        f"def {name}({', '.join(inputs)}):",
        f"    {str(expression)!r}",
        *(f"    # {argument} is {name!r}" for argument, name in renamed),
        *(f"    {argument} = np.asarray({argument}, dtype=np.float64)" for argument in converted),
        *(f"    {argument} = np.float64({value!r})" for argument, value in known.items()),
        '    with np.errstate(all="ignore"):',
        f"        return {result}",
    ]
    text = "\n".join(lines) + "\n"
    if expression.depth > LARGEST_SAFE_DEPTH:
        _check_compiles(text, expression.depth)
    return text


def _check_compiles(text: str, depth: int) -> None:
    """Raise an error if Python cannot parse the text: it allows some 200 nested parentheses."""
    try:
        compile(text, "<equation>", "exec")
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ExpressionError(
            f"the expression is nested too deeply for Python source, {depth} levels ({error}): use to_numpy"
        ) from None


def _function_names(own: Iterable[OwnOperator], name: str) -> dict[str, str]:
    """Return the function that the source calls for each user-defined operator."""
    names = {}
    for each in own:
        if isinstance(each, CustomOperator):
            if each.python is None:
                raise ExpressionError(
                    f"the operator {each.name!r} has no python function: create it with "
                    f"CustomOperator({each.name!r}, …, python='module.function')"
                )
            names[each.name] = each.python
        else:
            is_taken = each.name in (name, *RESERVED) or iskeyword(each.name)
            names[each.name] = f"{each.name}_" if is_taken else each.name
    return names


def _helper(own: FormulaOperator, functions: Mapping[str, str]) -> str:
    """Return the source of a function that computes an operator."""
    names = argument_names(own.arguments, functions.values())
    body = own.fold(
        [Piece(argument) for argument in names],
        lambda value: number(repr(value)),
        partial(_apply, functions=functions),
    )
    return f"def {functions[own.name]}({', '.join(names)}):\n    return {body.text}\n\n"


def argument_names(variables: tuple[str, ...], functions: Iterable[str] = ()) -> list[str]:
    """Return a different identifier for each variable, as close to its name as Python allows.

    Names that are identifiers are kept. In others, invalid characters become _, which also precedes a digit
    at the start. A keyword, or a name that is taken, is followed by _2, _3, …
    """
    called = {function.partition(".")[0] for function in functions}
    taken = {*RESERVED, *called, *(each for each in variables if _is_argument(each) and each not in called)}
    names: list[str] = []
    for variable in variables:
        name = stem = _identifier(variable)
        n = 2
        is_kept = _is_argument(variable) and variable not in called
        while not is_kept and (name in taken or iskeyword(name)):
            name, n = f"{stem}_{n}", n + 1
        taken.add(name)
        names.append(name)
    return names


def _is_argument(name: str) -> bool:
    return _identifier(name) == name and not iskeyword(name) and name not in RESERVED


def _identifier(name: str) -> str:
    # Python itself normalizes identifiers to this form
    kept = (c if f"_{c}".isidentifier() else "_" for c in normalize("NFKC", name))
    identifier = "".join(kept)
    return identifier if identifier.isidentifier() else f"_{identifier}"


def _apply(row: Operator, operands: list[Piece], functions: Mapping[str, str]) -> Piece:
    if row.own is not None:
        # two Python floats would also raise errors within the formula
        given = [call("np.float64", [each]) if each.is_fixed else each for each in operands]
        return call(functions[row.name], given)
    if row.name == "neg":
        return negated(operands[0])
    if row.name == "cube":
        return call("np.power", [*operands, number("3")])
    if row.name == "step":
        return call("np.heaviside", [*operands, number("1.0")])
    if row.name == "relu":
        return call("np.maximum", [*operands, number("0.0")])
    if row.name in _IN_SCIPY:
        return call(f"scipy.special.{_IN_SCIPY[row.name]}", operands)
    # with two Python floats, 1.0 / 0.0 would raise and (-1.0) ** 0.5 would be complex
    raises = row.name in ("div", "pow") and all(operand.is_fixed for operand in operands)
    if row.name in _SIGNS and not raises:
        return infix(row, _SIGNS[row.name], *operands)
    return call(f"np.{_CALLS.get(row.name, row.numpy)}", operands)
