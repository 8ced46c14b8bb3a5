"""What a prior is made of and how it is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf

from ddsr.data import check_whole
from ddsr.errors import MethodError
from ddsr.expression.operators import DEFAULT_OPERATORS
from ddsr.expression.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """Sizes of the network; a file of weights carries them."""

    operators: tuple[str, ...] = DEFAULT_OPERATORS
    max_variables: int = 10
    max_length: int = 32
    """tokens of an expression"""
    look_rows: int = 128
    """rows that one look at the data takes in"""
    cell_width: int = 128
    """of the encoder: a value of a variable in a row is a vector of so many numbers"""
    n_row_layers: int = 4
    n_row_latents: int = 16
    """vectors that sum up the target's part of all rows"""
    n_variable_latents: int = 2
    """vectors that sum up each variable's part"""
    width: int = 192
    """of the denoiser"""
    n_layers: int = 5
    """of the denoiser"""
    n_memory_layers: int = 1
    """in which the latents look at each other"""
    n_heads: int = 6
    """of the denoiser; the encoder has four"""

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
        """From the header of a file; refuses what it does not know."""
        known = {each.name for each in fields(cls)}
        strange = sorted(set(given) - known)
        if strange:
            raise MethodError(f"a network has no {', '.join(strange)}; was it written by a newer ddsr?")
        return cls(**given)  # type: ignore[arg-type]  # checked in __post_init__

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens that the network knows, with as many variables as it holds."""
        return Vocabulary.of_size(self.max_variables, self.operators)

    @property
    def most_latents(self) -> int:
        """Of one data set, rounded up to what attention likes best."""
        n = self.n_row_latents + self.n_variable_latents * self.max_variables
        return -(-n // 8) * 8


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a prior is trained."""

    batch_size: int = 1024
    """data sets a step"""
    batches_per_chunk: int = 8
    """batches that are made at once and sorted by their number of variables, so that little is padded"""
    n_views: int = 3
    """maskings of each data set's expression"""
    learning_rate: float = 1e-3
    warm_up: int = 1000
    """steps until the learning rate is reached"""
    weight_decay: float = 0.01
    most_gradient: float = 1.0
    """norm at which gradients are clipped"""
    offset_rate: float = 0.2
    """share of data sets whose target is shifted by a random offset, which is fitted anyway"""
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
