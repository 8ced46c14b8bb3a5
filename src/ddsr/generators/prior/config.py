"""Settings of a prior's network and of its training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf

from ddsr.data.checks import check_whole
from ddsr.errors import MethodError
from ddsr.expression.operators import DEFAULT_OPERATORS
from ddsr.expression.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """Sizes of the network, stored in the file of weights."""

    operators: tuple[str, ...] = DEFAULT_OPERATORS
    max_variables: int = 10
    max_length: int = 32
    """maximum number of tokens of an expression"""
    look_rows: int = 128
    """number of rows that the network reads at once"""
    cell_width: int = 128
    """width of the encoder: the length of the vector for each value of a variable in a row"""
    n_row_layers: int = 4
    n_row_latents: int = 16
    """number of latent vectors that summarise the target over all rows"""
    n_variable_latents: int = 2
    """number of latent vectors that summarise each variable"""
    width: int = 192
    """width of the denoiser"""
    n_layers: int = 5
    """number of layers of the denoiser"""
    n_memory_layers: int = 1
    """number of layers in which the latents attend to each other"""
    n_heads: int = 6
    """number of heads of the denoiser; the encoder has four"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "operators", tuple(self.operators))
        for each in fields(self):
            if each.name != "operators":
                check_whole(getattr(self, each.name), each.name, least=1)
        if self.width % (2 * self.n_heads) or self.cell_width % 8:
            raise MethodError(
                f"width must be a multiple of 2 n_heads and cell_width of 8, got {self.width} and "
                f"{self.cell_width}"
            )

    @classmethod
    def from_mapping(cls, given: Mapping[str, object]) -> NetworkConfig:
        """Read settings from the header of a file; refuse unknown ones."""
        known = {each.name for each in fields(cls)}
        strange = sorted(set(given) - known)
        if strange:
            raise MethodError(
                f"unknown network settings {', '.join(strange)}: the file may be from a newer ddsr"
            )
        return cls(**given)  # type: ignore[arg-type]  # checked in __post_init__

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the network, with its maximum number of variables."""
        return Vocabulary.of_size(self.max_variables, self.operators)

    @property
    def most_latents(self) -> int:
        """Maximum number of latents of a data set, rounded up to a multiple of 8 for fast attention."""
        n = self.n_row_latents + self.n_variable_latents * self.max_variables
        return -(-n // 8) * 8


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """Settings of the training of a prior."""

    batch_size: int = 1024
    """number of data sets per step"""
    batches_per_chunk: int = 8
    """number of batches generated at once and sorted by number of variables, to reduce padding"""
    n_views: int = 3
    """number of maskings of each data set's expression"""
    learning_rate: float = 1e-3
    warm_up: int = 1000
    """number of warm-up steps of the learning rate"""
    weight_decay: float = 0.01
    most_gradient: float = 1.0
    """maximum norm of gradients, above which they are clipped"""
    offset_rate: float = 0.2
    """share of data sets whose target is shifted by a random offset"""
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("batch_size", "batches_per_chunk", "n_views"):
            check_whole(getattr(self, name), name, least=1)
        for name in ("warm_up", "seed"):
            check_whole(getattr(self, name), name, least=0)
        for name in ("learning_rate", "weight_decay", "most_gradient", "offset_rate"):
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 <= value < inf):
                raise MethodError(f"{name} must be a number of at least 0, got {value!r}")
