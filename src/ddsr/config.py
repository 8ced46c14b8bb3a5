"""The hyper-parameters in one place; unchanged they are the presets `paper`, the paper's table, and `dsr`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from sys import float_info
from typing import cast

from ddsr.data import check_whole
from ddsr.errors import MethodError
from ddsr.expression.operators import DEFAULT_OPERATORS
from ddsr.expression.vocabulary import Vocabulary


@dataclass(frozen=True, kw_only=True)
class DenoiserConfig:
    """The network φ_θ."""

    width: int = 16
    """embedding dimension D; even, since half encodes the position and half the step (the paper has 15)"""
    n_encoder_layers: int = 1
    n_decoder_layers: int = 1
    n_heads: int = 1
    feed_forward_width: int = 2048

    def __post_init__(self) -> None:
        for name in ("width", "n_encoder_layers", "n_decoder_layers", "n_heads", "feed_forward_width"):
            check_whole(getattr(self, name), name, least=1)
        if self.width % 4 or self.width % self.n_heads:
            raise MethodError(f"width must be a multiple of 4 and of n_heads, got {self.width}")


@dataclass(frozen=True, kw_only=True)
class ObjectiveConfig:
    """Token-wise GRPO."""

    clip_range: float = 0.2
    """ε: how far a token's likelihood ratio may leave 1 and still pull"""
    kl_weight: float = 0.01
    """β, of the divergence from the reference"""
    entropy_weight: float = 0.0005
    """λ"""
    counts_masked_only: bool = False
    """sum over the masked tokens alone instead of every token, for the ablation"""


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """What every learned search has: expressions, batches, elites and updates."""

    operators: tuple[str, ...] = DEFAULT_OPERATORS
    constants: bool = True
    """whether there is a constant token; the paper's names end in W/C with it and in W/OC without"""
    max_length: int = 32
    """M, the table's max depth: tokens of an expression, at most"""
    max_constants: int = 10
    batch_size: int = 1000
    """B: expressions an epoch"""
    elite_fraction: float = 0.05
    """α"""
    learning_rate: float = 1e-4
    """γ, of Adam"""
    n_epochs: int = 600
    updates_per_epoch: int = 5
    """C"""
    epochs_per_reference: int = 5
    """G: epochs after which θ_ref is renewed"""
    objective: ObjectiveConfig = ObjectiveConfig()

    def __post_init__(self) -> None:
        for name in ("max_length", "batch_size", "n_epochs", "updates_per_epoch", "epochs_per_reference"):
            check_whole(getattr(self, name), name, least=1)
        check_whole(self.max_constants, "max_constants", least=0)
        _check_between(self.elite_fraction, "elite_fraction", 0, 1)
        _check_between(self.learning_rate, "learning_rate", 0, float_info.max)

    @property
    def n_elites(self) -> int:
        """αB: expressions that an epoch adds to the pool, and that the pool keeps."""
        return max(1, round(self.elite_fraction * self.batch_size))

    def vocabulary(self, variables: Sequence[str]) -> Vocabulary:
        """What expressions of these variables are made of."""
        return Vocabulary(variables, self.operators, has_constant=self.constants)


@dataclass(frozen=True, kw_only=True)
class PaperConfig(SearchConfig):
    """Algorithm 1 with the settings of its table."""

    oversampling: int = 3
    """times as many are drawn, and the first B distinct ones kept"""
    denoiser: DenoiserConfig = DenoiserConfig()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.oversampling, "oversampling", least=1)


@dataclass(frozen=True, kw_only=True)
class DSRConfig(SearchConfig):
    """Deep symbolic regression (Petersen et al. 2019): one risk-seeking step an epoch on an RNN's samples."""

    learning_rate: float = 5e-4
    updates_per_epoch: int = 1
    objective: ObjectiveConfig = ObjectiveConfig(entropy_weight=0.03)
    hidden_size: int = 32
    """units of the LSTM's one layer"""
    min_length: int = 4
    """tokens of an expression, at least"""
    preferred_length: float = 10.0
    length_scale: float = 5.0
    """of the soft prior on the length, see `autoregressive.constraints.length_preference`"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.hidden_size, "hidden_size", least=1)
        check_whole(self.min_length, "min_length", least=1, most=self.max_length)
        _check_between(self.length_scale, "length_scale", 0, float_info.max)


def _check_between(value: object, name: str, least: float, most: float) -> None:
    """A number above `least` and not above `most`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and least < cast(float, value) <= most):
        raise MethodError(f"{name} must be a number above {least} and at most {most}, got {value!r}")
