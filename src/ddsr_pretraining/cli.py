"""The commands `ddsr prior …`. Each imports its modules when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ddsr.cli.failure import CommandGroup
from ddsr.cli.options import read_numbers
from ddsr.data.printable import plain_console, printable, printable_lines
from ddsr.storage.files import parse_json

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)


def read_setting(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """Read NAME=VALUE pairs, with values as in JSON."""
    settings: dict[str, Any] = {}
    for value in values:
        name, is_given, text = value.partition("=")
        try:
            if not is_given:
                raise ValueError
            settings[name] = parse_json(text)
        except ValueError:
            raise click.BadParameter(f"{value!r} must have the form NAME=NUMBER", ctx, param) from None
    return settings


def refuse_given(name: str, reason: str) -> None:
    """Raise a usage error if the user gave an option that would be ignored."""
    ctx = click.get_current_context()
    if ctx.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
        raise click.UsageError(reason, ctx)


def usable_device(name: str) -> str:
    """Return the device of a name such as `cpu`, `cuda` or `cuda:1`; refuse one that torch cannot use."""
    import torch

    from ddsr.errors import MethodError
    from ddsr.generators.device import check_device, find_device

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
    """Train, evaluate and export pretrained generators."""


@prior.command("train")
@click.option("--out", type=FOLDER, metavar="FOLDER", required=True, help="Folder for the training run.")
@click.option("--resume", "is_resumed", is_flag=True, help="Resume the training run in the folder.")
@click.option(
    "--from",
    "origin",
    metavar="WEIGHTS",
    help="Weights to start from, with their sizes and recipe: a .safetensors file or `default`.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0, min_open=True),
    metavar="SECONDS",
    help="Duration of this stage, in seconds.",
)
@click.option("--steps", type=click.IntRange(1), metavar="N", help="Duration of this stage, in batches.")
@click.option("--anneal", is_flag=True, help="Decrease the learning rate linearly over this stage.")
@click.option(
    "--final-share",
    type=click.FloatRange(0, 1),
    metavar="FRACTION",
    default=0.0,
    help="Fraction of the learning rate at the end of the stage, with --anneal.",
)
@click.option("--device", metavar="NAME", default="cpu", help="Device for training: cpu, cuda or auto.")
@click.option(
    "--threads",
    type=click.IntRange(1),
    metavar="N",
    help="Number of threads that make examples.  [default: all cores but two]",
)
@click.option(
    "--compile", "is_compiled", is_flag=True, help="Compile the layers, which takes about a minute."
)
@click.option(
    "--graphs", "is_captured", is_flag=True, help="Use CUDA graphs, which make steps on a GPU faster."
)
@click.option(
    "--save-every",
    type=click.FloatRange(1),
    metavar="SECONDS",
    default=120.0,
    help="Time between two checkpoints.",
)
@click.option(
    "--set",
    "settings",
    multiple=True,
    callback=read_setting,
    metavar="NAME=VALUE",
    help="Setting of the network, the training or the examples. Can be repeated.",
)
def prior_train(
    seconds: float | None, steps: int | None, anneal: bool, final_share: float, device: str, **rest: Any
) -> None:
    """Train a prior on generated examples.

    Training consists of stages, each of which resumes where the last one ended (--resume). --seconds or
    --steps sets the duration of a stage.
    """
    from ddsr_pretraining.command import train
    from ddsr_pretraining.training import Stage

    if not anneal:
        refuse_given("final_share", "--final-share has no effect without --anneal: pass both or neither")
    stage = Stage(steps, seconds, final_share if anneal else None)
    train(plain_console(), stage=stage, device=usable_device(device), **rest)


@prior.command("export")
@click.argument("source")
@click.option("--out", type=FILE, metavar="FILE", required=True, help="File to write: .safetensors.")
@click.option(
    "--scores",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of scores from `ddsr prior evaluate --out` to add to the card. Can be repeated.",
)
def prior_export(source: str, out: Path, scores: tuple[Path, ...]) -> None:
    """Write a file of weights and its model card.

    SOURCE is the folder of a training run. It can also be a file of weights, or `default`, to add scores to
    its model card.
    """
    from ddsr_pretraining.command import export
    from ddsr_pretraining.scores import read_scores

    measured = [read_scores(path) for path in scores]
    card = export(source, out, measured)
    for each in measured:
        if each.checksum is None:
            warning = f"{each.path} does not say which weights it belongs to: added unchecked"
            click.echo(printable(warning), err=True)
    click.echo(printable(f"{out}: {card.steps} steps, {card.hours:.2f} hours, {len(card.scores)} scores"))


@prior.command("evaluate")
@click.argument("weights")
@click.option(
    "--suite",
    metavar="NAME",
    default="ground-truth",
    help="Suite of `ddsr bench`, or held-out for generated examples.",
)
@click.option(
    "--samples", type=click.IntRange(1), metavar="N", default=2000, help="Number of samples per problem."
)
@click.option(
    "--noise",
    "noises",
    callback=read_numbers,
    metavar="LEVEL,…",
    default="0",
    help="Noise levels as fractions of the target's RMS. Not for held-out.",
)
@click.option(
    "-n",
    "n",
    type=click.IntRange(1),
    metavar="N",
    help="Number of problems.  [default: all; 200 for held-out]",
)
@click.option(
    "--tokens-per-step",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    help="Number of tokens to draw per step; 0: one per step, and only distinct expressions.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(0, min_open=True),
    metavar="T",
    default=1.0,
    help="Sampling temperature, with --tokens-per-step.",
)
@click.option("--seed", type=click.IntRange(0), metavar="N", default=0, help="Random seed of the samples.")
@click.option("--device", metavar="NAME", default="cpu", help="Device for the network: cpu, cuda or auto.")
@click.option(
    "--threads", type=click.IntRange(1), metavar="N", default=1, help="Number of threads of the engine."
)
@click.option("--jobs", type=click.IntRange(1), metavar="N", default=1, help="Number of processes.")
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="Folder where the package pmlb caches its data sets.",
)
@click.option("--out", type=FILE, metavar="FILE", help="JSON file to write with all results.")
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
    """Measure how many problems a prior solves without a search.

    WEIGHTS is a file or `default`, the prior of the package.
    """
    from ddsr_pretraining.evaluation import HELD_OUT, run_evaluation
    from ddsr_pretraining.zero_shot import Sampling

    if suite == HELD_OUT:
        refuse_given(
            "noises",
            "--noise has no effect on held-out examples, which have the noise of their recipe: leave it out",
        )
    if not drawing["tokens_per_step"]:
        refuse_given(
            "temperature",
            "--temperature has no effect without --tokens-per-step: distinct draws have no temperature",
        )
    sampling = Sampling(n=samples, n_threads=threads, device=usable_device(device), **drawing)
    run_evaluation(plain_console(), weights, suite, noises, sampling, n=n, data=data, jobs=jobs, out=out)


@prior.command("scaling")
@click.argument("scores", nargs=-1, required=True, type=FILE)
@click.option("--out", type=FILE, metavar="FILE", help="Figure to write: .svg, .png or .pdf.")
@click.option("--seed", type=click.IntRange(0), metavar="N", default=0, help="Random seed of the intervals.")
def prior_scaling(scores: tuple[Path, ...], out: Path | None, seed: int) -> None:
    """Compare priors by their amount of training, and extrapolate.

    SCORES are files written by `ddsr prior evaluate --out`, one per prior.
    """
    from ddsr_pretraining.scaling import check_alike, find_gains, gain_lines, read_scored, table_lines
    from ddsr_pretraining.scaling_figure import draw_scaling, save_figure

    scored = [read_scored(path) for path in scores]
    check_alike(scored)
    click.echo(printable_lines("\n".join([*table_lines(scored), "", *gain_lines(find_gains(scored, seed))])))
    if out is not None:
        save_figure(draw_scaling(scored), out)
        click.echo(printable(f"wrote {out}"))
