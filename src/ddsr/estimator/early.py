"""Quick steps before a fit: a check of the parameters, and a first equation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ddsr.data.arrays import Floats
from ddsr.data.dataset import Dataset, RowWeights
from ddsr.data.known_constants import read_constants
from ddsr.data.losses import Loss
from ddsr.engine import FitOptions, core_units
from ddsr.estimator.goal import Goal
from ddsr.estimator.model_selection import find_selection
from ddsr.estimator.prior_parameter import with_prior
from ddsr.estimator.template_units import with_template
from ddsr.estimator.threads import threads_of
from ddsr.estimator.unit_parameters import Quantities
from ddsr.expression import Vocabulary
from ddsr.expression.definitions import own_among, read_operators
from ddsr.expression.known_constant import with_known_constants
from ddsr.expression.operators import find_operator
from ddsr.expression.template_parser import parse_template
from ddsr.generators.device import check_device
from ddsr.generators.prior.weights import DEFAULT, find_weights
from ddsr.grammar import Grammar
from ddsr.grammar.guesses import read_guesses
from ddsr.grammar.listing import Listing
from ddsr.grammar.rules import read_rules
from ddsr.search.baseline import baseline
from ddsr.search.engines import engine_of
from ddsr.search.front import FrontEntry
from ddsr.search.presets import parse_method
from ddsr.search.presets import settings as settings_of
from ddsr.search.prior_start import check_prior


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of an estimator that are wrong for any data."""
    method = parse_method(parameters["preset"])
    config = settings_of(method, with_prior(method, parameters.get("config"), parameters["prior"]))
    find_selection(parameters["model_selection"], config)
    read_constants(parameters.get("constants", ()))
    Loss.of(parameters["loss"])
    Goal.of(parameters.get("stop_at"))
    for each in read_operators(parameters.get("operators", ())):
        if isinstance(each, str):
            find_operator(each)
    read_rules(parameters.get("rules", ()))
    if parameters["prior"] not in (None, DEFAULT):
        find_weights(parameters["prior"])
    check_prior(str(method), dict(method.options), config)
    threads_of(parameters["n_jobs"])
    check_device(parameters["device"])


def first_entry(
    X: Floats, y: Floats, weights: RowWeights, features: tuple[str, ...], parameters: Mapping[str, Any]
) -> FrontEntry:
    """Return the baseline, to show while the estimator is imported.

    It is the best line through one column, unless the operators or rules do not allow lines.
    """
    method = parse_method(parameters.get("preset", "ddsr"))
    config = settings_of(method, parameters.get("config"))
    text = parameters.get("template")
    operators = read_operators(parameters.get("operators", config.operators))
    quantities = Quantities.of(
        features,
        ["y"],
        parameters.get("units"),
        parameters.get("y_units"),
        parameters.get("unit_constants", 0),
        parameters.get("constants", ()),
        has_template=text is not None,
    )
    names = (*features, *quantities.known)
    template = None if text is None else parse_template(text, names, own_among(operators))
    units = with_template(quantities.units[0], template)
    vocabulary = Vocabulary(names, operators, template=template)
    grammar = Grammar(vocabulary, rules=read_rules(parameters.get("rules", ())), units=core_units(units))
    read_guesses(parameters.get("guesses", ()), grammar)
    options = FitOptions(is_scale_free=Listing(grammar).always_allows_scale_and_offset)
    loss = Loss.of(parameters.get("loss", "squared"))
    dataset = Dataset.of(
        with_known_constants(X, quantities.known),
        y,
        weights.sample_weight,
        weights.counts,
        names=vocabulary.variables,
        loss=loss,
        y_err=weights.y_err,
        units=units,
    )
    engine = engine_of(grammar, dataset, config, options, seed=0, n_threads=1)
    return baseline(engine, grammar).most_accurate()
