"""Results of a fit of a template: functions, constants and goodness of fit."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ddsr.data.losses import Loss
from ddsr.data.printable import printable
from ddsr.errors import DataError, TemplateError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

    from ddsr.cli.reading import TrainingData
    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.expression.template import Template


def option(template: str | None, formula: str | None) -> str | None:
    """Return the template that the options give."""
    if template is not None and formula is not None:
        raise click.UsageError("--template and --formula cannot be combined: a formula is a whole template")
    return template if formula is None else formula


def check_formula(template: Template) -> None:
    """Refuse a `--formula` that needs a search."""
    if template.functions:
        function = template.functions[0]
        raise TemplateError(
            f"formula {template.text!r} has the unknown function {function}. "
            "Pass it with --template to search for it."
        )


def describe_constants(template: Template, columns: Sequence[str], others: Collection[str] = ()) -> str:
    """Return a line that lists the constants, so that a mistyped column is noticed among them.

    `others` are columns of the file that are not inputs: no constant may have such a name.
    """
    for hole in template.constants:
        if hole.name in others:
            raise TemplateError(
                f"template {template.text!r}: {hole.name!r} is a column of the file, but not an input. Give "
                "the constant another name, or name the column in --features"
            )
    unused = [column for column in columns if column not in template.columns]
    names = [printable(f"{hole.name}{did_you_mean(hole.name, unused)}") for hole in template.constants]
    return f"constants to fit: {', '.join(names)}" if names else "constants to fit: none"


def goodness(model: DDSRRegressor, table: pd.DataFrame, data: TrainingData) -> dict[str, Any]:
    """Return χ², the weighted sum of squared residuals, and its degrees of freedom.

    For other losses than squares there is nothing to return.
    """
    import numpy as np

    if not Loss.of(model.loss).is_squared:
        return {}
    weights = np.ones(len(data.y)) if data.weights is None else data.weights
    if data.y_err is not None:
        weights = data.y_err**-2.0
    counts = np.ones(len(data.y)) if data.counts is None else data.counts
    residuals = model.predict(table) - data.y
    is_counted = weights * counts > 0.0
    free = model.best_.is_free
    n_free = model.best_.equation.n_constants if free is None else sum(free)
    n_rows = int(counts[is_counted].sum())
    squares = (weights * counts)[is_counted] * residuals[is_counted] ** 2
    return {"chi2": float(squares.sum()), "degrees_of_freedom": n_rows - n_free}


def summary(model: DDSRRegressor) -> dict[str, Any]:
    """Return the keys of `--json` for a template; empty without a template."""
    if model.template is None:
        return {}
    rows = _intervals(model)
    constants = [] if rows is None else rows.reset_index().to_dict("records")
    return {"constants": constants, "functions": _functions(model, None)}


def print_template(model: DDSRRegressor, facts: Mapping[str, Any]) -> None:
    """Print the functions and constants that were found, and how well the formula fits."""
    if model.template is None:
        return
    from ddsr.expression.printing import SHORT_PRECISION

    for function, equation in _functions(model, SHORT_PRECISION).items():
        click.echo(f"  {printable(function)} = {printable(equation)}")
    _print_constants(_intervals(model))
    r2 = 1.0 - model.best_.nrmse**2
    if "chi2" not in facts:
        click.echo(f"R² = {r2:.6g}")
    else:
        chi2, n_degrees = facts["chi2"], facts["degrees_of_freedom"]
        reduced = f", {chi2 / n_degrees:.4g} per degree of freedom ({n_degrees})" if n_degrees > 0 else ""
        click.echo(f"χ² = {chi2:.6g}{reduced}; R² = {r2:.6g}")


def _functions(model: DDSRRegressor, precision: int | None) -> dict[str, str]:
    return {name: part.text(precision) for name, part in model.best_.equation.functions.items()}


def _intervals(model: DDSRRegressor) -> pd.DataFrame | None:
    """Return the table of the constants, or None if the fit was cut short before it measured them."""
    try:
        table: pd.DataFrame = model.confidence_intervals()
    except DataError:
        return None
    return table


def _print_constants(table: pd.DataFrame | None) -> None:
    if table is None or not len(table):
        return
    names = [printable(str(name)) for name in table.index]
    width = max(map(len, names))
    for name, row in zip(names, table.to_dict("records"), strict=True):
        error = "fixed" if row["is_exact"] else f"± {row['standard_error']:.2g}"
        unit = printable(f" {row['unit']}") if row.get("unit") else ""
        click.echo(f"  {name.ljust(width)} = {row['value']:.6g} {error}{unit}")
