"""Implementation of `ddsr prior train` and `ddsr prior export`."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from rich.console import Console
from rich.text import Text

from ddsr.data.printable import printable
from ddsr.errors import DataError, MethodError
from ddsr.generators.prior.tensor_file import CHECKSUM, read_tensors
from ddsr.generators.prior.weights import DEFAULT, Card, PriorFile, find_weights, load_weights
from ddsr_pretraining.batches import MakeExamples
from ddsr_pretraining.checkpoint import STATE, load_checkpoint, save_checkpoint
from ddsr_pretraining.config import read_settings, settings_from
from ddsr_pretraining.examples import ExampleMaker, ExampleOptions
from ddsr_pretraining.scores import ScoreFile, merge_scores
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

    On an interrupt or SIGTERM, the stage ends after the current step and is saved.
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
    with _signals_call(trainer.stop):
        for report in trainer.run(stage):
            with (out / CURVE).open("a") as file:
                file.write(json.dumps(asdict(report)) + "\n")
            console.print(_line(report), highlight=False, soft_wrap=True, markup=False)
            if time.monotonic() - saved > save_every:
                save_checkpoint(out, trainer.checkpoint())
                saved = time.monotonic()
        save_checkpoint(out, trainer.checkpoint())
    console.print(Text(printable(f"saved in {out}")), soft_wrap=True)


@contextmanager
def _signals_call(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first SIGINT or SIGTERM; a second one has its usual effect."""
    if threading.current_thread() is not threading.main_thread():  # other threads cannot set handlers
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
    if origin is None:
        network, training, recipe = read_settings(settings)
        make = example_source(recipe, training.seed, n_threads)
        trainer = Trainer(network, training, make, asdict(recipe), device)
    else:
        path = find_weights(origin)
        trained, card = load_weights(path)
        network, training, recipe = settings_from(card, settings)
        make = example_source(recipe, training.seed, n_threads)
        trainer = Trainer(network, training, make, asdict(recipe), device)
        trainer.start_from(trained, _origin_of(path, card))
    out.mkdir(parents=True, exist_ok=True)
    return trainer


def _origin_of(path: Path, card: Card) -> dict[str, Any]:
    """Return the description of weights for the card of a training that starts from them."""
    _, texts = read_tensors(path, with_checksum=True)
    return {
        "file": path.name,
        "sha256": texts[CHECKSUM],
        "examples": card.n_examples,
        "hours": card.all_hours,
    }


def example_source(recipe: ExampleOptions, seed: int, n_threads: int) -> MakeExamples:
    """Return a function that makes examples by index."""
    maker = ExampleMaker(recipe, seed)
    return lambda first_index, n: maker.make(n, n_threads, first_index)


def _line(report: Report) -> str:
    held_out = "" if report.held_out_loss is None else f", held out {report.held_out_loss:.4f}"
    return (
        f"step {report.step}: loss {report.loss:.4f}{held_out}, gradient {report.gradient:.2f}, "
        f"rate {report.learning_rate:.2e}, {report.examples_per_second:,.0f} examples/s, "
        f"{report.seconds:.0f} s"
    )


def export(source: str, out: Path, scores: Sequence[ScoreFile] = ()) -> Card:
    """Write the weights of a training, or copy a file of weights, with more scores in the card.

    A file keeps its scores, except those that `scores` replaces.
    """
    if Path(source).is_dir():
        found = load_checkpoint(Path(source)).to_prior()
    elif source == DEFAULT or Path(source).is_file():
        found = PriorFile.read(find_weights(source))
    else:
        raise DataError(f"{source} is neither the folder of a training run nor a file of weights")
    added = merge_scores(scores, found.checksum_unscored)
    return found.with_scores({**found.card.scores, **added}).save(out)
