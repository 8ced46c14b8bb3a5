"""What a fit found, as a table for people and as JSON for scripts."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.table import Table

    from ddsr.estimator import DDSRRegressor

DIGITS = 4
REASONS = {
    "exact": "the fit is exact",
    "max_time": "the time was up",
    "max_epochs": "all epochs were done",
    "max_evaluations": "all evaluations were done",
    "no_progress": "nothing better was found for long",
    "exhausted": "everything was tried",
    "interrupt": "interrupted",
}


def summary(model: DDSRRegressor, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of `--json`, documented in docs/command.md: they stay, others may join them."""
    names = ("complexity", "loss", "r2", "equation", "is_best")
    equations = [
        {name: _plain(row[name]) for name in names} for row in model.equations_.to_dict(orient="records")
    ]
    return {
        "best": next(row for row in equations if row["is_best"])["equation"],
        "equations": equations,
        "stopped_by": model.stopped_by_,
        "epochs": int(model.n_epochs_),
        **facts,
    }


def print_json(content: Mapping[str, Any]) -> None:
    """One line on stdout; NaN and infinity, which JSON has not, as null."""
    click.echo(json.dumps({key: _plain(value) for key, value in content.items()}, allow_nan=False))


def print_result(model: DDSRRegressor, target: str, facts: Mapping[str, Any]) -> None:
    """The front with its choice, why the search ended, and the chosen equation."""
    from rich.console import Console
    from rich.text import Text

    console = Console(soft_wrap=True) if not _is_terminal() else Console()
    console.print(equations_table(model, target))
    seconds = facts.get("seconds")
    after = "" if seconds is None else f" after {seconds:.1f} s"
    reason = REASONS.get(model.stopped_by_, model.stopped_by_)
    console.print(Text(f"Ended{after}, {model.n_epochs_} epochs: {reason}."), soft_wrap=True)
    best = Text.assemble(f"{target} = ", (model.best_.equation.text(precision=DIGITS), "bold green"))
    console.print(best, soft_wrap=True)


def equations_table(model: DDSRRegressor, target: str) -> Table:
    """The front; an arrow marks the choice."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("size", justify="right")
    table.add_column("R²", justify="right")
    table.add_column("loss", justify="right")
    table.add_column(f"equation for {target}", no_wrap=True, overflow="ellipsis")
    rows = zip(model.front_, model.equations_.itertuples(), strict=True)
    for entry, row in rows:
        equation = Text(entry.equation.text(precision=DIGITS))
        figures = (str(row.complexity), f"{row.r2:.6f}", f"{row.loss:.4g}")
        style = "bold green" if row.is_best else ""
        table.add_row("→" if row.is_best else "", *figures, equation, style=style)
    return table


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _plain(value: Any) -> Any:
    """As JSON can hold it."""
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
