import subprocess
import sys
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from ddsr.config import (
    DefaultConfig,
    DenoiserConfig,
    DSRConfig,
    ObjectiveConfig,
    PaperConfig,
    SearchConfig,
)
from ddsr.engine import Engine
from ddsr.errors import DDSRError, DeviceError, MethodError
from ddsr.generators import device
from ddsr.generators.device import check_memory, chunked_bytes, forward_bytes, rows_bytes
from ddsr.learning.memory import EliteMemory, ShortTermMemory
from ddsr.learning.objective import GRPO, RiskSeekingPolicyGradient
from ddsr.search import presets as methods
from ddsr.search.contributors.evolution import Refiner
from ddsr.search.presets import MEMORIES, OBJECTIVES, PRESETS, assemble, parse_method, settings
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(40, 3))
Y = np.sin(3 * X[:, 0]) * X[:, 1]
TINY = {"max_length": 6, "batch_size": 20, "denoiser": DenoiserConfig(feed_forward_width=16)}
NAMES = ("paper", "paper:memory=short", "paper:objective=rspg", "uniform")
LEARNING = {"batch_size": 200, "oversampling": 1, "elite_fraction": 0.25, "updates_per_epoch": 1}
LEARN_ONCE = f"""
import sys
import numpy as np
from ddsr.config import DenoiserConfig
from ddsr.expression import Vocabulary
from ddsr.search.presets import assemble

X = np.random.default_rng(0).uniform(1, 2, (40, 2))
y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 0] / X[:, 1])
config = {LEARNING!r} | {{"denoiser": DenoiserConfig(feed_forward_width=int(sys.argv[1]))}}
states, _ = assemble("paper", Vocabulary(("x", "y")), X, y, config=config, device="cpu")
next(states), next(states)  # in the second epoch the pool is joined
# not ru_maxrss, which begins with what the process held that started this one
print(next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def tiny_of(name):
    """Small settings for the method."""
    if name.startswith("dsr"):
        return {"max_length": 6, "min_length": 2, "batch_size": 20}
    return TINY


@pytest.mark.parametrize("name", NAMES)
def test_every_method_runs_by_name_and_keeps_its_name(name):
    assert str(parse_method(name)) == name
    states, engine = assemble(name, PLAIN, X, Y, config=TINY, device="cpu")
    first, second = islice(states, 2)
    assert engine.n_rows == 40
    assert first.epoch == 0 and second.n_scored <= 40
    assert len(first.front) > 0
    assert (second.stats.update is None) == (name == "uniform")


DEFAULT_NAMES = (
    "ddsr",
    "ddsr:generator=none",
    "ddsr:refiner=none",
    "ddsr:is_scale_free=false",
    "ddsr:match=false",
    "ddsr:sketches=false",
    "ddsr:generator=none:model_selection=accuracy",
)


@pytest.mark.parametrize("name", DEFAULT_NAMES)
def test_the_default_runs_without_any_of_its_parts(name):
    assert str(parse_method(name)) == name
    small = TINY | {"evaluations_per_epoch": 100, "least_share": 0.5, "prior": None, "updates_per_epoch": 1}
    states, _ = assemble(name, PLAIN, X, Y, config=small, device="cpu")
    first, second = (state.stats for state in islice(states, 2))
    assert ("refine" in first.seconds) == ("refiner=none" not in name)
    assert ("propose" in second.seconds) == ("none" not in name)
    assert (second.update is None) == ("generator=none" in name)


def test_options_of_the_default_that_are_settings():
    assert settings(parse_method("ddsr")) == DefaultConfig()
    bound = settings(parse_method("ddsr:is_scale_free=false:model_selection=best"))
    assert bound == DefaultConfig(is_scale_free=False, model_selection="best")
    method = parse_method("ddsr:model_selection=best:generator=none")
    assert str(method) == "ddsr:generator=none:model_selection=best"
    # an option written as a setting of the configuration may still select a part
    assert settings(parse_method("paper:objective=rspg")) == PaperConfig()


@pytest.mark.parametrize("text", ["ddsr:generator=none:refiner=none", "ddsr:refiner=none:generator=none"])
def test_a_method_without_parts_is_refused_before_any_work(monkeypatch, text):
    def touched(*_, **__):
        raise AssertionError("data were looked at")

    monkeypatch.setattr(Engine, "__init__", touched)
    with pytest.raises(MethodError, match="leave nothing to search with"):
        assemble(text, PLAIN, X, Y)


def test_options_can_be_combined_in_any_order():
    method = parse_method("paper:memory=short:objective=rspg")
    assert method == parse_method("paper:objective=rspg:memory=short")
    assert str(method) == "paper:objective=rspg:memory=short"
    assert parse_method("paper:memory=long:generator=masked") == parse_method("paper")


def test_steps_are_a_setting_by_another_name():
    method = parse_method("paper:steps=8:start=prior")
    assert str(method) == "paper:start=prior:steps=8"
    assert settings(method) == PaperConfig(denoising_steps=8)
    assert settings(method, {"denoising_steps": 5}).denoising_steps == 8  # the name is what is reported
    assert settings(parse_method("paper:steps=all"), {"denoising_steps": 5}).denoising_steps == 5
    with pytest.raises(MethodError, match="unknown value '7' of option 'steps'; choose from: all, 16, 8, 4"):
        parse_method("paper:steps=7")


def test_the_tables_name_the_papers_classes():
    config = PaperConfig()
    assert isinstance(MEMORIES["long"](3), EliteMemory) and isinstance(MEMORIES["short"](3), ShortTermMemory)
    assert OBJECTIVES["grpo"](config) == GRPO(config.objective)
    assert OBJECTIVES["rspg"](config) == RiskSeekingPolicyGradient(config.objective)


def test_the_variants_differ():
    def losses(name):
        states, _ = assemble(name, PLAIN, X, Y, config=tiny_of(name), device="cpu")
        return [state.stats.update.loss for state in islice(states, 3)]

    found = [losses(name) for name in NAMES[:3]]
    assert found[0][0] == pytest.approx(found[1][0])  # at first both memories hold the same
    assert found[0][2] != found[1][2]
    assert found[0] != found[2]
    others = (
        "paper:generator=d3pm",
        "paper:steps=4",
        "paper:generator=d3pm:steps=4",
        "dsr",
        "dsr:objective=grpo",
    )
    all_found = [*found, *map(losses, others), losses("dsr:memory=long")[1:]]
    assert len({tuple(each) for each in all_found}) == len(all_found)


@pytest.mark.parametrize("name", ["paper", "dsr"])
def test_methods_without_constants_have_none(name):
    for variant, has_constant in ((name, True), (f"{name}:constants=false", False)):
        assert settings(parse_method(variant)).vocabulary(["x"]).has_constant is has_constant


@pytest.mark.parametrize("name", ["paper:objective=rspg", "dsr"])
def test_settings_without_an_effect_are_refused(name):
    for setting in ({"clip_range": 0.1}, {"kl_weight": 0.5}, {"counts_masked_only": True}):
        with pytest.raises(MethodError, match="has no effect on the risk-seeking gradient"):
            assemble(name, PLAIN, X, Y, config=tiny_of(name) | {"objective": setting}, device="cpu")
    assemble(name, PLAIN, X, Y, config=tiny_of(name) | {"objective": {"entropy_weight": 0.1}}, device="cpu")


def test_settings_of_a_part_may_be_a_dict():
    config = settings(parse_method("paper"), {"objective": {"clip_range": 0.1}, "denoiser": {"width": 8}})
    assert config.objective == ObjectiveConfig(clip_range=0.1) and config.denoiser.width == 8
    default = settings(parse_method("ddsr"), {"denoiser": {"n_heads": 2}, "evolution": {"n_islands": 2}})
    assert default.denoiser == replace(DefaultConfig().denoiser, n_heads=2)  # of the preset, not of the paper
    assert default.evolution.n_islands == 2


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"objective": {"clip": 0.1}}, "unknown setting 'clip' in objective .did you mean 'clip_range'"),
        ({"objective": 3}, r"objective must be a dict of settings or ObjectiveConfig\(...\), got 3"),
        ({"denoiser": "wide"}, r"denoiser must be a dict of settings or DenoiserConfig"),
        ({"objective": {"clip_range": -0.5}}, "clip_range must be a number from 0"),
        ({"objective": {"kl_weight": float("nan")}}, "kl_weight must be a number from 0"),
        ({"objective": {"entropy_weight": "a"}}, "entropy_weight must be a number from 0"),
        ({"objective": {"counts_masked_only": 1}}, "counts_masked_only must be True or False"),
    ],
)
def test_bad_settings_of_a_part_are_reported(config, message):
    with pytest.raises(MethodError, match=message):
        settings(parse_method("paper"), config)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "unknown preset ''; choose from: ddsr, paper, dsr, uniform"),
        ("Paper", "unknown preset 'Paper'"),
        (
            "paper:mem=short",
            "has no option 'mem' .did you mean 'memory'.*; its options are: generator, objective, memory",
        ),
        ("paper:memory", "unknown value '' of option 'memory'; choose from: long, short"),
        ("paper:memory=", "unknown value ''"),
        ("paper:", "has no option ''"),
        ("paper:memory=short:memory=long", "more than once"),
        ("uniform:memory=short", "'uniform' has no option 'memory'; its options are: none"),
        (None, "must be a name"),
    ],
)
def test_unknown_names_are_refused_with_those_known(text, message):
    with pytest.raises(MethodError, match=message):
        parse_method(text)


def test_settings_change_the_presets():
    method = parse_method("paper")
    assert settings(method) == PaperConfig()
    assert settings(method, {"n_epochs": 7}) == replace(PaperConfig(), n_epochs=7)
    whole = PaperConfig(batch_size=3)
    assert settings(method, whole) == whole
    assert settings(parse_method("dsr:constants=false")).constants is False
    assert settings(parse_method("dsr:constants=false"), {"constants": True}).constants is False
    assert settings(parse_method("dsr"), {"constants": False}).constants is False
    assert settings(parse_method("dsr")) == DSRConfig()


@pytest.mark.parametrize(
    "change",
    [
        {"batch_size": 0},
        {"batch_size": 1.5},
        {"max_constants": -1},
        {"fit_steps": -1},
        {"elite_fraction": 0.0},
        {"elite_fraction": "all"},
        {"learning_rate": float("nan")},
        {"batches": 2},
        [("batch_size", 3)],
    ],
)
def test_bad_settings_are_refused(change):
    with pytest.raises(DDSRError):
        settings(parse_method("paper"), change)


def test_bad_networks_are_refused():
    with pytest.raises(DDSRError, match="multiple of 4 and of n_heads"):
        DenoiserConfig(width=15)
    with pytest.raises(DDSRError, match="multiple of 4 and of n_heads"):
        DenoiserConfig(width=16, n_heads=3)


@pytest.mark.parametrize("name", ["ddsr", "paper", "uniform"])
def test_a_gpu_that_is_not_there_is_refused(monkeypatch, name):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(MethodError, match="finds no CUDA GPU"):
        assemble(name, PLAIN, X, Y, device="cuda")
    assert device.find_device("auto") == torch.device("cpu")
    with pytest.raises(MethodError, match="choose from: auto, cpu, cuda"):
        assemble(name, PLAIN, X, Y, device="gpu")


def test_a_gpu_that_cannot_be_used_is_refused(monkeypatch):
    def busy(*_, **__):
        raise RuntimeError("CUDA error: CUDA-capable device(s) is/are busy or unavailable\nmore lines")

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch, "zeros", busy)
    with pytest.raises(DeviceError, match=r"cannot be used now: CUDA error: .* unavailable\. Check with"):
        assemble("paper", PLAIN, X, Y, device="cuda")


@pytest.mark.parametrize("name", ["ddsr", "paper", "paper:generator=d3pm", "dsr", "uniform"])
@pytest.mark.parametrize("where", ["cpu", "auto"])
def test_a_batch_too_large_for_memory_is_refused_before_any_work(monkeypatch, name, where):
    n_scored, score = [], Engine.score

    def counting(self, *arguments, **options):
        n_scored.append(1)
        return score(self, *arguments, **options)

    monkeypatch.setattr(Engine, "score", counting)
    with pytest.raises(MethodError, match="GiB free: lower batch_size"):
        assemble(name, PLAIN, X, Y, config={"batch_size": 10**9}, device=where)
    assert n_scored == []
    assemble(name, PLAIN, X, Y, config=tiny_of(name), device=where)
    assert n_scored  # the baseline


def test_memory_is_counted_as_the_device_uses_it():
    assert rows_bytes(SearchConfig(), 13) == 1000 * 4 * (32 + 2 * 10 + 13) * 4
    assert forward_bytes(PaperConfig()) == 3 * 1000 * 32 * 2048 * 8
    # on the processor: a step on the joined pool, or the logits if there are many variables
    assert chunked_bytes(PaperConfig(), 13) == 2 * 50 * 32 * 2048 * 4 * 6
    assert chunked_bytes(PaperConfig(), 1000) == 3 * 1000 * 32 * 1000 * 4 * 2


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are counted in other units elsewhere")
def test_the_memory_estimate_matches_a_step():
    """Peaks of a process that learns once from a wide network's pool, beyond what it held before."""
    widths = (64, 4096)
    peaks = [int(subprocess.check_output([sys.executable, "-c", LEARN_ONCE, str(width)])) for width in widths]
    configs = [PaperConfig(**LEARNING, denoiser=DenoiserConfig(feed_forward_width=width)) for width in widths]
    counted = chunked_bytes(configs[1], 13) - chunked_bytes(configs[0], 13)
    assert 0.6 < (peaks[1] - peaks[0]) / counted < 1.4


def test_settings_of_another_method_are_refused():
    with pytest.raises(MethodError, match="must be a PaperConfig, not a DSRConfig"):
        assemble("paper", PLAIN, X, Y, config=DSRConfig(), device="cpu")
    with pytest.raises(MethodError, match="must be a DefaultConfig, not a PaperConfig"):
        assemble("ddsr", PLAIN, X, Y, config=PaperConfig(), device="cpu")
    with pytest.raises(MethodError, match="must be a DSRConfig, not a PaperConfig"):
        assemble("dsr", PLAIN, X, Y, config=PaperConfig(), device="cpu")


def test_memory_is_known_without_proc(monkeypatch):
    def missing(*_):
        raise OSError

    monkeypatch.setattr(device, "open", missing, raising=False)
    assert device.free_bytes("cpu") > 0
    monkeypatch.setattr(device.os, "sysconf", missing)
    assert device.free_bytes("cpu") is None
    check_memory(PaperConfig(batch_size=10**9), "cpu", 13)


@pytest.mark.parametrize("name", ["uniform", "ddsr"])
def test_the_start_of_a_search_leaves_torch_alone(name):
    code = (
        "from ddsr.search.presets import assemble; from ddsr.expression import Vocabulary; import sys\n"
        f"states, _ = assemble({name!r}, Vocabulary(['x']), [[1.0], [2.0], [4.0]], [1.0, 5.0, 3.0])\n"
        "next(states); assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_preset_has_defaults_among_its_values():
    for name, preset in PRESETS.items():
        assert dict(parse_method(name).options) == preset.defaults
        assert isinstance(preset.config, SearchConfig)
    assert methods.parse_method("paper").options[0] == ("generator", "masked")


@pytest.mark.parametrize("name", ["ddsr", "ddsr:match=false", "ddsr:sketches=false"])
def test_the_look_up_and_the_sketches_can_be_left_out(name, monkeypatch):
    made = []
    monkeypatch.setattr(methods, "Refiner", lambda *args: made.append(args[2]) or Refiner(*args))
    states, _ = assemble(name, PLAIN, X, Y, config=TINY | {"evaluations_per_epoch": 100}, device="cpu")
    next(states)
    assert ("match" in made[0].moves) == (name != "ddsr:match=false")
    assert (made[0].n_sketches > 0) == (name != "ddsr:sketches=false")
