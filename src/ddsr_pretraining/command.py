"""Implementation of `ddsr prior train` and `ddsr prior export`."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.text import Text

from ddsr.data.printable import printable
from ddsr.errors import DataError, MethodError
from ddsr.generators.prior.config import NetworkConfig, TrainingConfig
from ddsr.generators.prior.weights import DEFAULT, Card, PriorFile, find_weights, load_weights, origin_of
from ddsr_pretraining.batches import MakeExamples
from ddsr_pretraining.checkpoint import STATE, load_checkpoint, save_checkpoint
from ddsr_pretraining.examples import ExampleMaker, ExampleOptions
from ddsr_pretraining.export import prior_of_checkpoint
from ddsr_pretraining.scores import ScoreFile, scores_together
from ddsr_pretraining.training import Report, Stage, Trainer

CURVE = "curve.jsonl"


def train(
    console: Console,
    out: Path,
    *,
    stage: Stage,
    is_resumed: bool,
    origin: str | None,
    device: str,
    threads: int | None,
    is_compiled: bool,
    is_captured: bool,
    save_every: float,
    settings: Mapping[str, Any],
) -> None:
    """Train for one stage, save every `save_every` seconds and at the end, and log the progress.

    On an interrupt or SIGTERM, the stage ends after its present step and is saved.
    """
    import torch

    if stage.steps is None and stage.seconds is None:
        raise MethodError("training needs a limit: pass --seconds or --steps")
    n_threads = threads or max(1, (os.cpu_count() or 2) - 2)
    trainer = _trainer(out, is_resumed, origin, torch.device(device), n_threads, settings)
    torch.set_float32_matmul_precision("high")
    if is_compiled:
        trainer.compile()
    if is_captured:
        trainer.capture()
    console.print(
        f"{trainer.network.n_parameters:,} parameters, step {trainer.progress.step}, training on {device}, "
        f"{n_threads} threads make examples",
        highlight=False,
        markup=False,
    )
    saved = time.monotonic()
    with _ended_by_signals(trainer.stop):
        for report in trainer.run(stage):
            _note(out / CURVE, report)
            console.print(_line(report), highlight=False, soft_wrap=True, markup=False)
            if time.monotonic() - saved > save_every:
                save_checkpoint(out, trainer.checkpoint())
                saved = time.monotonic()
        save_checkpoint(out, trainer.checkpoint())
    console.print(Text(printable(f"saved in {out}")), soft_wrap=True)


@contextmanager
def _ended_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """A first SIGINT or SIGTERM asks for an end; a second one is what it always is."""
    if threading.current_thread() is not threading.main_thread():  # elsewhere no handler can be set
        yield
        return
    former = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def ask(number: int, frame: FrameType | None) -> None:
        signal.signal(number, former[signal.Signals(number)])
        stop()

    try:
        for number in former:
            signal.signal(number, ask)
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def _trainer(
    out: Path, is_resumed: bool, origin: str | None, device: Any, n_threads: int, settings: Mapping[str, Any]
) -> Trainer:
    if (out / STATE).exists():
        if not is_resumed:
            raise DataError(
                f"{out} already contains a training run: pass --resume to continue it, or use another --out"
            )
        given = [*settings, *(["--from"] if origin else [])]
        if given:
            raise MethodError(f"a resumed training run keeps its settings: leave out {', '.join(given)}")
        checkpoint = load_checkpoint(out)
        recipe = ExampleOptions(**checkpoint.recipe)
        make = example_source(recipe, checkpoint.training.seed, n_threads)
        return Trainer.resumed(checkpoint, make, device)
    if is_resumed:
        raise DataError(
            f"{out} has no training run to resume: leave out --resume to begin one, or correct --out"
        )
    if origin is not None:
        trainer = _trainer_from(find_weights(origin), device, n_threads, settings)
    else:
        network, training, recipe = read_settings(settings)
        make = example_source(recipe, training.seed, n_threads)
        trainer = Trainer(network, training, make, asdict(recipe), device)
    out.mkdir(parents=True, exist_ok=True)
    return trainer


def _trainer_from(path: Path, device: Any, n_threads: int, settings: Mapping[str, Any]) -> Trainer:
    """Weights, with an optimizer that knows nothing of them yet."""
    trained, card = load_weights(path)
    network, training, recipe = settings_from(card, settings)
    trained.config = network
    make = example_source(recipe, training.seed, n_threads)
    return Trainer.started_from(trained, origin_of(path, card), training, make, asdict(recipe), device)


def settings_from(
    card: Card, settings: Mapping[str, Any]
) -> tuple[NetworkConfig, TrainingConfig, ExampleOptions]:
    """Settings of a training that starts from weights: sizes and recipe are theirs, where none are given.

    The seed is the next one, so that no example is seen again; of the sizes only `look_rows` may differ.
    """
    sizes = asdict(card.network)
    for name in (set(sizes) - {"look_rows"}) & set(settings):
        if settings[name] != sizes[name]:
            raise MethodError(
                f"the weights have {name}={sizes[name]}: leave out {name}, or train without --from"
            )
    known = {each.name for each in fields(ExampleOptions)} - {*sizes, "n_rows"}
    recipe = {name: value for name, value in card.recipe.items() if name in known}
    seed = int(card.training.get("seed", 0)) + 1
    operators = tuple(sizes.pop("operators"))
    given = {"seed": seed, **recipe, **sizes, **settings}
    network, training, options = read_settings(given)
    return replace(network, operators=operators), training, replace(options, operators=operators)


def example_source(recipe: ExampleOptions, seed: int, n_threads: int) -> MakeExamples:
    """The core's examples, by index."""
    maker = ExampleMaker(recipe, seed)
    return lambda first_index, n: maker.make(n, n_threads, first_index)


def read_settings(settings: Mapping[str, Any]) -> tuple[NetworkConfig, TrainingConfig, ExampleOptions]:
    """Settings by name, whichever of the three they belong to; the recipe has the network's limits."""
    kinds: tuple[type[Any], ...] = (NetworkConfig, TrainingConfig, ExampleOptions)
    names = [{each.name for each in fields(kind)} for kind in kinds]
    known = sorted(set.union(*names) - {"operators", "n_rows"})
    for name, value in settings.items():
        if name == "n_rows":
            raise MethodError("n_rows is set by the network: use look_rows instead")
        if name not in known:
            raise MethodError(f"unknown setting {name!r}; known are: {', '.join(known)}")
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise MethodError(f"{name} must be a number, got {value!r}")
    network, training, recipe = (
        kind(**{name: value for name, value in settings.items() if name in mine})
        for kind, mine in zip(kinds, names, strict=True)
    )
    limits = {
        "max_variables": min(recipe.max_variables, network.max_variables),
        "max_length": network.max_length,
        "n_rows": network.look_rows,
    }
    return network, training, replace(recipe, **limits)


def _note(path: Path, report: Report) -> None:
    with path.open("a") as file:
        file.write(json.dumps(asdict(report)) + "\n")


def _line(report: Report) -> str:
    held_out = "" if report.held_out_loss is None else f", held out {report.held_out_loss:.4f}"
    return (
        f"step {report.step}: loss {report.loss:.4f}{held_out}, gradient {report.gradient:.2f}, "
        f"rate {report.learning_rate:.2e}, {report.examples_per_second:,.0f} examples/s, "
        f"{report.seconds:.0f} s"
    )


def export(source: str, out: Path, scores: Sequence[ScoreFile] = ()) -> Card:
    """Write the weights of a training, or those of a file once more, with more scores in the card.

    A file keeps the scores that it has, but for those that were measured again.
    """
    if Path(source).is_dir():
        found = prior_of_checkpoint(load_checkpoint(Path(source)))
    elif source == DEFAULT or Path(source).is_file():
        found = PriorFile.read(find_weights(source))
    else:
        raise DataError(f"{source} is neither the folder of a training run nor a file of weights")
    added = scores_together(scores, found.checksum_unscored)
    return found.with_scores({**found.card.scores, **added}).save(out)
