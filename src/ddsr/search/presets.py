"""Search methods by name, such as `paper:memory=short`, assembled from their parts.

A name is a preset and the options that differ from its defaults. Each option has a table from its values to
classes, or to functions that import them, since torch takes seconds to import. A new variant is one more row;
a new preset is one more function that takes a `Problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from ddsr.config import DefaultConfig, DSRConfig, PaperConfig, SearchConfig, changed
from ddsr.data.dataset import Dataset
from ddsr.engine import Engine, FitOptions, core_units
from ddsr.errors import MethodError, did_you_mean
from ddsr.expression import Vocabulary
from ddsr.generators.device import check_device, check_memory, check_rows, check_torch, find_device, has_torch
from ddsr.generators.prior.weights import check_weights
from ddsr.grammar import Grammar, Rule
from ddsr.grammar.listing import Listing
from ddsr.search.assemble import GENERATORS, MEMORIES, OBJECTIVES, REWARDS, make_reward
from ddsr.search.baseline import baseline
from ddsr.search.contributors.contract import Contributor, TimeShare
from ddsr.search.contributors.evolution import Evolution, Refiner
from ddsr.search.contributors.generator import LearningGenerator, make_proposer
from ddsr.search.contributors.given import check_contributors, make_contributors
from ddsr.search.contributors.prior import Priming, make_primer
from ddsr.search.contributors.symmetry import ReducedSearch
from ddsr.search.default import refined_search
from ddsr.search.engines import engine_of, noise_of
from ddsr.search.loop import SearchState, UniformGenerator, search
from ddsr.search.paper import learned_search
from ddsr.search.prior_start import check_prior, start_from_prior
from ddsr.search.problem import Given, Problem
from ddsr.search.unit_support import check_units

ConfigLike = SearchConfig | Mapping[str, Any] | None


@dataclass(frozen=True)
class Method:
    """A preset and the value of each of its options."""

    preset: str
    options: tuple[tuple[str, str], ...]
    """names and values of all options, in the order of the preset"""

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Options that differ from the defaults of the preset."""
        defaults = PRESETS[self.preset].defaults
        return [(name, value) for name, value in self.options if value != defaults[name]]

    def __str__(self) -> str:
        """Return the shortest name, with only the options that differ from the preset."""
        return ":".join((self.preset, *(f"{name}={value}" for name, value in self.changes)))


def _check_paper(config: SearchConfig, device: str, vocab_size: int) -> None:
    check_torch("the preset 'paper'")
    check_memory(_of_kind(config, PaperConfig), device, vocab_size)


def _start_paper(
    problem: Problem, *, generator: str, objective: str, memory: str, start: str
) -> Iterator[SearchState]:
    """Start Algorithm 1, one of its ablations, or its variant that starts from the prior."""
    check_torch("this method")
    make = start_from_prior if start == "prior" else GENERATORS[generator]
    learner = make(problem, _of_kind(problem.config, PaperConfig))
    # Capture an inner step as one launch: on a GPU, launching its operations takes most of the time.
    is_captured = learner.device.type == "cuda"
    taught_by = OBJECTIVES[objective](problem.config)
    return learned_search(problem, learner, taught_by, MEMORIES[memory], make_reward(problem), is_captured)


def _check_dsr(config: SearchConfig, device: str, vocab_size: int) -> None:
    check_torch("the preset 'dsr'")
    check_rows(_of_kind(config, DSRConfig), vocab_size)


def _start_dsr(problem: Problem, *, objective: str, memory: str) -> Iterator[SearchState]:
    """Start deep symbolic regression; `constants` is one of its settings."""
    from ddsr.generators.recurrent.generator import RecurrentGenerator

    config = _of_kind(problem.config, DSRConfig)
    device = find_device(problem.device)
    learner = RecurrentGenerator(problem.grammar, config, problem.seed, device, problem.deadline)
    return learned_search(
        problem, learner, OBJECTIVES[objective](config), MEMORIES[memory], make_reward(problem)
    )


AnyConfig = TypeVar("AnyConfig", bound=SearchConfig)


def _of_kind(config: SearchConfig, kind: type[AnyConfig]) -> AnyConfig:
    if not isinstance(config, kind):
        raise MethodError(f"config for this method must be a {kind.__name__}, not a {type(config).__name__}")
    return config


def _start_default(
    problem: Problem, *, generator: str, refiner: str, match: str, sketches: str
) -> Iterator[SearchState]:
    """Start the default search: evolution, and a generator that is created when it is first needed."""
    config = _of_kind(problem.config, DefaultConfig)
    if refiner == "none":
        return _start_paper(problem, generator=generator, objective="grpo", memory="long", start="random")
    evolution = replace(config.evolution, is_scale_free=config.is_scale_free)
    if match == "false":
        evolution = replace(evolution, moves=_without_match(evolution.moves))
    if sketches == "false":
        evolution = replace(evolution, n_sketches=0)
    # the prior and the symmetries apply to equations of y, not to fillings of a template or to log-odds
    loss, has_template = problem.data.loss, problem.grammar.vocabulary.template is not None
    is_of_values = loss.is_of_values and not has_template
    has_units = problem.grammar.units is not None
    if has_units and not problem.grammar.core.masks_units:
        generator = "none"  # nearly all that it would propose is inconsistent
    primer = None if generator == "none" or not is_of_values else make_primer(problem, config)
    evolved = Refiner(problem.engine, problem.grammar, evolution, problem.seed, problem.n_threads)
    if problem.starting_points is not None:
        evolved.seed(problem.starting_points.batch)
    contributors: list[Contributor] = [Priming(primer, problem.deadline, config.prior_share)]
    if config.symmetries and is_of_values and loss.is_squared and not has_units:
        options = evolution, problem.seed, problem.n_threads
        contributors.append(ReducedSearch.on(problem.data, problem.engine, problem.grammar, *options))
    # without torch, evolution has the time of the generator
    least_share = config.least_share if generator != "none" and has_torch() else 0.0
    share = TimeShare(least_share, config.most_share, config.head_start)
    contributors.append(LearningGenerator(partial(make_proposer, problem, config, primer), share))
    contributors += make_contributors(problem.contributors, problem)
    return refined_search(
        Evolution(evolved, config.n_elites),
        contributors,
        evaluations=config.evaluations_per_epoch,
        front=problem.front,
        deadline=problem.deadline,
        saved=problem.saved,
    )


def _without_match(moves: Mapping[str, float]) -> dict[str, float]:
    return {name: weight for name, weight in moves.items() if name != "match"}


def _check_default(config: SearchConfig, device: str, vocab_size: int) -> None:
    # Only torch knows whether `auto` is a GPU, and easy problems are solved without importing torch.
    check_memory(_of_kind(config, DefaultConfig), "cpu" if device == "auto" else device, vocab_size)
    prior = _of_kind(config, DefaultConfig).prior
    if prior is not None:
        check_weights(prior)


def _start_uniform(problem: Problem) -> Iterator[SearchState]:
    """Start a search of random expressions, the baseline for methods that learn."""
    generator = UniformGenerator(problem.grammar, problem.seed, problem.n_threads)
    return search(
        generator,
        problem.engine,
        batch_size=problem.config.batch_size,
        front=problem.front,
        deadline=problem.deadline,
        saved=problem.saved,
        lister=problem.lister,
    )


def _check_uniform(config: SearchConfig, device: str, vocab_size: int) -> None:
    """Check memory only: the method has no network."""
    check_rows(config, vocab_size)


@dataclass(frozen=True)
class Preset:
    """The start function of a method and the values of its options, the default value first."""

    check: Callable[[SearchConfig, str, int], None]
    """raises an error for settings that the method or the device cannot run, before any work is done"""
    start: Callable[..., Iterator[SearchState]]
    options: Mapping[str, Sequence[str]]
    config: SearchConfig = PaperConfig()
    settings: Sequence[str] = ()
    """options that set a field of `config` instead of choosing a part"""
    refused: Mapping[str, str] = field(default_factory=dict)
    """option values that are refused in combination"""
    refused_because: str = ""

    @property
    def defaults(self) -> dict[str, str]:
        """The default value of each option."""
        return {name: values[0] for name, values in self.options.items()}


ON_OR_OFF = ("true", "false")
NO_PRIOR = "none"
PRESETS: Mapping[str, Preset] = {
    "ddsr": Preset(
        _check_default,
        _start_default,
        {
            "generator": ("masked", "none"),
            "refiner": ("evolution", "none"),
            "match": ON_OR_OFF,
            "sketches": ON_OR_OFF,
            "is_scale_free": ON_OR_OFF,
            "symmetries": ON_OR_OFF,
            "model_selection": ("description_length", "best", "accuracy"),
            "prior": ("default", NO_PRIOR),
        },
        DefaultConfig(),
        settings=("is_scale_free", "symmetries", "model_selection", "prior"),
        refused={"generator": "none", "refiner": "none"},
        refused_because="leave nothing to search with",
    ),
    "paper": Preset(
        _check_paper,
        _start_paper,
        {
            "generator": tuple(GENERATORS),
            "objective": tuple(OBJECTIVES),
            "memory": tuple(MEMORIES),
            "start": ("random", "prior"),
            "steps": ("all", "16", "8", "4"),
            "reward": tuple(REWARDS),
            "constants": ON_OR_OFF,
        },
        settings=("steps", "reward", "constants"),
        refused={"generator": "d3pm", "start": "prior"},
        refused_because="exclude each other, since the prior predicts masked tokens and D3PM has no masks",
    ),
    "dsr": Preset(
        _check_dsr,
        _start_dsr,
        {"objective": ("rspg", "grpo"), "memory": ("short", "long"), "constants": ON_OR_OFF},
        DSRConfig(),
        settings=("constants",),
    ),
    "uniform": Preset(_check_uniform, _start_uniform, {}),
}


def parse_method(text: str) -> Method:
    """Read `preset` or `preset:option=value:option=value`."""
    if not isinstance(text, str):
        raise MethodError(f"a method must be a name such as 'paper:memory=short', not {text!r}")
    name, *parts = text.split(":")
    if name not in PRESETS:
        hint = did_you_mean(name, PRESETS)
        raise MethodError(f"unknown preset {name!r}{hint}; choose from: {', '.join(PRESETS)}")
    known = PRESETS[name].options
    chosen: dict[str, str] = {}
    for part in parts:
        option, _, value = part.partition("=")
        if option not in known:
            listed = ", ".join(known) or "none"
            hint = did_you_mean(option, known)
            raise MethodError(f"preset {name!r} has no option {option!r}{hint}; its options are: {listed}")
        if value not in known[option]:
            listed = ", ".join(known[option])
            listed += "; to use a file, pass prior= or `ddsr fit --prior`" if option == "prior" else ""
            hint = did_you_mean(value, known[option])
            raise MethodError(f"unknown value {value!r} of option {option!r}{hint}; choose from: {listed}")
        if option in chosen:
            raise MethodError(f"option {option!r} is given more than once in {text!r}")
        chosen[option] = value
    refused = PRESETS[name].refused
    if refused and all(chosen.get(option) == value for option, value in refused.items()):
        listed = " and ".join(f"{option}={value}" for option, value in refused.items())
        raise MethodError(f"{listed} {PRESETS[name].refused_because}: drop one of them")
    return Method(name, tuple((PRESETS[name].defaults | chosen).items()))


def _setting(method: Method, option: str, value: str) -> tuple[str, object]:
    """Return the field of `config` that an option sets, and its value."""
    if option == "prior":
        return option, None if value == NO_PRIOR else value
    if option == "steps":
        return "denoising_steps", int(value)
    is_switch = tuple(PRESETS[method.preset].options[option]) == ON_OR_OFF
    return option, value == "true" if is_switch else value


def settings(method: Method, config: ConfigLike = None) -> SearchConfig:
    """Return the preset's settings with the changes of `config` and of the method's options.

    A complete settings object replaces those of the preset; options that differ from the preset still apply.
    """
    if config is not None and not isinstance(config, (Mapping, SearchConfig)):
        kind = type(PRESETS[method.preset].config).__name__
        raise MethodError(f"config must be a {kind} or a dict of settings, got {config!r}")
    base = config if isinstance(config, SearchConfig) else PRESETS[method.preset].config
    changes = dict(config) if isinstance(config, Mapping) else {}
    changes |= dict(
        _setting(method, name, value)
        for name, value in method.changes
        if name in PRESETS[method.preset].settings
    )
    if changes.get("reward") == "description_length":  # choose the equation with the highest reward
        changes.setdefault("model_selection", "description_length")
    return changed(base, changes, "config")


def pose(
    method: Method,
    vocabulary: Vocabulary,
    X: Dataset | ArrayLike,
    y: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    config: SearchConfig,
    rules: Sequence[Rule] = (),
    seed: int = 0,
    device: str = "auto",
    n_threads: int = 1,
    contributors: Sequence[Given] = (),
) -> Problem:
    """Check all inputs and score the baseline, before any method starts."""
    check_device(device)
    given = check_contributors(contributors)
    if given and dict(method.options).get("refiner") != "evolution":
        raise MethodError(
            f"contributors propose expressions to evolution, which '{method}' does not have: "
            "leave them out, or use the preset 'ddsr'"
        )
    PRESETS[method.preset].check(config, device, len(vocabulary))
    check_prior(str(method), dict(method.options), config)
    data = Dataset.of(X, y, sample_weight, counts, names=vocabulary.variables)
    grammar = Grammar(vocabulary, config.max_length, config.max_constants, rules, core_units(data.units))
    check_units(grammar, method.preset, str(method), dict(method.options).get("refiner") == "evolution")
    if isinstance(config, DefaultConfig) and not Listing(grammar).always_allows_scale_and_offset:
        config = replace(config, is_scale_free=False)  # fit only forms that may be listed
    is_scale_free = isinstance(config, DefaultConfig) and config.is_scale_free
    options = FitOptions(max_steps=config.fit_steps, is_scale_free=is_scale_free)
    engine = engine_of(grammar, data, config, options, seed, n_threads)
    noise = noise_of(engine, config)
    if noise.weights is not None:
        engine = engine.reweighted(noise.weights)
    front = baseline(engine, grammar)
    parts = data, engine, grammar, config, front, seed, device, n_threads
    return Problem(*parts, noise=noise.kind, contributors=given)


def start(method: Method, problem: Problem) -> Iterator[SearchState]:
    """Build the method's parts and return its states; the first epoch runs when the first is requested."""
    preset = PRESETS[method.preset]
    parts = {name: value for name, value in method.options if name not in preset.settings}
    return preset.start(problem, **parts)


def assemble(
    method: Method | str,
    vocabulary: Vocabulary,
    X: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    config: ConfigLike = None,
    rules: Sequence[Rule] = (),
    seed: int = 0,
    device: str = "auto",
    n_threads: int = 1,
) -> tuple[Iterator[SearchState], Engine]:
    """Return a search by the name of its method, and the engine that it scores with."""
    method = parse_method(method) if isinstance(method, str) else method
    problem = pose(
        method,
        vocabulary,
        X,
        y,
        sample_weight,
        config=settings(method, config),
        rules=rules,
        seed=seed,
        device=device,
        n_threads=n_threads,
    )
    return start(method, problem), problem.engine
