"""Weight files: valid ones load without a pickle, others are refused."""

import hashlib
import json
import pickle

import numpy as np
import pytest
import torch

from ddsr._core import MASK
from ddsr.errors import DataError, MethodError
from ddsr.generators.prior.network import PriorNetwork
from ddsr.generators.prior.tensor_file import read_tensors, write_tensors
from ddsr.generators.prior.weights import find_weights, load_weights
from ddsr_pretraining.checkpoint import STATE, load_checkpoint, save_checkpoint
from ddsr_pretraining.training import Trainer
from prior_cases import QUICK, TINY, PlainMaker

MEANT = [
    [-0.55298, 0.63642, -0.70167, 0.155, -0.25517, -0.21901, 0.51524, -0.41124, 0.86361, -0.53414]
    + [0.47066, -0.42751, -1.79869, -0.42556, -2.50472],
    [-0.54827, 0.63331, -0.70066, 0.15627, -0.2585, -0.21417, 0.50968, -0.40587, 0.85933, -0.53165]
    + [0.47037, -0.42947, -1.77724, -0.42352, -2.48288],
]
"""logits of `test_stored_weights_give_the_same_logits`"""


@pytest.fixture
def trainer():
    return Trainer(TINY, QUICK, PlainMaker(), {"max_variables": 1}, torch.device("cpu"))


@pytest.fixture
def path(trainer, tmp_path):
    prior = trainer.checkpoint().to_prior().with_scores({"ground-truth": "1 of 133"})
    prior.save(tmp_path / "prior.safetensors")
    return tmp_path / "prior.safetensors"


def test_weights_come_back(trainer, path):
    network, card = load_weights(path)
    for name, parameter in trainer.network.named_parameters():
        torch.testing.assert_close(network.state_dict()[name], parameter, atol=1e-3, rtol=1e-3)
    assert card.network == TINY
    assert card.recipe == {"max_variables": 1}
    assert "1 of 133" in path.with_suffix(".md").read_text()


def test_no_pickle_is_opened(path, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("a pickle was opened")

    monkeypatch.setattr(torch, "load", refuse)
    monkeypatch.setattr(pickle, "load", refuse)
    monkeypatch.setattr(pickle, "loads", refuse)
    monkeypatch.setattr(pickle, "Unpickler", refuse)
    load_weights(path)


@pytest.mark.parametrize("size", [0, 4, 200, -1])
def test_files_cut_short_are_refused(path, size):
    path.write_bytes(path.read_bytes()[:size])
    with pytest.raises(DataError, match="cut short|altered"):
        load_weights(path)


@pytest.mark.parametrize("place", [-1, -1000, 300])
def test_altered_files_are_refused(path, place):
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(bytes(content))
    with pytest.raises(DataError):
        load_weights(path)


def test_weights_of_another_network_are_refused(path):
    arrays, texts = read_tensors(path)
    card = json.loads(texts["card"])
    card["network"]["n_layers"] += 1
    write_tensors(path, arrays, {"card": json.dumps(card)})
    with pytest.raises(DataError, match="not a prior that this ddsr can use"):
        load_weights(path)


def test_other_readers_of_the_format_agree(path):
    safetensors = pytest.importorskip("safetensors.numpy")
    theirs = safetensors.load_file(path)
    ours, _ = read_tensors(path)
    assert set(theirs) == set(ours)
    for name, array in theirs.items():
        np.testing.assert_array_equal(array, ours[name])


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MethodError, match="nowhere"):
        find_weights(str(tmp_path / "nowhere"))


def test_checkpoints_come_back(trainer, tmp_path):
    checkpoint = trainer.checkpoint()
    save_checkpoint(tmp_path, checkpoint)
    loaded = load_checkpoint(tmp_path)
    assert (loaded.network, loaded.training, loaded.progress) == (TINY, QUICK, checkpoint.progress)
    for name, array in checkpoint.arrays.items():
        np.testing.assert_array_equal(loaded.arrays[name], array)


def test_checkpoints_are_two_files(trainer, tmp_path):
    (tmp_path / "shard-00000000-99.npz").write_bytes(b"of an earlier state")
    save_checkpoint(tmp_path, trainer.checkpoint())
    assert {path.name for path in tmp_path.iterdir()} == {STATE, "shard-00000000.npz"}
    assert load_checkpoint(tmp_path).network == TINY


def test_checkpoints_of_several_files_are_read(trainer, tmp_path):
    checkpoint = trainer.checkpoint()
    save_checkpoint(tmp_path, checkpoint)
    arrays = dict(checkpoint.arrays)
    (tmp_path / "shard-00000000.npz").unlink()
    state = json.loads((tmp_path / STATE).read_text())
    state["shards"] = {}
    del state["origin"]  # older folders lack it
    for number in range(2):
        path = tmp_path / f"shard-00000000-{number}.npz"
        np.savez(path, **dict(list(arrays.items())[number::2]))
        state["shards"][path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (tmp_path / STATE).write_text(json.dumps(state))
    loaded = load_checkpoint(tmp_path)
    assert loaded.arrays.keys() == arrays.keys() and loaded.origin is None


def test_altered_checkpoints_are_refused(trainer, tmp_path):
    save_checkpoint(tmp_path, trainer.checkpoint())
    shard = next(tmp_path.glob("shard-*"))
    content = bytearray(shard.read_bytes())
    content[len(content) // 2] ^= 1
    shard.write_bytes(bytes(content))
    with pytest.raises(DataError, match="checksum"):
        load_checkpoint(tmp_path)
    shard.unlink()
    with pytest.raises(DataError, match="cannot read a checkpoint"):
        load_checkpoint(tmp_path)


def test_stored_weights_give_the_same_logits():
    """Weights are stored by name; however they are computed, files in use must give these logits."""
    network = PriorNetwork(TINY).eval()
    with torch.no_grad():
        for number, (_, parameter) in enumerate(sorted(network.named_parameters())):
            values = 0.2 * (0.7 * torch.arange(parameter.numel()) + number).cos()
            parameter.copy_(values.view_as(parameter))
    x = torch.linspace(0.5, 3.0, 60).reshape(1, 20, 3)
    is_row, is_variable = torch.ones((1, 20), dtype=torch.bool), torch.ones((1, 3), dtype=torch.bool)
    shown = torch.tensor([[MASK] * 5, [2, MASK, MASK, MASK, 13]])
    with torch.no_grad():
        logits = network(shown, x, x[..., 0] * x[..., 1].sin(), is_row, is_variable)
    expected = torch.tensor(MEANT)
    torch.testing.assert_close(logits[[0, 1], [0, 2]], expected, atol=2e-4, rtol=1e-3)
