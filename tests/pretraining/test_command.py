"""`ddsr prior train` and `export` on a few examples of the core."""

import json
import signal
import subprocess
import sys
from dataclasses import asdict

import pytest
import torch
from click.testing import CliRunner

from ddsr._core import PAD
from ddsr.cli.entry import main
from ddsr.generators.prior.weights import Card, load_weights
from ddsr_pretraining.checkpoint import load_checkpoint
from ddsr_pretraining.command import example_source
from ddsr_pretraining.config import TrainingConfig, read_settings, settings_from
from ddsr_pretraining.training import HELD_OUT, Stage, Trainer
from ddsr_pretraining.zero_shot import Sampling, evaluate, held_out_cases

SMALL = [
    *("--set", "batch_size=8", "--set", "batches_per_chunk=2", "--set", "look_rows=16", "--set", "width=24"),
    *("--set", "n_heads=2", "--set", "cell_width=8", "--set", "n_layers=1", "--set", "n_row_layers=1"),
]


@pytest.fixture(autouse=True)
def few_held_out(monkeypatch):
    monkeypatch.setattr("ddsr_pretraining.training.Trainer.held_out_loss", lambda trainer: 1.0)


def run(*arguments):
    return CliRunner().invoke(main, ["prior", *map(str, arguments)])


def test_training_is_resumed_in_stages_and_exported(tmp_path):
    out, weights = tmp_path / "run", tmp_path / "prior.safetensors"
    first = run("train", "--out", out, "--steps", 3, "--threads", 1, *SMALL)
    assert first.exit_code == 0, first.output
    refused = run("train", "--out", out, "--steps", 1)
    assert refused.exit_code == 1 and "--resume" in refused.output
    refused = run("train", "--out", out, "--steps", 1, "--resume", "--set", "n_views=1")
    assert refused.exit_code == 1 and "keeps its settings" in refused.output
    second = run("train", "--out", out, "--steps", 2, "--resume", "--anneal", "--threads", 1)
    assert second.exit_code == 0, second.output
    curve = [json.loads(line) for line in (out / "curve.jsonl").read_text().splitlines()]
    assert [point["step"] for point in curve] == [3, 5]
    assert run("export", out, "--out", weights).exit_code == 0
    network, card = load_weights(weights)
    assert (card.steps, card.training["batch_size"], network.config.width) == (5, 8, 24)
    assert card.recipe["n_rows"] == 16


def test_resuming_without_a_training_is_refused(tmp_path):
    refused = run("train", "--out", tmp_path / "run", "--steps", 1, "--resume", *SMALL)
    assert refused.exit_code == 1 and "has no training run to resume" in refused.output
    assert not (tmp_path / "run").exists()


def test_the_advice_after_a_nan_loss_works(tmp_path, monkeypatch):
    out, weights = tmp_path / "run", tmp_path / "prior.safetensors"
    assert run("train", "--out", out, "--steps", 2, "--threads", 1, *SMALL).exit_code == 0
    with monkeypatch.context() as broken:
        broken.setattr(Trainer, "step", lambda *_: (torch.tensor(torch.nan), torch.tensor(1.0)))
        failed = run("train", "--out", out, "--steps", 3, "--threads", 1, "--resume")
    advice = " ".join(failed.output.split())
    assert failed.exit_code == 1 and "learning_rate below 0.001" in advice
    assert "`ddsr prior export`, then `ddsr prior train --from`" in advice
    assert load_checkpoint(out).progress.step == 2  # the last valid one
    assert run("export", out, "--out", weights).exit_code == 0
    further = ("--from", weights, "--set", "learning_rate=1e-4", "--set", "batch_size=8")
    assert run("train", "--out", tmp_path / "new", "--steps", 1, "--threads", 1, *further).exit_code == 0
    assert load_checkpoint(tmp_path / "new").training.learning_rate == 1e-4


@pytest.mark.slow
def test_a_training_starts_from_weights(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    one, other = tmp_path / "one.safetensors", tmp_path / "other.safetensors"
    assert run("train", "--out", first, "--steps", 3, "--threads", 1, *SMALL).exit_code == 0
    assert run("export", first, "--out", one).exit_code == 0
    wrong = run("train", "--out", second, "--from", one, "--steps", 1, "--set", "width=32")
    assert wrong.exit_code == 1 and "the weights have width=24" in wrong.output
    settings = ("--set", "batch_size=4", "--set", "warm_up=50")
    started = run("train", "--out", second, "--from", one, "--steps", 2, "--threads", 1, *settings)
    assert started.exit_code == 0, started.output
    refused = run("train", "--out", second, "--from", one, "--steps", 1, "--resume")
    assert refused.exit_code == 1 and "leave out --from" in refused.output
    assert run("train", "--out", second, "--steps", 1, "--resume", "--threads", 1).exit_code == 0
    assert run("export", second, "--out", other).exit_code == 0
    (before, card), (after, later) = load_weights(one), load_weights(other)
    assert (later.steps, later.training["seed"], later.training["warm_up"]) == (3, 1, 50)
    assert later.recipe == card.recipe and after.config == before.config
    assert later.n_examples == 3 * 8 + 3 * 4 and later.all_hours > max(card.hours, later.hours)
    assert later.origin["sha256"] in other.with_suffix(".md").read_text()
    moved = [(a - b).abs().max() for a, b in zip(before.parameters(), after.parameters(), strict=True)]
    assert 0 < max(moved) < 1e-3  # three steps of warm-up from the given weights, not from random ones


def test_only_the_rows_looked_at_may_differ_from_the_weights():
    network, training, recipe = read_settings({"look_rows": 16, "noisy_share": 0.25, "seed": 4})
    card = Card(network, asdict(training), asdict(recipe), 10, 0.5)
    sizes, options, examples = settings_from(card, {"look_rows": 32})
    assert (sizes.look_rows, examples.n_rows, examples.noisy_share) == (32, 32, 0.25)
    assert (options.seed, options.learning_rate) == (5, TrainingConfig().learning_rate)


@pytest.mark.slow
def test_terminated_stages_are_saved(tmp_path):
    arguments = ["prior", "train", "--out", str(tmp_path / "run"), "--steps", "1000000", "--threads", "1"]
    command = [sys.executable, "-m", "ddsr", *arguments, *SMALL]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("step"):
                process.send_signal(signal.SIGTERM)
                break
        assert "saved in" in process.stdout.read()
    assert process.returncode == 0
    assert load_checkpoint(tmp_path / "run").progress.step >= 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--steps", "1", "--set", "width"), "NAME=NUMBER"),
        (("--steps", "1", "--set", "depth=3"), "unknown setting 'depth'"),
        (("--steps", "1", "--set", "width=0"), "width"),
        (("--steps", "1", "--set", 'noisy_share="abc"'), "noisy_share must be a number, got 'abc'"),
        (("--steps", "1", "--set", "least_noise=null"), "least_noise must be a number, got None"),
        (("--steps", "1", "--set", "learning_rate=true"), "learning_rate must be a number, got True"),
        (("--steps", "1", "--set", "n_rows=64"), "use look_rows instead"),
        (("--steps", "1", "--device", "foo"), "unknown device 'foo'"),
        (("--steps", "1", "--device", "cuda"), "torch finds no CUDA GPU"),
        (("--steps", "1", "--device", "cpu:first"), "torch cannot use the device 'cpu:first'"),
        (("--steps", "1", "--final-share", "0.5"), "--anneal"),
        ((), "--seconds or --steps"),
    ],
)
def test_mistakes_are_named(tmp_path, monkeypatch, arguments, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    done = run("train", "--out", tmp_path / "run", *SMALL, *arguments)
    assert done.exit_code in (1, 2) and message in done.output
    assert not (tmp_path / "run" / "state.json").exists()


def test_recipes_have_the_limits_of_the_network():
    network, training, recipe = read_settings({"max_variables": 2, "max_length": 12, "batch_size": 9})
    assert (network.max_variables, recipe.max_variables, recipe.max_length) == (2, 2, 12)
    assert training.batch_size == 9 and recipe.n_rows == network.look_rows
    make = example_source(recipe, 0, 1)
    examples = make(HELD_OUT, 30)
    assert examples.tokens.shape == (30, 12) and (examples.tokens != PAD).any(axis=1).all()


@pytest.mark.slow
def test_1500_steps_on_one_variable_beat_no_training(monkeypatch):
    monkeypatch.undo()
    settings = {"max_variables": 1, "max_length": 16, "look_rows": 32, "batch_size": 64, "warm_up": 100}
    sizes = {"cell_width": 32, "n_row_layers": 2, "width": 64, "n_heads": 2, "n_layers": 2}
    network, training, recipe = read_settings({**settings, **sizes, "learning_rate": 2e-3})
    trainer = Trainer(network, training, example_source(recipe, 0, 1), {}, torch.device("cpu"))
    cases = list(held_out_cases(vars(recipe), 0, 60))

    def n_hits():
        return sum(evaluate(trainer.network, case, Sampling(n=30)).is_hit for case in cases)

    untrained, untrained_loss = n_hits(), trainer.held_out_loss(512)
    for _ in trainer.run(Stage(steps=1500)):
        pass
    assert trainer.held_out_loss(512) < untrained_loss - 0.8
    assert n_hits() >= untrained + 10  # of 60
