"""All settings. The default values of each class are those of its preset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from sys import float_info
from typing import Any, TypeVar, cast

from ddsr import _core
from ddsr.data.checks import check_whole
from ddsr.errors import MethodError, did_you_mean
from ddsr.expression.definitions import read_operators
from ddsr.expression.operators import DEFAULT_OPERATORS, OPERATORS
from ddsr.expression.own_operators import OwnOperator
from ddsr.expression.vocabulary import Vocabulary


def _check_weights(
    weights: object, name: str, known: Sequence[str] | None = None, kind: str = "weight"
) -> None:
    if not isinstance(weights, Mapping):
        raise MethodError(f"{name} must be a dict of {kind}s by name, got {weights!r}")
    for key, weight in weights.items():
        if known is not None and key not in known:
            hint = did_you_mean(key, known)
            raise MethodError(f"unknown name {key!r} in {name}{hint}; choose from: {', '.join(known)}")
        _check_number(weight, f"the {kind} of {key!r} in {name}", float_info.max)


def _check_number(value: object, name: str, most: float) -> None:
    """Check for a number from 0 to `most`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and 0 <= cast(float, value) <= most):
        raise MethodError(f"{name} must be a number from 0 to {most:g}, got {value!r}")


def _check_between(value: object, name: str, least: float, most: float) -> None:
    """Check for a number above `least` and at most `most`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and least < cast(float, value) <= most):
        raise MethodError(f"{name} must be a number above {least} and at most {most}, got {value!r}")


def _check_kind(value: object, name: str, kind: type) -> None:
    if not isinstance(value, kind):
        raise MethodError(f"{name} must be a dict of settings or {kind.__name__}(...), got {value!r}")


@dataclass(frozen=True, kw_only=True)
class DenoiserConfig:
    """Settings of the denoising network φ_θ."""

    width: int = 16
    """embedding dimension D, a multiple of 4: half for the position, half for the step (the paper has 15)"""
    n_encoder_layers: int = 1
    n_decoder_layers: int = 1
    n_heads: int = 1
    feed_forward_width: int = 2048
    first_arities: tuple[float, float, float] = (0.5, 0.2, 0.3)
    """odds of leaves, unary and binary operators in the initial output bias; with the length limit, they set
    the length of the first expressions for any number of variables"""

    def __post_init__(self) -> None:
        for name in ("width", "n_encoder_layers", "n_decoder_layers", "n_heads", "feed_forward_width"):
            check_whole(getattr(self, name), name, least=1)
        if self.width % 4 or self.width % self.n_heads:
            raise MethodError(f"width must be a multiple of 4 and of n_heads, got {self.width}")
        if len(self.first_arities) != 3:
            raise MethodError(f"first_arities must be three odds, got {self.first_arities!r}")
        for odds in self.first_arities:
            _check_between(odds, "first_arities", 0, float_info.max)


@dataclass(frozen=True, kw_only=True)
class ObjectiveConfig:
    """Settings of the objective, token-wise GRPO."""

    clip_range: float = 0.2
    """ε, the clipping range of a token's likelihood ratio around 1"""
    kl_weight: float = 0.01
    """β, the weight of the KL divergence from the reference"""
    entropy_weight: float = 0.0005
    """λ, the weight of the entropy"""
    sums_entropy: bool = False
    """whether the entropy of an expression is the sum over its tokens, as in DSR, instead of the mean"""
    counts_masked_only: bool = False
    """whether to sum over the masked tokens only, for the ablation"""

    def __post_init__(self) -> None:
        for name in ("clip_range", "kl_weight", "entropy_weight"):
            _check_number(getattr(self, name), name, float_info.max)
        for name in ("sums_entropy", "counts_masked_only"):
            if not isinstance(getattr(self, name), bool):
                raise MethodError(f"{name} must be True or False, got {getattr(self, name)!r}")


REWARDS = ("error", "description_length")


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """Settings that all learned searches share: expressions, batches, elites and updates."""

    operators: tuple[str | OwnOperator, ...] = DEFAULT_OPERATORS
    constants: bool = True
    """whether there is a constant token; the paper calls DSR with it W/C, and without it W/OC"""
    max_length: int = 32
    """M, maximum number of tokens of an expression (the paper's table calls it max depth)"""
    max_constants: int = 10
    """maximum number of constants of an expression"""
    fit_steps: int = 10
    """maximum number of Levenberg–Marquardt trial points to fit the constants of a proposed expression"""
    batch_size: int = 1000
    """B, the number of expressions per epoch"""
    elite_fraction: float = 0.05
    """α, the share of a batch that becomes elites"""
    learning_rate: float = 1e-4
    """γ, the learning rate of Adam"""
    n_epochs: int = 600
    """maximum number of epochs if no limit is given"""
    updates_per_epoch: int = 5
    """C, the number of updates per epoch"""
    epochs_per_reference: int = 5
    """G, the number of epochs after which θ_ref is updated"""
    objective: ObjectiveConfig = ObjectiveConfig()
    reward: str = "error"
    """reward by which elites are chosen: `error`, R = 1 / (1 + NRMSE), or `description_length`, which also
    counts the price of the expression (docs/algorithm.md)"""
    model_selection: str = "accuracy"
    """how the equation for predictions is chosen, unless the estimator's `model_selection` is given"""
    max_evaluations: int | None = None
    """maximum number of expressions to score; None: no limit"""
    patience: int | None = None
    """number of epochs without a better equation of any size after which the search ends; None: no limit"""
    operator_costs: Mapping[str, float] = field(default_factory=dict, hash=False)
    variable_costs: Mapping[str, float] = field(default_factory=dict, hash=False)
    """nats added to the description length for each use of an operator or a variable, by name"""

    def __post_init__(self) -> None:
        for name in ("operator_costs", "variable_costs"):
            _check_weights(getattr(self, name), name, kind="cost")
        for name in ("max_evaluations", "patience"):
            if getattr(self, name) is not None:
                check_whole(getattr(self, name), name, least=1)
        for name in ("max_length", "batch_size", "n_epochs", "updates_per_epoch", "epochs_per_reference"):
            check_whole(getattr(self, name), name, least=1)
        for name in ("max_constants", "fit_steps"):
            check_whole(getattr(self, name), name, least=0)
        _check_kind(self.objective, "objective", ObjectiveConfig)
        if self.reward not in REWARDS:
            hint = did_you_mean(self.reward, REWARDS)
            raise MethodError(f"reward must be one of {', '.join(REWARDS)}, got {self.reward!r}{hint}")
        _check_between(self.elite_fraction, "elite_fraction", 0, 1)
        _check_between(self.learning_rate, "learning_rate", 0, float_info.max)

    @property
    def n_elites(self) -> int:
        """αB, the number of expressions that an epoch adds to the pool and that the pool keeps."""
        return max(1, round(self.elite_fraction * self.batch_size))

    def vocabulary(self, variables: Sequence[str]) -> Vocabulary:
        """Return the vocabulary of expressions of these variables."""
        return Vocabulary(variables, read_operators(self.operators), has_constant=self.constants)


@dataclass(frozen=True, kw_only=True)
class PaperConfig(SearchConfig):
    """Settings of the preset `paper`: Algorithm 1 with the hyperparameters of the paper."""

    oversampling: int = 3
    """draw this many times B expressions and keep the first B distinct ones"""
    denoiser: DenoiserConfig = DenoiserConfig()
    denoising_steps: int | None = None
    """maximum number of predictions to draw an expression; None: one per position, as in the paper"""
    prior: str | None = "default"
    """weights of a pretrained generator: a path (str or `os.PathLike`), `default` for the weights of the
    package, or None. In the preset `ddsr` it proposes expressions to the refiner and is then trained in place
    of a new one. The policy of the preset `paper` starts from it only with the option `start=prior`"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.oversampling, "oversampling", least=1)
        if self.denoising_steps is not None:
            check_whole(self.denoising_steps, "denoising_steps", least=1)
        if isinstance(self.prior, PathLike):
            # Files of settings hold text. An absolute path is never mistaken for the name `default`.
            object.__setattr__(self, "prior", str(Path(self.prior).absolute()))
        if not (self.prior is None or isinstance(self.prior, str)):
            raise MethodError(
                f"prior must be None, 'default' or the path to a file of weights, got {self.prior!r}"
            )
        _check_kind(self.denoiser, "denoiser", DenoiserConfig)


@dataclass(frozen=True, kw_only=True)
class DSRConfig(SearchConfig):
    """Settings of the preset `dsr`: deep symbolic regression with an RNN (Petersen et al. 2019)."""

    learning_rate: float = 5e-4
    updates_per_epoch: int = 1
    objective: ObjectiveConfig = ObjectiveConfig(entropy_weight=0.005, sums_entropy=True)
    hidden_size: int = 32
    """number of units of the LSTM layer"""
    min_length: int = 4
    """minimum number of tokens of an expression"""
    preferred_length: float | None = None
    """preferred length of a soft prior (`length_preference` of `generators.recurrent.constraints`); None
    means no such prior, as in DSR's results in SRBench; later versions of DSR use 10"""
    length_scale: float = 5.0
    """scale of the soft prior on the length"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.hidden_size, "hidden_size", least=1)
        check_whole(self.min_length, "min_length", least=1, most=self.max_length)
        if self.preferred_length is not None:
            _check_number(self.preferred_length, "preferred_length", float_info.max)
        _check_between(self.length_scale, "length_scale", 0, float_info.max)


DEFAULT_MOVES = {
    "point": 25.0,
    "grow": 20.0,
    "wrap_binary": 15.0,
    "wrap_unary": 10.0,
    "hoist": 15.0,
    "swap_operands": 7.5,
    "perturb_constants": 7.5,
    "match": 10.0,
}
RARE_OPERATORS = ("asin", "acos", "atan")
DEFAULT_WEIGHTS = {"add": 0.22, "sub": 0.20, "mul": 0.28, "div": 0.22, "pow": 0.08} | dict.fromkeys(
    RARE_OPERATORS, 0.25
)


@dataclass(frozen=True, kw_only=True)
class RefinerConfig:
    """Settings of the refiner, an evolutionary search over whole expressions (docs/refiner.md)."""

    n_islands: int = 4
    """number of populations that evolve in parallel, and the maximum number of threads"""
    n_sketches: int = 15_000
    """number of steps of the last island that complete sketches while the others evolve (docs/refiner.md)"""
    island_size: int = 100
    """number of individuals of a population"""
    parsimony: float = 0.02
    """cost of a token, in log(NRMSE)"""
    restart_steps: int = 1500
    """steps without a fitter individual after which an island restarts from random trees; 0: never"""
    constant_range: float = 1e7
    """expressions with fitted constants above it or below its inverse are rejected: huge constants that
    cancel can approximate any smooth function, and sin(1e-9 x) is just x. The range is wider if the values of
    a column are huge or tiny"""
    crossover_rate: float = 0.2
    """share of children with two parents; the others are mutated by one of `moves`"""
    moves: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_MOVES))
    """weight of each mutation; mutations that are not named are not used"""
    operators: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    """weight of each operator when one of its arity is drawn; 1 for operators that are not named"""
    fit_rows: int = 128
    """maximum number of rows to fit children on; the hall of fame is scored on all rows"""
    fit_steps: int = 12
    """Levenberg–Marquardt trial points for a child, starting from its parents' constants"""
    is_scale_free: bool = True
    """fit scale * expression + offset instead of the bare expression"""
    dictionary_size: int = 8000
    """number of small expressions among which the move `match` finds a subtree for a place in a tree"""
    exact: float = 1e-12
    """NRMSE below which a fit is exact and ends the search; 0: never"""

    def __post_init__(self) -> None:
        check_whole(self.n_islands, "n_islands", least=1, most=1024)
        for name in ("island_size", "fit_rows"):
            check_whole(getattr(self, name), name, least=1)
        for name in ("n_sketches", "restart_steps", "fit_steps", "dictionary_size"):
            check_whole(getattr(self, name), name, least=0)
        _check_number(self.crossover_rate, "crossover_rate", 1.0)
        for name in ("parsimony", "constant_range", "exact"):
            _check_number(getattr(self, name), name, float_info.max)
        _check_weights(self.moves, "moves", _core.MOVES)
        _check_weights(self.operators, "operators", tuple(OPERATORS))


@dataclass(frozen=True, kw_only=True)
class DefaultConfig(PaperConfig):
    """Settings of the preset `ddsr`: a refiner, and a small generator that learns with it."""

    operators: tuple[str | OwnOperator, ...] = (*DEFAULT_OPERATORS, *RARE_OPERATORS)
    batch_size: int = 200
    elite_fraction: float = 0.25
    learning_rate: float = 1e-3
    n_epochs: int = 60
    oversampling: int = 1
    denoiser: DenoiserConfig = DenoiserConfig(width=32, feed_forward_width=128)
    model_selection: str = "description_length"
    is_scale_free: bool = True
    """fit scale * expression + offset instead of the bare expression, in the generator and the refiner"""
    evolution: RefinerConfig = field(default_factory=RefinerConfig)
    """settings of the refiner"""
    evaluations_per_epoch: int = 20_000
    """expressions that the refiner evaluates per epoch"""
    least_share: float = 0.03
    """minimum share of the time for the generator, whatever it finds"""
    most_share: float = 0.5
    """maximum share of the time for the generator"""
    head_start: float = 20.0
    """seconds that the refiner runs alone"""
    symmetries: bool = True
    """whether to detect symmetries and search in the fewer inputs that they leave, such as x - y or x / y"""
    prior_share: float = 0.05
    """maximum share of the time for proposals of the prior"""
    prior_learning_rate: float = 1e-4
    """γ, the learning rate when the prior is trained"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.evaluations_per_epoch, "evaluations_per_epoch", least=1)
        _check_kind(self.evolution, "evolution", RefinerConfig)
        for name in ("least_share", "most_share", "prior_share"):
            _check_number(getattr(self, name), name, 1.0)
        if self.least_share > self.most_share:
            raise MethodError(
                f"least_share ({self.least_share}) must not be above most_share ({self.most_share})"
            )
        _check_number(self.head_start, "head_start", float_info.max)
        if not isinstance(self.symmetries, bool):
            raise MethodError(f"symmetries must be True or False, got {self.symmetries!r}")
        _check_between(self.prior_learning_rate, "prior_learning_rate", 0, float_info.max)


AnySettings = TypeVar("AnySettings", SearchConfig, DenoiserConfig, ObjectiveConfig, RefinerConfig)


def changed(base: AnySettings, changes: Mapping[str, object], where: str) -> AnySettings:
    """Return the settings with changes; nested settings may be given as a dict."""
    known = [each.name for each in fields(base)]
    new: dict[str, Any] = {}
    for name, value in changes.items():
        if isinstance(base, RefinerConfig) and name in (*_FIXED_SETTINGS, *_BOUNDS):
            raise MethodError(_removed(name))
        if name not in known:
            hint = did_you_mean(name, known)
            raise MethodError(f"unknown setting {name!r} in {where}{hint}; choose from: {', '.join(known)}")
        part = getattr(base, name)
        is_of_parts = isinstance(part, (DenoiserConfig, ObjectiveConfig, RefinerConfig))
        is_dict = is_of_parts and isinstance(value, Mapping)
        new[name] = changed(part, cast(Mapping[str, object], value), name) if is_dict else value
    return replace(base, **new)


# The settings of version 0.1 that are constants of the core now, with their values.
_FIXED_SETTINGS = {
    "tournament_size": 8,
    "crowding": 0.0,
    "library_rate": 0.25,
    "unary_rate": 0.2,
    "constant_rate": 0.15,
    "n_attempts": 4,
    "most_tries": 2,
    "sync_interval": 200,
    "migration_interval": 2000,
    "n_migrants": 3,
    "polish_steps": 30,
    "tolerance": 1e-6,
    "n_seeds": 40,
    "list_rows": 1500,
    "list_slack": 0.03,
    "list_share": 0.04,
}
# These bounded what is kept in memory. A search can be resumed with other bounds.
_BOUNDS = ("memory_size", "library_size", "list_size")
_REMOVED_MOVES = ("delete_node", "replace_subtree", "simplify")


def _removed(name: str) -> str:
    now = f"it is always {_FIXED_SETTINGS[name]}" if name in _FIXED_SETTINGS else "memory has fixed bounds"
    return f"the setting {name} was removed from evolution: {now}, so leave it out"


def without_removed(evolution: Mapping[str, Any]) -> dict[str, Any]:
    """Return a refiner's settings from an older file without those that no longer exist.

    Raises `MethodError` for a setting whose value is not the constant that replaced it.
    """
    for name, value in _FIXED_SETTINGS.items():
        if evolution.get(name, value) != value:
            raise MethodError(
                f"the setting {name} was removed: it is always {value}, not {evolution[name]!r}"
            )
    removed = {*_FIXED_SETTINGS, *_BOUNDS}
    kept = {name: value for name, value in evolution.items() if name not in removed}
    if isinstance(moves := kept.get("moves"), Mapping):
        kept["moves"] = {
            name: weight for name, weight in moves.items() if name not in _REMOVED_MOVES or weight
        }
    return kept
