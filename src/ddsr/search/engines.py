"""The engine of a search: with the limits that rules set, and weights that match the noise."""

from __future__ import annotations

from ddsr.config import DefaultConfig, SearchConfig
from ddsr.data.dataset import Dataset
from ddsr.engine import Engine, FitOptions
from ddsr.errors import GrammarError, did_you_mean
from ddsr.expression import Vocabulary
from ddsr.expression.operators import SYMBOLS
from ddsr.grammar import Grammar
from ddsr.grammar.limits import allow_offset, check_values, limits_of
from ddsr.price.description_length import FEW_ROWS
from ddsr.price.noise import CONSTANT, MOST_STRUCTURES, NoiseModel, find_noise, noise_of_loss
from ddsr.search.plain_forms import MOST_VARIABLES
from ddsr.search.unit_support import check_symmetric


def engine_of(
    grammar: Grammar, data: Dataset, config: SearchConfig, options: FitOptions, seed: int, n_threads: int
) -> Engine:
    """Return an engine that gives no finite error to expressions whose values or constants break a rule."""
    vocabulary, rules = grammar.vocabulary, grammar.rules
    check_symmetric(grammar, data.units)
    if data.loss.is_of_values:
        check_values(rules, data.y)
    return Engine(
        vocabulary,
        data,
        options=options,
        seed=seed,
        n_threads=n_threads,
        limits=limits_of(rules, vocabulary, data.X, data.y),
        has_offset=allow_offset(rules),
        costs=token_costs(config, vocabulary),
    )


def token_costs(config: SearchConfig, vocabulary: Vocabulary) -> dict[str, float]:
    """Return the costs by the names of tokens.

    An operator that the search does not use, and a variable that the table does not have, are refused.
    """
    costs: dict[str, float] = {}
    for given, cost in config.operator_costs.items():
        name = SYMBOLS.get(given, given)
        if name not in vocabulary.operators:
            hint = did_you_mean(given, vocabulary.operators)
            raise GrammarError(
                f"operator_costs: {given!r} is not an operator of the search{hint}; "
                f"the operators are: {', '.join(vocabulary.operators)}"
            )
        costs[name] = float(cost)
    for given, cost in config.variable_costs.items():
        if given not in vocabulary.variables:
            hint = did_you_mean(given, vocabulary.variables)
            raise GrammarError(f"variable_costs: there is no column {given!r}{hint}")
        costs[vocabulary.names[vocabulary.first_variable + vocabulary.variables.index(given)]] = float(cost)
    return {name: cost for name, cost in costs.items() if cost}


def noise_of(engine: Engine, config: SearchConfig) -> NoiseModel:
    """Choose the noise model: that of the loss, or for squares, relative noise in some small tables."""
    known = noise_of_loss(engine)
    if known is not None:
        return known
    is_small = engine.n_rows <= FEW_ROWS and len(engine.vocabulary.inputs) <= MOST_VARIABLES
    if (
        not (isinstance(config, DefaultConfig) and config.constants and is_small)
        or engine.dataset.is_weighted
    ):
        return CONSTANT
    return find_noise(engine, min(MOST_STRUCTURES, config.evaluations_per_epoch))
