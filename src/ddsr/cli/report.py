"""`ddsr report`: write an HTML report of a run."""

from __future__ import annotations

from pathlib import Path

import click

from ddsr.cli.failure import Command
from ddsr.data.printable import printable
from ddsr.storage.folders import check_run_folder


@click.command(cls=Command, short_help="Write an HTML report of a run.")
@click.argument("run", type=click.Path())
@click.option(
    "--out",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="HTML file to write.  [default: RUN/report.html]",
)
@click.option("--title", metavar="TEXT", help="Title of the page.")
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def report(run: str, out: str | None, title: str | None, opens: bool) -> None:
    """Write an HTML report of a run: equations, front, fit and search.

    RUN is a run folder or a model.json. The page is self-contained: it needs no other file and no network. A
    model.json has no data, so its report has no section on the fit.
    """
    if Path(run).is_file():
        path = _report_of_model(run, out, title)
    else:
        check_run_folder(Path(run))
        from ddsr.runs.report import report_of_run

        path = report_of_run(run, out, title)
    click.echo(printable(str(path)))
    if opens:
        click.launch(str(path))


def _report_of_model(model: str, out: str | None, title: str | None) -> Path:
    from ddsr.cli.opening import open_model
    from ddsr.report import write_report

    opened = open_model(model)
    path = Path(model).with_suffix(".html") if out is None else Path(out)
    return write_report(opened.model, path, target=opened.target, title=title)
