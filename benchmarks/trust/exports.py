"""Random models in all export forms: all must predict the same."""

from __future__ import annotations

import keyword
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.trust.child import Part, Result, run_part
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally
from ddsr.engine import values
from ddsr.estimator.model_file import read_model
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.expression import OPERATORS, Expression, Vocabulary
from ddsr.expression.operators import numpy_function
from ddsr.grammar import Grammar

N_MODELS = 500
HERE = "benchmarks.trust.exports"
TOLERANCE = 1e-9
# Relative rounding of every step. Rows where it moves the value by more than MOST_MOVED are skipped.
JITTER, MOST_MOVED = 1e-13, 1e-10
NAMES = ("x", "speed", "a b", "lambda", "sin", "β", "x_1", "T [s]")
SELECTIONS = ("accuracy", "accuracy", "accuracy", "description_length")  # the last one is the slowest
CONFIG = {"evaluations_per_epoch": 300, "evolution": {"n_islands": 2, "island_size": 20}}


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Fit small models and export every listed equation."""
    tally = Tally()
    run_part(plan, tally, f"{HERE}:models", N_MODELS)
    return {"models": tally}


def models(seed: int, folder: Path) -> Part:
    """Fit a model of random data and export all of its equations."""

    def case(number: int) -> Result:
        rng = np.random.default_rng([seed, number])
        n_features = int(rng.integers(1, 4))
        names = [str(name) for name in rng.choice(NAMES, size=n_features, replace=False)]
        X = pd.DataFrame(rng.uniform(0.3, 3.0, size=(24, n_features)), columns=names)
        guess = random_expression(rng, names)
        model = DDSRRegressor(
            max_epochs=1,
            random_state=number,
            config=CONFIG,
            operators=tuple(OPERATORS),
            guesses=[guess.text()],
            model_selection=SELECTIONS[number % len(SELECTIONS)],
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, _target(rng, guess, X.to_numpy()))
        failures = []
        for index in range(len(model.equations_)):
            failures += flaws_of(model, index, X, folder)
        return Result([f"exports case {number} (seed {seed}): {flaw}" for flaw in failures[:1]])

    return case


def random_expression(rng: np.random.Generator, names: list[str]) -> Expression:
    """Draw up to 15 tokens with any operators, and constants between -3 and 3."""
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    tokens = Grammar(vocabulary, max_length=15).sample(1, seed=int(rng.integers(1 << 31)))[0]
    expression = Expression(vocabulary, tokens.tolist())
    return expression.with_constants(rng.uniform(-3, 3, size=expression.n_constants).round(3))


def _target(rng: np.random.Generator, expression: Expression, X: np.ndarray) -> np.ndarray:
    """The values of the expression plus noise, if they are of a size that can be fitted."""
    with np.errstate(all="ignore"):
        found = expression.to_callable()(X)
    usable = np.isfinite(found).all() and np.ptp(found) > 1e-6 and np.abs(found).max() < 1e6
    return (found if usable else 0.0) + 0.01 * rng.normal(size=len(X))


def flaws_of(model: DDSRRegressor, index: int, X: pd.DataFrame, folder: Path) -> list[str]:
    """List the forms in which an equation has other values than in the engine."""
    equation: Expression = model.front_.entries[index].equation
    rows = X.to_numpy()
    wanted = values([equation], rows)[0][0]
    sound = np.isfinite(wanted) & is_well_conditioned(equation, rows)
    flaws = []
    for name, compute in forms_of(model, index, equation, X, folder).items():
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found = np.broadcast_to(np.asarray(compute(), float), wanted.shape)
            except Exception as error:
                flaws.append(f"{name} of {equation}: {type(error).__name__}: {str(error)[:150]}")
                continue
        error = np.abs(found - wanted) / np.maximum(np.abs(wanted), 1e-300)
        if not (error[sound] <= TOLERANCE).all():
            flaws.append(f"{name} of {equation}: off by {np.nanmax(error[sound]):.2g}")
    return flaws


def is_well_conditioned(equation: Expression, rows: np.ndarray) -> np.ndarray:
    """Rows whose value hardly changes if every step of the computation is slightly off.

    A step below the smallest normal double has lost digits.
    """
    rng = np.random.default_rng(0)
    has_lost_digits = np.zeros(len(rows), dtype=bool)

    def moved(value: Any) -> Any:
        has_lost_digits[...] |= (value != 0) & (np.abs(value) < np.finfo(float).tiny)
        return value * (1.0 + JITTER * rng.uniform(-1, 1, size=len(rows)))

    def compute() -> np.ndarray:
        return equation.fold(
            variable=lambda column: moved(rows[:, column]),
            constant=moved,
            one=1.0,
            apply=lambda row, operands: moved(numpy_function(row)(*operands)),
        ) + np.zeros(len(rows))

    with np.errstate(all="ignore"):
        computed = np.array([compute() for _ in range(4)])
        hardly_moves = np.ptp(computed, axis=0) <= MOST_MOVED * np.abs(computed).min(axis=0)
    return hardly_moves & ~has_lost_digits


Compute = Callable[[], Any]


def forms_of(
    model: DDSRRegressor, index: int, equation: Expression, X: pd.DataFrame, folder: Path
) -> dict[str, Compute]:
    """How to compute the values in each form."""
    rows = X.to_numpy()
    forms: dict[str, Compute] = {
        "predict": lambda: model.predict(X, index=index),
        "NumPy": lambda: model.to_numpy(index)(rows),
        "Python source": lambda: _by_source(model.to_python(index), rows),
        "SymPy": lambda: _by_sympy(model.sympy(index), X),
        "torch": lambda: _by_torch(model.to_torch(index), rows),
        "text": lambda: Expression.parse(equation.text(), equation.vocabulary).to_callable()(rows),
        "model file": lambda: _by_file(model, index, rows, folder),
    }
    if hasattr(model, "to_c"):
        forms["C source"] = lambda: _by_c(model.to_c(index), rows, folder)
    return forms


def _by_source(source: str, rows: np.ndarray) -> Any:
    scope: dict[str, Any] = {}
    exec(source, scope)
    return scope["equation"](*rows.T)


def _by_sympy(form: Any, X: pd.DataFrame) -> Any:
    """By lambdify, or by evalf if a name is not a Python name or hides a NumPy function from lambdify.

    Replacing such names would make SymPy evaluate the whole form again.
    """
    import sympy

    by_name = {symbol.name: symbol for symbol in form.free_symbols}
    if all(name.isidentifier() and not keyword.iskeyword(name) and not hasattr(np, name) for name in by_name):
        columns = [X[name].to_numpy() for name in by_name]
        return sympy.lambdify(list(by_name.values()), form, "numpy")(*columns)
    rows = X[list(by_name)].to_numpy().tolist()
    return [float(form.evalf(20, subs=dict(zip(by_name.values(), row, strict=True)))) for row in rows]


def _by_torch(module: Any, rows: np.ndarray) -> Any:
    import torch

    return module(torch.from_numpy(rows)).detach().numpy()


def _by_file(model: DDSRRegressor, index: int, rows: np.ndarray, folder: Path) -> Any:
    path = folder / "model.json"
    if index == 0 or not path.exists():
        model.save(path)
    return read_model(path).outcomes[0].front.entries[index].equation.to_callable()(rows)


def _by_c(source: str, rows: np.ndarray, folder: Path) -> Any:
    """Compile with the system's compiler and call row by row."""
    import ctypes
    import subprocess

    (folder / "equation.c").write_text(source)
    library = folder / "equation.so"
    command = ["cc", "-shared", "-fPIC", "-O1", "-o", str(library), str(folder / "equation.c"), "-lm"]
    subprocess.run(command, check=True, capture_output=True)
    function = ctypes.CDLL(str(library)).equation
    function.restype = ctypes.c_double
    return [function(*map(ctypes.c_double, row)) for row in rows.tolist()]
