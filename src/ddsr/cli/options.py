"""Options and value types that several commands share."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

from ddsr.errors import did_you_mean

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class Seconds(click.FloatRange):
    """A finite number of seconds; NaN is refused too."""

    name = "number of seconds"

    def __init__(self, min_open: bool = False) -> None:
        super().__init__(min=0, min_open=min_open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Convert text to seconds."""
        seconds: float = super().convert(value, param, ctx)
        if not seconds < float("inf"):
            self.fail(f"{value} is not a number of seconds", param, ctx)
        return seconds


class OneOf(click.Choice):  # type: ignore[type-arg]  # not generic before click 8.2
    """One of several names; an error suggests the nearest one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return one of the names."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            message = f"{error.message.removesuffix('.')}{did_you_mean(value, self.choices)}."
            raise click.BadParameter(message, ctx, param) from None


def read_numbers(ctx: click.Context, param: click.Parameter, value: str) -> tuple[float, ...]:
    """Read non-negative numbers separated by commas."""
    try:
        numbers = tuple(float(part) for part in value.split(","))
    except ValueError:
        numbers = ()
    if not numbers or not all(0 <= number < float("inf") for number in numbers):
        raise click.BadParameter(f"{value!r} must be numbers of at least 0, separated by commas", ctx, param)
    return numbers


def read_names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Read names separated by commas; a name that contains a comma is written in double quotes."""
    if not value:
        return ()
    names = tuple(name.strip() for name in next(csv.reader([value], skipinitialspace=True)))
    if not all(names):
        raise click.BadParameter(f"{value!r} has an empty name between its commas", ctx, param)
    return names


def read_operator_list(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Read operators separated by commas, which may include definitions of new ones."""
    if not value or "=" not in value:
        return read_names(ctx, param, value)
    from ddsr.expression.definitions import split_operators

    names = tuple(split_operators(value))
    if not all(names):
        raise click.BadParameter(f"{value!r} has an empty name between its commas", ctx, param)
    return names


def read_units(
    ctx: click.Context, param: click.Parameter, value: tuple[str, ...]
) -> dict[str, str] | str | None:
    """Read `name=unit` pairs separated by commas, or `names`.

    A pair whose name contains a comma is written in double quotes.
    """
    parts = [part for text in value for part in next(csv.reader([text], skipinitialspace=True), [""])]
    if [part.strip() for part in parts] == ["names"]:
        return "names"
    units: dict[str, str] = {}
    for part in parts:
        name, sign, unit = (each.strip() for each in part.rpartition("="))
        if not sign or not name:
            raise click.BadParameter(
                f"{part.strip()!r} is not a column and its unit, such as 'm=kg': write 'z=' for a number, "
                "and put the pair in double quotes if the name contains a comma",
                ctx,
                param,
            )
        if units.setdefault(name, unit) != unit:
            raise click.BadParameter(f"{name!r} has two units, {units[name]!r} and {unit!r}", ctx, param)
    return units or None


def read_costs(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, float]:
    """Read `name=nats` pairs."""
    costs: dict[str, float] = {}
    for text in value:
        name, _, cost = text.rpartition("=")
        name = name.strip()
        try:
            costs[name] = float(cost)
        except ValueError:
            costs[name] = -1.0
        if not name or not 0 <= costs[name] < float("inf"):
            raise click.BadParameter(
                f"{text!r} is not a name and its cost in nats, a number of at least 0, such as 'sin=3'",
                ctx,
                param,
            )
    return costs


tensorboard_folder: Callable[[AnyFunction], AnyFunction] = click.option(
    "--tensorboard",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Folder for TensorBoard learning curves.",
)
as_json: Callable[[AnyFunction], AnyFunction] = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as one line of JSON."
)
