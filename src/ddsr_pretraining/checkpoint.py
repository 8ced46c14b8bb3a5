"""Checkpoints of a training: weights and moments in a file of numbers, the rest in JSON; no pickle.

`state.json` has the name and the checksum of its file of numbers, which is written first. It replaces its
predecessor atomically, so the folder always has a complete state. Old folders have several files of numbers.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import DataError
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.weights import CARD, Card, PriorFile
from ddsr.storage.files import parse_json, read_regular, write_whole
from ddsr_pretraining.config import TrainingConfig

STATE = "state.json"
FORMAT = "ddsr prior checkpoint 1"
WEIGHT = "weight/"
"""prefix of the names of arrays with weights"""

Arrays = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class TrainingProgress:
    """Progress of a training over all stages."""

    step: int = 0
    """number of batches"""
    seconds: float = 0.0
    rate_share: float = 1.0
    """fraction of the learning rate after annealing"""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """The state of a training."""

    arrays: Arrays
    """weights and Adam's moments, by name"""
    network: NetworkConfig
    training: TrainingConfig
    recipe: Mapping[str, Any]
    """how examples are made"""
    progress: TrainingProgress
    origin: Mapping[str, Any] | None = None
    """the weights from which training started: file, checksum, examples and hours"""

    def to_prior(self) -> PriorFile:
        """Return the network in half precision, with a card that has no scores."""
        arrays = {
            name.removeprefix(WEIGHT): array.astype(np.float16)
            for name, array in self.arrays.items()
            if name.startswith(WEIGHT)
        }
        card = Card(
            self.network,
            asdict(self.training),
            self.recipe,
            self.progress.step,
            self.progress.seconds / 3600,
            origin=self.origin,
        )
        return PriorFile(arrays, {CARD: card.to_text()})


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Replace the checkpoint of a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"shard-{checkpoint.progress.step:08d}.npz"
    shard = io.BytesIO()
    np.savez(shard, **checkpoint.arrays)  # type: ignore[arg-type]  # savez also has an argument that is not an array
    write_whole(path, shard.getvalue())
    state = {
        "format": FORMAT,
        "network": asdict(checkpoint.network),
        "training": asdict(checkpoint.training),
        "recipe": dict(checkpoint.recipe),
        "progress": asdict(checkpoint.progress),
        "origin": None if checkpoint.origin is None else dict(checkpoint.origin),
        "shards": {path.name: _checksum(path)},
    }
    write_whole(folder / STATE, json.dumps(state, indent=1).encode())
    for other in folder.glob("shard-*"):
        if other.name != path.name:
            other.unlink()


def load_checkpoint(folder: Path) -> Checkpoint:
    """Load the checkpoint of a folder; refuse one with missing or altered files."""
    try:
        state = parse_json(read_regular(folder / STATE))
        if state["format"] != FORMAT:
            raise DataError(f"{folder} contains a {state['format']}, not a {FORMAT}")
        arrays: dict[str, NDArray[np.float32]] = {}
        for name, checksum in state["shards"].items():
            if _checksum(folder / name) != checksum:
                raise DataError(f"{folder / name} has changed since it was written: its checksum differs")
            with np.load(folder / name, allow_pickle=False) as shard:
                arrays |= {key: shard[key] for key in shard.files}
        return Checkpoint(
            arrays,
            NetworkConfig.from_mapping(state["network"]),
            TrainingConfig(**state["training"]),
            state["recipe"],
            TrainingProgress(**state["progress"]),
            state.get("origin"),
        )
    except DataError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BadZipFile) as error:
        raise DataError(f"cannot read a checkpoint from {folder}: {error}") from error


def _checksum(path: Path) -> str:
    return hashlib.sha256(read_regular(path)).hexdigest()
