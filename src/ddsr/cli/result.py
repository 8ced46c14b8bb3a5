"""The result of a fit, as a table for people and as JSON for scripts."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from ddsr.cli import template
from ddsr.data.printable import plain_console, printable

if TYPE_CHECKING:
    from rich.console import Console

    from ddsr.estimator.regressor import DDSRRegressor
    from ddsr.live.table import FrontRow

REASONS = {
    "exact": "the fit is exact",
    "max_time": "the time limit was reached",
    "max_epochs": "the maximum number of epochs was reached",
    "max_evaluations": "the maximum number of evaluations was reached",
    "stop_at": "an equation met the condition of --stop-at",
    "no_progress": "no better equation was found for a while",
    "exhausted": "every expression was tried",
    "interrupt": "interrupted",
}


def summary(model: DDSRRegressor, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of `--json`. docs/command.md documents them; keys may be added but not removed."""
    from ddsr.selection.certainty import certainty_of

    names = ("complexity", "loss", "r2", "equation", "is_best")
    equations = [
        {name: _plain(row[name]) for name in names} for row in model.equations_.to_dict(orient="records")
    ]
    outcome = model.outcomes_[0]
    certainty = certainty_of(outcome)
    return {
        "best": next(row for row in equations if row["is_best"])["equation"],
        "equations": equations,
        "probability": None if certainty is None else certainty.probability,
        "forms": [{"weight": form.weight, "equation": form.entry.equation.text()} for form in outcome.forms],
        "weight_left": outcome.weight_left,
        "stopped_by": model.stopped_by_,
        "epochs": int(model.n_epochs_),
        **checked_rules(model),
        **definitions(model),
        **template.summary(model),
        **facts,
    }


def checked_rules(model: DDSRRegressor) -> dict[str, Any]:
    """Return the rules that were checked on a grid; empty if there are none."""
    texts = model.rules_on_grid
    return {"checked_on_grid": list(texts)} if texts else {}


def definitions(model: DDSRRegressor) -> dict[str, Any]:
    """Return the user-defined operators in the equations; empty if there are none."""
    used = {own.name: own.text for entry in model.front_ for own in entry.equation.own_operators}
    return {"definitions": used} if used else {}


def print_json(content: Mapping[str, Any]) -> None:
    """Print one line of JSON to stdout; NaN and infinity become null."""
    click.echo(json.dumps({key: _plain(value) for key, value in content.items()}, allow_nan=False))


def report_result(model: DDSRRegressor, target: str, facts: Mapping[str, Any], as_json: bool) -> None:
    """Print the result as JSON or for people."""
    if as_json:
        print_json(summary(model, facts))
    else:
        print_result(model, target, facts)


def print_result(model: DDSRRegressor, target: str, facts: Mapping[str, Any]) -> None:
    """Print the front, why the search ended, and the chosen equation."""
    target, column = model.outcomes_[0].loss.named(target), target
    from rich.text import Text

    from ddsr.report.equations import rows_text
    from ddsr.selection.certainty import certainty_lines

    console = plain_console()
    rows = front_rows(model)
    _print_table(console, rows, f"equation for {target}")
    click.echo(_how_it_went(model, facts))
    if model.noise_ == "relative":
        click.echo(f"Noise is proportional to {printable(target)}: R² and loss are weighted accordingly.")
    if facts.get("outliers"):
        click.echo(f"Outliers: {rows_text(facts['outliers'])}.")
    if model.grid_note:
        click.echo(printable(model.grid_note))
    best = next(row.equation for row in rows if row.is_chosen)
    console.print(Text.assemble(f"{printable(target)} = ", (best, "bold green")), soft_wrap=True)
    for own in model.best_.equation.own_operators:
        click.echo(f"  {printable(own.text)}")
    template.print_template(model, facts)
    for line in certainty_lines(model.outcomes_, [column]):
        console.print(Text(line), soft_wrap=True)


def _how_it_went(model: DDSRRegressor, facts: Mapping[str, Any]) -> str:
    n_epochs, seconds = model.n_epochs_, facts.get("seconds")
    spent = f"{n_epochs} epoch{'s' * (n_epochs != 1)}"
    if seconds is not None:
        spent = f"{seconds:.1f} s, {spent}"
    if facts.get("is_over") is False and model.stopped_by_ == "interrupt":
        return f"So far: {spent}."
    return f"Ended after {spent}: {REASONS.get(model.stopped_by_, model.stopped_by_)}."


def _print_table(console: Console, rows: list[FrontRow], title: str) -> None:
    """Print the table; in a file or a pipe, lines are not cut and have no trailing blanks."""
    from rich.console import Console

    from ddsr.live.table import OTHER_WIDTH, front_table

    if console.is_terminal:
        console.print(front_table(rows, title, console.width))
        return
    widest = max(len(printable(title)), *(len(row.equation) for row in rows))
    wide = Console(width=OTHER_WIDTH + widest)
    with wide.capture() as captured:
        wide.print(front_table(rows, title))
    click.echo("\n".join(line.rstrip() for line in captured.get().splitlines()))


def front_rows(model: DDSRRegressor) -> list[FrontRow]:
    """Return the rows of the table, with equations rounded for people."""
    from ddsr.live.board import written
    from ddsr.live.table import FrontRow, merged

    pairs = zip(model.front_, model.equations_.itertuples(), strict=True)
    return merged(
        FrontRow(row.complexity, row.r2, row.loss, written(entry), bool(row.is_best)) for entry, row in pairs
    )


def _plain(value: Any) -> Any:
    """Convert a value to what JSON can hold."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
