"""`ddsr show`: show the equations of a run."""

from __future__ import annotations

import click

from ddsr.cli.failure import Command
from ddsr.cli.options import as_json as with_json
from ddsr.data.printable import printable


@click.command(cls=Command, short_help="Show the equations of a run.")
@click.argument("run", type=click.Path())
@with_json
def show(run: str, as_json: bool) -> None:
    """Show the equations of a run, and which one is chosen.

    RUN is a run folder or a model.json. For a run in progress, the last saved equations are shown.
    """
    from ddsr.cli.opening import open_model

    opened = open_model(run)
    from ddsr.cli.result import report_result  # not needed if there is no run

    facts = opened.facts()
    report_result(opened.model, opened.target, facts, as_json)
    if as_json:
        return
    command = f"`ddsr resume {printable(run)}`"
    if facts.get("is_choice_left"):
        click.echo(f"The search has finished, but its choice was interrupted. To choose: {command}.")
    elif facts.get("is_over") is False:
        click.echo(f"The run has not finished. To continue it, if no other process does: {command}.")
