"""`ddsr show`: what a run found."""

from __future__ import annotations

import click

from ddsr.command.failure import Command
from ddsr.command.options import as_json as with_json
from ddsr.terminal import printable


@click.command(cls=Command, short_help="Show what a run found.")
@click.argument("run", type=click.Path())
@with_json
def show(run: str, as_json: bool) -> None:
    """Show the equations of RUN, a run folder or a model.json, and the one that is chosen.

    A run that is still going on shows the best that it has saved so far.
    """
    from ddsr.command.opening import open_model
    from ddsr.command.result import print_json, print_result, summary

    opened = open_model(run)
    facts = opened.facts()
    if as_json:
        print_json(summary(opened.model, facts))
        return
    print_result(opened.model, opened.target, facts)
    path = printable(run)
    if facts.get("is_choice_left"):
        click.echo(f"The search is over, the choice was interrupted: `ddsr resume {path}` finishes it.")
    elif facts.get("is_over") is False:
        click.echo(f"The run is not over: `ddsr resume {path}` continues it if no other process does.")
