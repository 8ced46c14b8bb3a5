"""Settings of a prior's network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

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
