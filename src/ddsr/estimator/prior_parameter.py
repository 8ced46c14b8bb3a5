"""The estimator's parameter `prior` as a setting of the search."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from ddsr.config import PaperConfig, SearchConfig, changed
from ddsr.errors import MethodError
from ddsr.search.presets import ConfigLike, Method
from ddsr.search.prior_start import unused_prior, uses_prior

NAME, DEFAULT = "prior", PaperConfig.prior
PriorLike = str | PathLike[str] | None


def with_prior(method: Method, config: ConfigLike, prior: PriorLike) -> ConfigLike:
    """Return the settings with this prior, or unchanged if the parameter has its default."""
    if isinstance(prior, str) and prior == DEFAULT:
        return config
    if not uses_prior(dict(method.options)):
        if prior is None:
            return config
        raise unused_prior(str(method), prior)
    if NAME in dict(method.changes):
        raise MethodError(f"prior is given twice, by itself and in the preset '{method}': keep one of them")
    if isinstance(config, Mapping):
        if NAME in config:
            raise MethodError("prior is given twice, by itself and in config: keep one of them")
        return {**config, NAME: prior}
    if isinstance(config, PaperConfig):
        if config.prior != DEFAULT:
            raise MethodError("prior is given twice, by itself and in config: keep one of them")
        return changed(config, {NAME: prior}, "config")
    if isinstance(config, SearchConfig):
        return config  # settings of another method, which are refused later
    return {NAME: prior} if config is None else config
