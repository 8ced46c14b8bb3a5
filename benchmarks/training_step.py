"""How fast the prior learns without waiting for examples: `python -m benchmarks.training_step --device cuda`.

Every way of taking a step starts from the same weights and runs twice over the same batches: the first pass
compiles or captures, the second is timed. Equal losses show that all ways compute the same.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from typing import Any

import torch

from benchmarks.hardware import describe_run
from ddsr_pretraining.batches import DataBatch, batches_of_chunk
from ddsr_pretraining.command import example_source
from ddsr_pretraining.config import read_settings
from ddsr_pretraining.training import Trainer

WAYS = {
    "plain": (False, False),
    "graphs": (False, True),
    "compiled": (True, False),
    "compiled-graphs": (True, True),
}
"""whether it is compiled, whether it is captured"""


def take_steps(trainer: Trainer, batches: list[DataBatch]) -> tuple[float, float]:
    """Return seconds and mean loss."""
    losses = []
    began = time.perf_counter()
    for batch in batches:
        loss, _ = trainer.step(batch.to(trainer.device))
        trainer.progress = replace(trainer.progress, step=trainer.progress.step + 1)
        losses.append(loss)
    mean = float(torch.stack(losses).mean())  # waits for the device
    return time.perf_counter() - began, mean


def measure(way: str, settings: dict[str, Any], device: torch.device, batches: list[DataBatch]) -> None:
    """Measure and print one way."""
    network, training, recipe = read_settings(settings)
    trainer = Trainer(network, training, example_source(recipe, training.seed, 1), {}, device)
    is_compiled, is_captured = WAYS[way]
    if is_compiled:
        trainer.compile()
    if is_captured:
        trainer.capture()
    first, _ = take_steps(trainer, batches)
    trainer.progress = replace(trainer.progress, step=0)  # the same lengths, and so the same shapes
    seconds, loss = take_steps(trainer, batches)
    rate = len(batches) * training.batch_size / seconds
    print(
        f"{way:<16} first {first:6.1f} s, then {1e3 * seconds / len(batches):7.2f} ms a step, "
        f"{rate:9,.0f} examples/s, loss {loss:.5f}",
        flush=True,
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--device", default="cpu")
    options.add_argument(
        "--threads", type=int, default=2, help="number of threads that make the examples in advance"
    )
    options.add_argument("--chunks", type=int, default=8, help="number of chunks of eight batches each")
    options.add_argument("--ways", default="plain,graphs", help=f"ways to measure: {', '.join(WAYS)}")
    options.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", dest="settings")
    arguments = options.parse_args()
    pairs = (text.split("=", 1) for text in arguments.settings)
    settings = {name: json.loads(value) for name, value in pairs}
    network, training, recipe = read_settings(settings)
    torch.set_float32_matmul_precision("high")
    run = describe_run() | {"torch": torch.__version__, "settings": settings}
    if arguments.device.startswith("cuda"):
        run["gpu"] = torch.cuda.get_device_name()
    print(json.dumps(run), flush=True)
    make = example_source(recipe, training.seed, arguments.threads)
    began = time.perf_counter()
    batches = [
        batch for chunk in range(arguments.chunks) for batch in batches_of_chunk(make, training, chunk)
    ]
    made = len(batches) * training.batch_size / (time.perf_counter() - began)
    print(f"{made:,.0f} examples/s made by {arguments.threads} threads", flush=True)
    for way in arguments.ways.split(","):
        measure(way, settings, torch.device(arguments.device), batches)


if __name__ == "__main__":
    main()
