"""Settings of a training: of the network, the training itself and its examples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from math import inf
from typing import Any

from ddsr.data.checks import check_whole
from ddsr.errors import MethodError, did_you_mean
from ddsr.generators.prior.config import NetworkConfig
from ddsr.generators.prior.weights import Card
from ddsr_pretraining.examples import ExampleOptions


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


Settings = tuple[NetworkConfig, TrainingConfig, ExampleOptions]


def read_settings(settings: Mapping[str, Any]) -> Settings:
    """Split settings into network, training and examples; examples have the network's limits."""
    kinds: tuple[type[Any], ...] = (NetworkConfig, TrainingConfig, ExampleOptions)
    names = [{each.name for each in fields(kind)} for kind in kinds]
    known = sorted(set.union(*names) - {"operators", "n_rows"})
    for name, value in settings.items():
        if name == "n_rows":
            raise MethodError("n_rows is set by the network: use look_rows instead")
        if name not in known:
            hint = did_you_mean(name, known)
            raise MethodError(f"unknown setting {name!r}{hint}; choose from: {', '.join(known)}")
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


def settings_from(card: Card, settings: Mapping[str, Any]) -> Settings:
    """Return the settings of a training that starts from weights, with their sizes and recipe as defaults.

    The seed is the next number, so that no example is repeated. Of the sizes, only `look_rows` may differ.
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
    network, training, options = read_settings({"seed": seed, **recipe, **sizes, **settings})
    return replace(network, operators=operators), training, replace(options, operators=operators)
