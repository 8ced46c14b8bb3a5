"""The commands `ddsr prior …`; each imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ddsr.command.failure import CommandGroup
from ddsr.command.options import read_numbers
from ddsr.files import parse_json
from ddsr.terminal import plain_console, printable, printable_lines


def read_setting(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """NAME=VALUE, the values as in JSON."""
    settings: dict[str, Any] = {}
    for value in values:
        name, is_given, text = value.partition("=")
        try:
            if not is_given:
                raise ValueError
            settings[name] = parse_json(text)
        except ValueError:
            raise click.BadParameter(f"{value!r} does not read NAME=NUMBER", ctx, param) from None
    return settings


def refuse_given(name: str, reason: str) -> None:
    """End with the reason if the user gave an option that would be ignored."""
    ctx = click.get_current_context()
    if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
        raise click.UsageError(reason, ctx)


def usable_device(name: str) -> str:
    """The device of a name like `cpu`, `cuda` or `cuda:1`; what torch cannot compute on is refused."""
    import torch

    from ddsr.device import check_device, find_device
    from ddsr.errors import MethodError

    check_device(name.partition(":")[0])
    try:
        device = find_device(name)
        torch.zeros(1, device=device)
    except RuntimeError as error:
        reason = str(error).partition("\n")[0]
        raise MethodError(
            f"torch cannot use the device {name!r} ({reason}): use cpu, or a GPU of this machine"
        ) from error
    return str(device)


@click.group(cls=CommandGroup)
def prior() -> None:
    """Train, measure and pack the prior: a diffusion that has seen the data."""


@prior.command("train")
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="Folder of the training."
)
@click.option("--resume", "is_resumed", is_flag=True, help="Go on with what the folder holds.")
@click.option(
    "--from",
    "origin",
    metavar="WEIGHTS",
    help="Start from a .safetensors, or `default`, with its sizes, recipe and the next seed.",
)
@click.option("--seconds", type=click.FloatRange(0, min_open=True), help="Length of this piece.")
@click.option("--steps", type=click.IntRange(1), help="The same in batches.")
@click.option("--anneal", is_flag=True, help="Let the learning rate fall over this piece.")
@click.option(
    "--final-share",
    type=click.FloatRange(0, 1),
    default=0.0,
    show_default=True,
    help="With --anneal: of the learning rate, at the end of the piece.",
)
@click.option("--device", default="cpu", show_default=True, help="Where it learns: cpu, cuda or auto.")
@click.option("--threads", type=click.IntRange(1), help="That make examples; by default all cores but two.")
@click.option("--compile", "is_compiled", is_flag=True, help="Compile the layers (takes a minute at first).")
@click.option("--graphs", "is_captured", is_flag=True, help="Take steps by CUDA graphs: on a GPU, faster.")
@click.option("--save-every", type=click.FloatRange(1), default=120.0, show_default=True, help="Seconds.")
@click.option(
    "--set", "settings", multiple=True, callback=read_setting, metavar="NAME=VALUE", help="Of the training."
)
def prior_train(
    seconds: float | None, steps: int | None, anneal: bool, final_share: float, device: str, **rest: Any
) -> None:
    """Train on examples that are made meanwhile; in pieces, each of which goes on where the last ended."""
    from ddsr.prior.command import train
    from ddsr.prior.training import Piece

    if not anneal:
        refuse_given("final_share", "--final-share says where --anneal ends: give both, or neither")
    piece = Piece(steps, seconds, final_share if anneal else None)
    train(plain_console(), piece=piece, device=usable_device(device), **rest)


@prior.command("export")
@click.argument("source")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), required=True, help="A .safetensors.")
@click.option(
    "--scores",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="What `ddsr prior evaluate` wrote, for the card; may be given several times.",
)
def prior_export(source: str, out: Path, scores: tuple[Path, ...]) -> None:
    """Write weights and, beside them, their card.

    SOURCE is the folder of a training, or weights (a file, or `default`) whose card gets more scores.
    """
    from ddsr.prior.command import export
    from ddsr.prior.scores import read_scores

    measured = [read_scores(path) for path in scores]
    card = export(source, out, measured)
    for each in measured:
        if each.checksum is None:
            untold = f"{each.path} does not tell which weights it is of: taken as it is"
            click.echo(printable(untold), err=True)
    click.echo(printable(f"{out}: {card.steps} steps, {card.hours:.2f} hours, {len(card.scores)} scores"))


@prior.command("evaluate")
@click.argument("weights")
@click.option("--suite", default="ground-truth", show_default=True, help="A suite of bench, or held-out.")
@click.option("--samples", type=click.IntRange(1), default=2000, show_default=True, help="Of each problem.")
@click.option(
    "--noise",
    "noises",
    callback=read_numbers,
    default="0",
    show_default=True,
    help="Of the RMS; held-out examples have theirs.",
)
@click.option("-n", "n", type=click.IntRange(1), help="So many problems; of held-out ones 200.")
@click.option(
    "--tokens-per-step",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Drawn at once; 0: one, and no expression twice.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="With --tokens-per-step.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the samples.")
@click.option("--device", default="cpu", show_default=True, help="Where it runs: cpu, cuda or auto.")
@click.option("--threads", type=click.IntRange(1), default=1, show_default=True, help="Of the engine.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@click.option("--data", type=click.Path(file_okay=False), default=None, help="pmlb's cache folder.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A .json with everything.")
def prior_evaluate(
    weights: str,
    suite: str,
    noises: tuple[float, ...],
    n: int | None,
    data: str | None,
    jobs: int,
    out: Path | None,
    samples: int,
    threads: int,
    device: str,
    **drawing: Any,
) -> None:
    """Count the problems whose equation WEIGHTS (a file, or `default`) proposes: nothing is searched."""
    from ddsr.bench.evaluation import HELD_OUT, run_evaluation
    from ddsr.bench.zero_shot import Sampling

    if suite == HELD_OUT:
        refuse_given("noises", "held-out examples have the noise of their recipe: leave out --noise")
    if not drawing["tokens_per_step"]:
        refuse_given("temperature", "--temperature needs --tokens-per-step: distinct draws have none")
    sampling = Sampling(n=samples, n_threads=threads, device=usable_device(device), **drawing)
    run_evaluation(plain_console(), weights, suite, noises, sampling, n=n, data=data, jobs=jobs, out=out)


@prior.command("scaling")
@click.argument("scores", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A figure: .svg, .png or .pdf.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the intervals.")
def prior_scaling(scores: tuple[Path, ...], out: Path | None, seed: int) -> None:
    """Hold the SCORES of several priors (`evaluate --out`) against their training, and extend the line."""
    from ddsr.bench.scaling import check_alike, find_gains, gain_lines, read_scores, table_lines
    from ddsr.bench.scaling_figure import draw_scaling, save_figure

    scored = [read_scores(path) for path in scores]
    check_alike(scored)
    click.echo(printable_lines("\n".join([*table_lines(scored), "", *gain_lines(find_gains(scored, seed))])))
    if out is not None:
        save_figure(draw_scaling(scored), out)
        click.echo(printable(f"wrote {out}"))
