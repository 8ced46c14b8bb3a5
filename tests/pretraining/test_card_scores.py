"""Cards with scores: `ddsr prior export` adds the results of `ddsr prior evaluate` to the weights."""

import json

import pytest
import torch
from click.testing import CliRunner

from ddsr.cli.entry import main
from ddsr.generators.prior.tensor_file import CHECKSUM, read_tensors
from ddsr.generators.prior.weights import PriorFile, find_weights, load_weights
from prior_cases import write_weights


def run(*arguments):
    return CliRunner().invoke(main, ["prior", *map(str, arguments)])


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "tiny.safetensors"
    write_weights(path)
    return path


def write_scores(path, **content):
    path.write_text(json.dumps(content))
    return path


def header_checksum(path):
    return read_tensors(path, with_checksum=True)[1][CHECKSUM]


def numbers_of(path):
    content = path.read_bytes()
    return content[8 + int.from_bytes(content[:8], "little") :]


def test_measured_scores_are_put_into_weights(weights, tmp_path):
    files = []
    for noise in ("0", "0.01"):
        files += ["--scores", tmp_path / f"{noise}.json"]
        measure = ("--suite", "nguyen", "-n", 1, "--samples", 10, "--noise", noise, "--out", files[-1])
        assert run("evaluate", weights, *measure).exit_code == 0
    assert json.loads(files[1].read_text())["prior"]["sha256"] == header_checksum(weights)
    scored = tmp_path / "scored.safetensors"
    done = run("export", weights, *files, "--out", scored)
    assert done.exit_code == 0 and "2 scores" in done.output and "does not tell" not in done.output
    (_, before), (_, after) = load_weights(weights), load_weights(scored)
    assert list(after.scores) == ["nguyen, noise 0.0, 10 samples", "nguyen, noise 0.01, 10 samples"]
    assert (before.network, before.training, before.steps) == (after.network, after.training, after.steps)
    assert numbers_of(weights) == numbers_of(scored)
    text = scored.with_suffix(".md").read_text()
    assert all(f"- {name}: {value}\n" in text for name, value in after.scores.items())


def test_scores_change_the_checksum_of_the_file_but_not_that_without_them(weights, tmp_path):
    checksum = header_checksum(weights)
    first = write_scores(tmp_path / "first.json", summary={"a": "1 of 2"}, prior={"sha256": checksum})
    second = write_scores(
        tmp_path / "second.json", summary={"a": "2 of 2", "b": "0 of 2"}, prior={"sha256": checksum}
    )
    assert run("export", weights, "--scores", first, "--out", weights).exit_code == 0
    assert header_checksum(weights) != checksum == PriorFile.read(weights).checksum_unscored
    assert run("export", weights, "--scores", second, "--out", weights).exit_code == 0
    assert load_weights(weights)[1].scores == {"a": "2 of 2", "b": "0 of 2"}
    text = weights.with_suffix(".md").read_text()
    assert header_checksum(weights) in text and f"without scores: `{checksum}`" in text


def test_the_weights_of_the_package_are_known_by_the_checksum_of_their_header():
    """As long as they have no scores, files that name this checksum refer to the same weights."""
    found = PriorFile.read(find_weights("default"))
    scored = found.with_scores({**found.card.scores, "a": "1 of 2"})
    assert scored.checksum_unscored == found.checksum_unscored
    if not found.card.scores:
        assert found.checksum_unscored == header_checksum(find_weights("default"))


def test_scores_of_other_weights_are_refused(weights, tmp_path):
    out = tmp_path / "out.safetensors"
    other = write_scores(tmp_path / "other.json", summary={"a": "1 of 2"}, prior={"sha256": "0" * 64})
    refused = run("export", weights, "--scores", other, "--out", out)
    assert refused.exit_code == 1 and "scores of other weights" in refused.output
    assert not out.exists() and not out.with_suffix(".md").exists()


def test_scores_that_contradict_each_other_are_refused(weights, tmp_path):
    files = [write_scores(tmp_path / f"{n}.json", summary={"a": f"{n} of 2"}) for n in (1, 2)]
    both = ("--scores", files[0], "--scores", files[1])
    refused = run("export", weights, *both, "--out", tmp_path / "out.safetensors")
    assert refused.exit_code == 1 and "differ in 'a' (1 of 2 and 2 of 2)" in refused.output
    taken = run("export", weights, *both[:2], "--out", tmp_path / "out.safetensors")
    assert taken.exit_code == 0 and "does not say which weights" in taken.output


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("no JSON", "Expecting value"),
        ("[1]", "list"),
        ("{}", "it has no summary"),
        ('{"summary": {}}', "no lines of text"),
        ('{"summary": {"a": 1}}', "no lines of text"),
        ('{"summary": "1 of 2"}', "str"),
        ("\xff", "codec"),
    ],
)
def test_files_without_scores_are_named(weights, tmp_path, content, reason):
    scores = tmp_path / "scores.json"
    scores.write_bytes(content.encode("latin-1"))
    refused = run("export", weights, "--scores", scores, "--out", tmp_path / "out.safetensors")
    assert refused.exit_code == 1 and "cannot read scores from" in refused.output
    assert reason in refused.output and "ddsr prior evaluate --out" in refused.output


@pytest.mark.parametrize("name", ["w.md", "w", "w.json"])
def test_weights_are_written_only_to_safetensors(weights, tmp_path, name):
    refused = run("export", weights, "--out", tmp_path / "new" / name)
    assert refused.exit_code == 1 and "ends in .safetensors" in refused.output
    assert not (tmp_path / "new").exists()


def test_an_invalid_source_is_named(tmp_path):
    out = ("--out", tmp_path / "out.safetensors")
    refused = run("export", tmp_path / "nowhere", *out)
    assert refused.exit_code == 1 and "neither the folder of a training run nor a file" in refused.output
    (tmp_path / "text.safetensors").write_text("no weights at all")
    refused = run("export", tmp_path / "text.safetensors", *out)
    assert refused.exit_code == 1 and "cannot read weights from" in refused.output
    refused = run("export", tmp_path, *out)
    assert refused.exit_code == 1 and "cannot read a checkpoint from" in refused.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--temperature", "0.7"), "--temperature has no effect without --tokens-per-step"),
        (("--suite", "held-out", "--noise", "0"), "--noise has no effect on held-out examples"),
        (("--device", "foo"), "unknown device 'foo'"),
        (("--device", "cuda"), "torch finds no CUDA GPU"),
    ],
)
def test_evaluations_that_differ_from_the_request_are_refused(weights, monkeypatch, arguments, message):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    refused = run("evaluate", weights, "-n", 1, "--samples", 10, *arguments)
    assert refused.exit_code in (1, 2) and message in refused.output
    assert isinstance(refused.exception, SystemExit)
