"""Stands in for the demo."""

import click


def run_demo() -> None:
    """Say that the search is still to come."""
    click.echo("the search comes here")
