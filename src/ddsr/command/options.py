"""What several commands take on the command line."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])


class Seconds(click.FloatRange):
    """A time to search for; NaN, which no clock reaches, is refused too."""

    def __init__(self, min_open: bool = False) -> None:
        super().__init__(min=0, min_open=min_open)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """From text, with a message that names it."""
        seconds: float = super().convert(value, param, ctx)
        if not seconds < float("inf"):
            self.fail(f"{value} is no number of seconds", param, ctx)
        return seconds


def read_numbers(ctx: click.Context, param: click.Parameter, value: str) -> tuple[float, ...]:
    """Numbers from 0 on, separated by commas."""
    try:
        numbers = tuple(float(part) for part in value.split(","))
    except ValueError:
        numbers = ()
    if not numbers or not all(0 <= number < float("inf") for number in numbers):
        raise click.BadParameter(f"{value!r} is not numbers from 0 on, separated by commas", ctx, param)
    return numbers


def read_names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Names, separated by commas; one that has a comma in it stands in double quotes."""
    if not value:
        return ()
    names = tuple(name.strip() for name in next(csv.reader([value], skipinitialspace=True)))
    if not all(names):
        raise click.BadParameter(f"{value!r} has an empty name between its commas", ctx, param)
    return names


def read_all_names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """The same of an option that may be given several times: all that it names, each once."""
    return tuple(dict.fromkeys(name for value in values for name in _some_names(ctx, param, value)))


def _some_names(ctx: click.Context, param: click.Parameter, value: str) -> tuple[str, ...]:
    names = read_names(ctx, param, value)
    if not names:
        raise click.BadParameter("nothing is named", ctx, param)
    return names


def read_all_numbers(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[float, ...]:
    """Numbers of an option that may be given several times, each once."""
    return tuple(dict.fromkeys(number for value in values for number in read_numbers(ctx, param, value)))


tensorboard_folder: Callable[[AnyFunction], AnyFunction] = click.option(
    "--tensorboard", type=click.Path(file_okay=False), metavar="FOLDER", help="Of learning curves for it."
)
as_json: Callable[[AnyFunction], AnyFunction] = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON on one line, for scripts."
)
