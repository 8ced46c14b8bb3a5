"""File of a trained prior: weights, training and scores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ddsr.errors import DataError, MethodError, did_you_mean
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.tensor_file import Arrays, checksum_of, read_tensors, write_tensors
from ddsr.storage.files import parse_json

if TYPE_CHECKING:
    from ddsr.generators.prior.network import PriorNetwork

DEFAULT = "default"
DEFAULT_FILE = "default.safetensors"
FORMAT = "ddsr prior 1"
CARD = "card"
SUFFIX = ".safetensors"


@dataclass(frozen=True)
class Card:
    """Model card of a prior: its training and its scores."""

    network: NetworkConfig
    training: Mapping[str, Any]
    """settings, including the seed"""
    recipe: Mapping[str, Any]
    """how the examples were drawn, see docs/prior-data.md"""
    steps: int
    hours: float
    scores: Mapping[str, Any] = field(default_factory=dict)
    """scores that `ddsr prior evaluate` printed"""
    origin: Mapping[str, Any] | None = None
    """weights from which training started: file, checksum, and total examples and hours"""

    @property
    def n_examples(self) -> int:
        """Number of data sets seen, including those of the weights that it started from."""
        earlier = int(self.origin["examples"]) if self.origin else 0
        return earlier + self.steps * int(self.training.get("batch_size", 0))

    @property
    def all_hours(self) -> float:
        """Hours of training, including those of the weights that it started from."""
        return self.hours + (float(self.origin["hours"]) if self.origin else 0.0)

    def to_text(self) -> str:
        """Return the card as JSON."""
        return json.dumps({"format": FORMAT, **asdict(self)})

    @classmethod
    def from_text(cls, text: str) -> Card:
        """Read a card that `to_text` wrote."""
        given = parse_json(text)
        if given.pop("format") != FORMAT:
            raise ValueError(f"its format is not {FORMAT!r}")
        return cls(**given | {"network": NetworkConfig.from_mapping(given["network"])})

    def to_markdown(self, checksum: str, checksum_unscored: str) -> str:
        """Return the model card as Markdown, to put next to the file."""
        lines = [
            "# Prior: masked diffusion conditioned on the data",
            "",
            f"Checksum (`sha256` in the file's header): `{checksum}`",
            *([f"Checksum without scores: `{checksum_unscored}`"] if self.scores else []),
            "",
            "| | |",
            "| --- | --- |",
            f"| trained on | {self.n_examples:,} random data sets, none twice (docs/prior-data.md) |",
            f"| steps, hours | {self.steps:,}, {self.hours:.2f} |",
            *self._origin_lines(),
            f"| seed | {self.training.get('seed')} |",
            f"| operators | {', '.join(self.network.operators)} |",
            f"| variables, tokens, rows | at most {self.network.max_variables}, {self.network.max_length}, "
            f"{self.network.look_rows} read at once |",
            "",
            "It proposes structures; constants are fitted afterwards. Of too many variables it sees the most",
            "relevant ones, of too many rows a sample. It rarely proposes operators that it does not know.",
            "",
            "## Settings",
            "",
        ]
        for title, values in (("network", asdict(self.network)), ("training", self.training)):
            lines += [f"- {title}: `{json.dumps(values)}`"]
        lines += [f"- recipe: `{json.dumps(dict(self.recipe))}`", "", "## Scores", ""]
        lines += [f"- {name}: {value}" for name, value in self.scores.items()] or ["Not measured."]
        return "\n".join(lines) + "\n"

    def _origin_lines(self) -> list[str]:
        if self.origin is None:
            return []
        return [
            f"| started from | {self.origin['file']} (checksum `{self.origin['sha256']}`): "
            f"{self.origin['examples']:,} data sets, {self.origin['hours']:.2f} hours |",
            f"| total hours | {self.all_hours:.2f} |",
        ]


@dataclass(frozen=True, eq=False)
class PriorFile:
    """Content of a file of weights."""

    arrays: Arrays
    texts: Mapping[str, str]
    """includes the card as written; older cards may have other fields"""

    @classmethod
    def read(cls, path: Path) -> PriorFile:
        """Read a file; raise `DataError` unless it is complete and has a card."""
        found = cls(*read_tensors(path))
        try:
            _ = found.card
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise DataError(f"{path} is not a prior that this ddsr can use: {error}") from error
        for name, array in found.arrays.items():
            if not np.isfinite(array).all():
                raise DataError(f"{path} is not a usable prior: {name} has NaN or infinite weights")
        return found

    @property
    def card(self) -> Card:
        """Model card."""
        return Card.from_text(self.texts[CARD])

    @property
    def checksum_unscored(self) -> str:
        """Checksum of the file without scores, since scores may be added later."""
        return checksum_of(self.arrays, self.with_scores({}).texts)

    def with_scores(self, scores: Mapping[str, Any]) -> PriorFile:
        """Return the same weights with a card that has only these scores."""
        card = parse_json(self.texts[CARD]) | {"scores": dict(scores)}
        return replace(self, texts={**self.texts, CARD: json.dumps(card)})

    def save(self, path: Path) -> Card:
        """Write the file, and the card next to it as Markdown."""
        if path.suffix != SUFFIX:
            raise DataError(f"cannot write weights to {path}: use a name that ends in {SUFFIX}")
        card = self.card
        path.parent.mkdir(parents=True, exist_ok=True)
        checksum = write_tensors(path, self.arrays, self.texts)
        text = card.to_markdown(checksum, self.checksum_unscored)
        path.with_suffix(".md").write_text(text, encoding="utf-8")
        return card


def find_weights(name: str | PathLike[str]) -> Path:
    """Return the file of a prior: the package's own for `default`, otherwise the path itself."""
    if name != DEFAULT:
        if not Path(name).is_file():
            hint = did_you_mean(Path(name).name, (DEFAULT, "none"))
            raise MethodError(
                f"there is no file {fspath(name)!r} with the weights of a prior{hint}: "
                "check the path, or use the default prior"
            )
        return Path(name)
    path = Path(str(files("ddsr.generators.prior").joinpath("shipped", DEFAULT_FILE)))
    if not path.is_file():
        raise MethodError(
            "this installation has no default prior: set prior=None, or train one with `ddsr prior train`"
        )
    return path


def check_weights(name: str | PathLike[str]) -> Card:
    """Return the card of a prior, or raise an error if its file is unusable; this needs no torch."""
    path = find_weights(name)
    try:
        return read_once(path).card
    except (OSError, DataError) as error:
        remedy = (
            "install ddsr again, or set prior to None"
            if name == DEFAULT
            else "copy it or export it again (`ddsr prior export`), or set prior to 'default' or None"
        )
        raise MethodError(f"{error}; {remedy}") from error


def read_once(path: Path) -> PriorFile:
    """Read each version of a file once: a grid search fits many times, and checksums take time."""
    state = path.stat()
    return _read_version(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=4)
def _read_version(path: Path, size: int, modified: int) -> PriorFile:
    return PriorFile.read(path)


def load_weights(path: str | PathLike[str]) -> tuple[PriorNetwork, Card]:
    """Return the network in full precision, and its card; raise `DataError` for an incomplete file."""
    import torch

    from ddsr.generators.first_weights import first_weights
    from ddsr.generators.prior.network import PriorNetwork

    found = PriorFile.read(Path(path))
    card = found.card
    try:
        with first_weights(0):  # these weights are not used
            network = PriorNetwork(card.network)
        tensors = {name: torch.from_numpy(array.astype(np.float32)) for name, array in found.arrays.items()}
        network.load_state_dict(tensors)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(f"{path} is not a prior that this ddsr can use: {error}") from error
    return network.eval(), card
