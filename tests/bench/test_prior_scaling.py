"""Hits against training: the fit, its uncertainty, incomparable priors, and the command."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from ddsr.cli.entry import main
from ddsr.errors import BenchError, DataError
from ddsr_pretraining.evaluation import FORMAT
from ddsr_pretraining.scaling import Scored, check_alike, find_gains, fit_logit, read_scored

N = 133
EASE = np.random.default_rng(0).permutation(N)


def hits_of(n_hits, noise=0.0):
    """The easiest problems are hit first, as with priors of one kind."""
    return {noise: {f"p{number:03}": bool(EASE[number] < n_hits) for number in range(N)}}


def make_scored(name, n_hits, seconds, parameters=4_600_000, speed=10_000):
    return Scored(name, parameters, int(speed * seconds), seconds, hits_of(n_hits), ("ground-truth", 300))


def write_scores(path, scored):
    outcomes = [
        {"name": name, "noise": noise, "is_hit": is_hit}
        for noise, of_noise in scored.hits.items()
        for name, is_hit in of_noise.items()
    ]
    prior = {"parameters": scored.parameters, "examples": scored.examples, "seconds": scored.seconds}
    content = {"format": FORMAT, "prior": prior, "suite": scored.measured[0], "outcomes": outcomes}
    path.write_text(json.dumps(content | {"sampling": {"n": scored.measured[1]}}))
    return path


def test_the_fit_finds_the_line():
    design = np.column_stack((np.ones(4), [-1.5, -0.5, 0.5, 1.5]))
    share = 1 / (1 + np.exp(-(design @ [-0.3, 0.8])))
    np.testing.assert_allclose(fit_logit(design, share * 1e6, 10**6), [-0.3, 0.8], atol=1e-3)


@pytest.mark.parametrize("hits", [[0, 0, 0], [133, 133, 133]])
def test_none_and_all_can_be_fitted(hits):
    design = np.column_stack((np.ones(3), [-1.0, 0.0, 1.0]))
    assert np.abs(fit_logit(design, np.array(hits, float), N)).max() < 20


def test_gain_of_ten_times_the_effort():
    scored = [make_scored("a", 40, 60), make_scored("b", 60, 600), make_scored("c", 80, 6000)]
    of_time, of_examples = find_gains(scored)
    assert (of_time.effort, of_examples.effort, of_time.of_parameters) == ("seconds", "examples", None)
    assert of_time.now == pytest.approx(100 * 80 / N, abs=2)
    assert 10 < of_time.gain < 17
    low, high = of_time.interval
    assert low < of_time.gain < high and high - low > 1
    assert of_examples.gain == pytest.approx(of_time.gain, abs=0.01)  # examples and seconds are proportional
    flat = find_gains([make_scored("a", 60, 60), make_scored("b", 60, 600)])[0]
    assert flat.gain == pytest.approx(0.0, abs=0.01)


def test_effects_of_size_and_time_are_separated():
    small = [make_scored(f"s{t}", hits, t, 1_200_000) for t, hits in ((100, 40), (1000, 50))]
    large = [make_scored(f"l{t}", hits, t, 12_000_000) for t, hits in ((100, 60), (1000, 70))]
    gain = find_gains([*small, *large])[0]
    assert 4 < gain.gain < 11
    assert 11 < gain.of_parameters < 20


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"measured": ("ground-truth", 2000)}, "suite and samples"),
        ({"hits": hits_of(3, noise=0.1)}, "noise levels"),
        ({"hits": {0.0: {"other": True}}}, "problems"),
    ],
)
def test_different_measurements_are_not_compared(change, message):
    one = make_scored("one", 10, 60)
    with pytest.raises(BenchError, match=message):
        check_alike([one, replace(one, name="other", **change)])


@pytest.mark.slow
def test_the_command_prints_a_table_and_draws(tmp_path):
    paths = [
        str(write_scores(tmp_path / f"{scored.name}.json", scored))
        for scored in (make_scored("short", 40, 60), make_scored("long", 60, 600, 12_000_000))
    ]
    figure = tmp_path / "figures" / "scaling.svg"
    done = CliRunner().invoke(main, ["prior", "scaling", *paths, "--out", str(figure)])
    assert done.exit_code == 0, done.output
    assert "| short | 4,600,000 | 60 | 600,000 | 40 of 133 |" in done.output
    assert "ten times the seconds would bring" in done.output
    assert "<svg" in figure.read_text()
    done = CliRunner().invoke(main, ["prior", "scaling", *paths, "--out", str(tmp_path / "scaling.txt")])
    assert done.exit_code == 1 and ".svg" in done.output


def test_scores_that_cannot_be_read_are_named(tmp_path):
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"outcomes": []}))
    with pytest.raises(DataError, match="old.json"):
        read_scored(path)
    done = CliRunner().invoke(main, ["prior", "scaling", str(tmp_path / "nowhere.json")])
    assert done.exit_code == 1 and "nowhere.json" in done.output
