"""Training that can be gone on with: weights and moments in files of numbers, the rest in JSON; no pickle.

`state.json` names the file of numbers that belongs to it and its checksum. That is written first, and
`state.json` replaces its predecessor at once, so that a folder holds one whole state at any moment. Older
folders have several files of numbers.
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
from ddsr.generators.prior.config import NetworkConfig, TrainingConfig
from ddsr.storage.files import parse_json, read_regular, write_whole

STATE = "state.json"
FORMAT = "ddsr prior checkpoint 1"

Arrays = Mapping[str, NDArray[np.float32]]


@dataclass(frozen=True)
class TrainingProgress:
    """How far training has come."""

    step: int = 0
    """batches learned from"""
    seconds: float = 0.0
    """spent, over all stages"""
    rate_share: float = 1.0
    """of the learning rate that is left after annealing"""


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """All that training needs to go on."""

    arrays: Arrays
    """weights and Adam's moments, by name"""
    network: NetworkConfig
    training: TrainingConfig
    recipe: Mapping[str, Any]
    """how examples are made"""
    progress: TrainingProgress
    origin: Mapping[str, Any] | None = None
    """the weights that it started from, if any: their file, checksum, examples and hours"""


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Replace what the folder holds."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"shard-{checkpoint.progress.step:08d}.npz"
    shard = io.BytesIO()
    np.savez(shard, **checkpoint.arrays)  # type: ignore[arg-type]  # its other argument is no array
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
    """What `save_checkpoint` wrote; anything missing or altered is refused."""
    try:
        state = parse_json(read_regular(folder / STATE))
        if state["format"] != FORMAT:
            raise DataError(f"{folder} contains a {state['format']}, not a {FORMAT}")
        arrays: dict[str, NDArray[np.float32]] = {}
        for name, checksum in state["shards"].items():
            if _checksum(folder / name) != checksum:
                raise DataError(f"{folder / name} is not the file that was written: its checksum differs")
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
