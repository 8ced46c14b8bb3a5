"""The command `ddsr`. Commands import their modules when they run, so that `ddsr --help` is fast."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from io import TextIOWrapper

import click

from ddsr.cli.demo import demo
from ddsr.cli.failure import CommandGroup
from ddsr.cli.fit import fit
from ddsr.cli.predict import predict
from ddsr.cli.report import report
from ddsr.cli.resume import resume
from ddsr.cli.show import show

BESIDE = {"bench": "ddsr_bench", "prior": "ddsr_pretraining"}


class MainGroup(CommandGroup):
    """All commands; those of ddsr_bench and ddsr_pretraining are imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands that are installed."""
        return sorted([*self.commands, *(name for name, package in BESIDE.items() if find_spec(package))])

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command; if its package is missing, raise an error that says how to install it."""
        if name in BESIDE and not find_spec(BESIDE[name]):
            package = BESIDE[name]
            raise click.ClickException(
                f"`ddsr {name}` needs the package {package}, which is part of a complete installation: "
                "pip install --force-reinstall ddsr"
            )
        if name == "bench":
            from ddsr_bench.cli import bench

            return bench
        if name == "prior":
            from ddsr_pretraining.cli import prior

            return prior
        return super().get_command(ctx, name)


@click.group(cls=MainGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="ddsr", message="%(prog)s %(version)s")
def main() -> None:
    """Find the equation behind data: symbolic regression by evolution and masked discrete diffusion."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # an old terminal shows `?` instead of failing
            stream.reconfigure(errors="replace")


for command in (fit, show, predict, report, resume, demo):
    main.add_command(command)
