"""The hyper-parameters in one place; unchanged they are the presets `paper`, the paper's table, and `dsr`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from sys import float_info
from typing import Any, TypeVar, cast

from ddsr import _core
from ddsr.data import check_whole
from ddsr.errors import MethodError
from ddsr.expression.operators import DEFAULT_OPERATORS, OPERATORS
from ddsr.expression.vocabulary import Vocabulary


def _check_weights(weights: object, name: str, known: Sequence[str]) -> None:
    if not isinstance(weights, Mapping):
        raise MethodError(f"{name} must be a mapping from names to weights, got {weights!r}")
    for key, weight in weights.items():
        if key not in known:
            raise MethodError(f"{name} has no {key!r}; there are: {', '.join(known)}")
        _check_number(weight, f"the weight of {key!r} in {name}", float_info.max)


def _check_number(value: object, name: str, most: float) -> None:
    """A number that is neither negative nor above `most`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and 0 <= cast(float, value) <= most):
        raise MethodError(f"{name} must be a number from 0 to {most:g}, got {value!r}")


def _check_between(value: object, name: str, least: float, most: float) -> None:
    """A number above `least` and not above `most`."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not (is_number and least < cast(float, value) <= most):
        raise MethodError(f"{name} must be a number above {least} and at most {most}, got {value!r}")


def _check_kind(value: object, name: str, kind: type) -> None:
    if not isinstance(value, kind):
        raise MethodError(f"{name} takes a dict of settings or {kind.__name__}(...), got {value!r}")


@dataclass(frozen=True, kw_only=True)
class DenoiserConfig:
    """The network φ_θ."""

    width: int = 16
    """embedding dimension D; even, since half encodes the position and half the step (the paper has 15)"""
    n_encoder_layers: int = 1
    n_decoder_layers: int = 1
    n_heads: int = 1
    feed_forward_width: int = 2048
    first_arities: tuple[float, float, float] = (0.5, 0.2, 0.3)
    """odds of leaves, of unary and of binary operators that the output's bias starts from; together with the
    length limit they say how long the first expressions are, however many variables there are"""

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
    """Token-wise GRPO."""

    clip_range: float = 0.2
    """ε: how far a token's likelihood ratio may leave 1 and still pull"""
    kl_weight: float = 0.01
    """β, of the divergence from the reference"""
    entropy_weight: float = 0.0005
    """λ"""
    sums_entropy: bool = False
    """whether the entropy of an expression is the sum over its tokens, as in DSR, and not their mean"""
    counts_masked_only: bool = False
    """sum over the masked tokens alone instead of every token, for the ablation"""

    def __post_init__(self) -> None:
        for name in ("clip_range", "kl_weight", "entropy_weight"):
            _check_number(getattr(self, name), name, float_info.max)
        for name in ("sums_entropy", "counts_masked_only"):
            if not isinstance(getattr(self, name), bool):
                raise MethodError(f"{name} must be True or False, got {getattr(self, name)!r}")


@dataclass(frozen=True, kw_only=True)
class SearchConfig:
    """What every learned search has: expressions, batches, elites and updates."""

    operators: tuple[str, ...] = DEFAULT_OPERATORS
    constants: bool = True
    """whether there is a constant token; the paper's names end in W/C with it and in W/OC without"""
    max_length: int = 32
    """M, the table's max depth: tokens of an expression, at most"""
    max_constants: int = 10
    fit_steps: int = 10
    """trial points of Levenberg–Marquardt, at most, when the constants of a proposed expression are fitted"""
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
    model_selection: str = "accuracy"
    """which equation predicts, where the estimator is not told"""
    max_evaluations: int | None = None
    """expressions scored after which the search ends; None: no limit"""
    patience: int | None = None
    """epochs without a better equation of any size after which the search ends; None: no limit"""

    def __post_init__(self) -> None:
        for name in ("max_evaluations", "patience"):
            if getattr(self, name) is not None:
                check_whole(getattr(self, name), name, least=1)
        for name in ("max_length", "batch_size", "n_epochs", "updates_per_epoch", "epochs_per_reference"):
            check_whole(getattr(self, name), name, least=1)
        for name in ("max_constants", "fit_steps"):
            check_whole(getattr(self, name), name, least=0)
        _check_kind(self.objective, "objective", ObjectiveConfig)
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
        _check_kind(self.denoiser, "denoiser", DenoiserConfig)


@dataclass(frozen=True, kw_only=True)
class DSRConfig(SearchConfig):
    """Deep symbolic regression (Petersen et al. 2019): one risk-seeking step an epoch on an RNN's samples."""

    learning_rate: float = 5e-4
    updates_per_epoch: int = 1
    objective: ObjectiveConfig = ObjectiveConfig(entropy_weight=0.005, sums_entropy=True)
    hidden_size: int = 32
    """units of the LSTM's one layer"""
    min_length: int = 4
    """tokens of an expression, at least"""
    preferred_length: float | None = None
    """length that a soft prior pulls towards, see `autoregressive.constraints.length_preference`; None: there
    is no such prior, as in DSR's results in SRBench; later versions of DSR have 10"""
    length_scale: float = 5.0
    """of the soft prior on the length"""

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
    """The evolutionary search over whole expressions; docs/refiner.md says what a step does."""

    n_islands: int = 4
    """populations that evolve side by side; no more threads than islands are of use"""
    n_sketches: int = 15_000
    """steps of the last island that complete sketches, beside which the others evolve: see docs/refiner.md"""
    island_size: int = 100
    """individuals of a population"""
    tournament_size: int = 8
    """so many are drawn, and the fittest of them is the parent"""
    parsimony: float = 0.02
    """what a token costs, in log(NRMSE)"""
    crowding: float = 0.0
    """adapts `parsimony`: the size that most children have lately costs (1 + crowding) times as much"""
    restart_steps: int = 1500
    """steps without a fitter individual after which an island starts anew from random trees; 0: never"""
    constant_range: float = 1e7
    """expressions with fitted constants above it, or under its inverse, are refused: huge ones that cancel
    imitate any smooth function, and sin(1e-9 x) is nothing but x. Wider where the numbers of a column are
    huge or tiny: there constants are, too"""
    crossover_rate: float = 0.2
    """share of children that have two parents; the others are mutated by one of `moves`"""
    library_rate: float = 0.25
    """share of crossovers whose second parent is a seed of the library, where there are any"""
    moves: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_MOVES))
    """weight of each mutation; those not named are not used"""
    operators: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    """weight of each operator among those of its arity, where one is drawn; 1 for those not named"""
    unary_rate: float = 0.2
    """share of unary operators in random trees"""
    constant_rate: float = 0.15
    """share of constants among random leaves"""
    n_attempts: int = 4
    """times that a move is tried until its child obeys the grammar"""
    most_tries: int = 2
    """times that one structure is fitted, whatever its constants start from"""
    memory_size: int = 2**20
    """structures that are remembered as tried"""
    sync_interval: int = 200
    """steps of an island between two looks at what the others found and tried"""
    migration_interval: int = 2000
    """steps between two migrations, rounded up to whole `sync_interval`s"""
    n_migrants: int = 3
    """so many of the Pareto front and as many of another island come into each island"""
    fit_rows: int = 128
    """rows that children are fitted on, at most; the hall of fame is judged on all"""
    fit_steps: int = 12
    """trial points of Levenberg–Marquardt for a child, from its parents' constants"""
    polish_steps: int = 30
    """the same for one that may enter the hall of fame"""
    is_scale_free: bool = True
    """fit scale * expression + offset instead of the bare expression"""
    tolerance: float = 1e-6
    """a fit ends when a step lowers the squares by less than this share"""
    n_seeds: int = 40
    """expressions of one `seed` that enter the populations; the others enter the library"""
    library_size: int = 512
    """seeds that are kept to take subtrees from"""
    dictionary_size: int = 8000
    """small expressions in which the move `match` looks up what a place in a tree should be"""
    list_size: int = 150
    """expressions on the shortlist: what the fitting rows do not tell from the best; 0: there is none"""
    list_rows: int = 1500
    """rows that they are fitted and judged on, at most"""
    list_slack: float = 0.03
    """in log(NRMSE) on the fitting rows: what is worse than the best by less may be on the shortlist"""
    list_share: float = 0.04
    """of the children, those that may be fitted on so many rows"""
    exact: float = 1e-12
    """NRMSE under which a fit is exact and ends the search; 0: never"""

    def __post_init__(self) -> None:
        least_one = "n_islands island_size tournament_size n_attempts most_tries sync_interval"
        for name in f"{least_one} migration_interval fit_rows list_rows memory_size".split():
            check_whole(getattr(self, name), name, least=1)
        check_whole(self.n_islands, "n_islands", least=1, most=1024)
        for name in (
            "n_sketches",
            "n_migrants",
            "restart_steps",
            "fit_steps",
            "polish_steps",
            "n_seeds",
            "library_size",
            "dictionary_size",
            "list_size",
        ):
            check_whole(getattr(self, name), name, least=0)
        for name in ("crossover_rate", "library_rate", "unary_rate", "constant_rate", "list_share"):
            _check_number(getattr(self, name), name, 1.0)
        for name in (
            "parsimony",
            "crowding",
            "constant_range",
            "tolerance",
            "list_slack",
            "exact",
        ):
            _check_number(getattr(self, name), name, float_info.max)
        _check_weights(self.moves, "moves", _core.MOVES)
        _check_weights(self.operators, "operators", tuple(OPERATORS))


@dataclass(frozen=True, kw_only=True)
class DefaultConfig(PaperConfig):
    """The default search: a refiner, and a small generator that learns with it."""

    operators: tuple[str, ...] = (*DEFAULT_OPERATORS, *RARE_OPERATORS)
    batch_size: int = 200
    elite_fraction: float = 0.25
    learning_rate: float = 1e-3
    n_epochs: int = 60
    oversampling: int = 1
    denoiser: DenoiserConfig = DenoiserConfig(width=32, feed_forward_width=128)
    model_selection: str = "description_length"
    is_scale_free: bool = True
    """fit scale * expression + offset instead of the bare expression, the generator's and the refiner's"""
    evolution: RefinerConfig = field(default_factory=RefinerConfig)
    """of the refiner"""
    evaluations_per_epoch: int = 20_000
    """of the refiner"""
    least_share: float = 0.03
    """of the time that the generator has, whatever it finds"""
    most_share: float = 0.5
    head_start: float = 20.0
    """seconds that the refiner has alone"""
    symmetries: bool = True
    """search, beside, in the fewer inputs that symmetries of what was found leave: x - y, or x / y"""
    prior: str | None = "default"
    """a generator trained before, whose proposals the refiner takes in and which is then taught in place of a
    new one: the path of its weights, as text or `os.PathLike`, or `default` for those of the package; None:
    there is none"""
    prior_share: float = 0.05
    """of the time that the prior's proposals may take"""
    prior_learning_rate: float = 1e-4
    """γ, where the prior is taught"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_whole(self.evaluations_per_epoch, "evaluations_per_epoch", least=1)
        _check_kind(self.evolution, "evolution", RefinerConfig)
        _check_number(self.least_share, "least_share", 1.0)
        _check_number(self.most_share, "most_share", 1.0)
        if self.least_share > self.most_share:
            raise MethodError(f"least_share, {self.least_share}, is above most_share, {self.most_share}")
        _check_number(self.head_start, "head_start", float_info.max)
        if not isinstance(self.symmetries, bool):
            raise MethodError(f"symmetries must be True or False, got {self.symmetries!r}")
        if isinstance(self.prior, PathLike):
            # Text is what files of settings hold. The whole path is never taken for the name `default`.
            object.__setattr__(self, "prior", str(Path(self.prior).absolute()))
        if not (self.prior is None or isinstance(self.prior, str)):
            raise MethodError(f"prior must be None, 'default' or the path of weights, got {self.prior!r}")
        _check_number(self.prior_share, "prior_share", 1.0)
        _check_between(self.prior_learning_rate, "prior_learning_rate", 0, float_info.max)


AnySettings = TypeVar("AnySettings", SearchConfig, DenoiserConfig, ObjectiveConfig, RefinerConfig)


def changed(base: AnySettings, changes: Mapping[str, object], where: str) -> AnySettings:
    """With these settings; those that have settings of their own may be a dict of them."""
    known = [each.name for each in fields(base)]
    new: dict[str, Any] = {}
    for name, value in changes.items():
        if name not in known:
            raise MethodError(f"unknown setting {name!r} in {where}; known are: {', '.join(known)}")
        part = getattr(base, name)
        is_of_parts = isinstance(part, (DenoiserConfig, ObjectiveConfig, RefinerConfig))
        is_dict = is_of_parts and isinstance(value, Mapping)
        new[name] = changed(part, cast(Mapping[str, object], value), name) if is_dict else value
    return replace(base, **new)
