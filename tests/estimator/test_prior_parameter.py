"""The parameter `prior`: its sources, and the early refusal of unusable files."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from ddsr import DDSRRegressor
from ddsr.config import DefaultConfig, PaperConfig
from ddsr.data.dataset import RowWeights
from ddsr.errors import MethodError
from ddsr.generators.prior import weights as weight_files
from ddsr.generators.prior.tensor_file import read_tensors, write_tensors
from ddsr.generators.prior.weights import check_weights, find_weights, load_weights
from ddsr.runs import RunFolder
from prior_cases import write_weights

X = np.random.default_rng(0).uniform(1, 3, size=(40, 2))
Y = np.sin(7 * X[:, 0]) * np.exp(X[:, 1]) + X[:, 1] ** X[:, 0]


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    return write_weights(tmp_path_factory.mktemp("prior") / "tiny.safetensors")


@pytest.fixture
def broken(weights, tmp_path):
    """A copy that tests can damage."""
    path = tmp_path / "broken.safetensors"
    path.write_bytes(Path(weights).read_bytes())
    return path


def posed(model):
    """What a fit would start from."""
    _, _, _, fits = model._posed(model._read(X, Y, RowWeights()), started=0.0)
    return fits[0]


def prior_of(**parameters):
    """The prior that a fit would use."""
    return posed(DDSRRegressor(**parameters)).problem.config.prior


def test_it_is_a_setting_of_the_search(weights):
    assert prior_of() == prior_of(prior="default") == "default"
    assert prior_of(prior=None) is None
    assert prior_of(prior=weights) == weights
    assert prior_of(prior=weights, config={"patience": 3}) == weights
    assert prior_of(prior=None, config=DefaultConfig(patience=3)) is None


def test_at_its_default_it_leaves_other_settings_alone(weights):
    assert prior_of(config={"prior": None}) is None
    assert prior_of(config={"prior": weights}) == weights
    assert prior_of(config=DefaultConfig(prior=weights)) == weights
    assert prior_of(preset="ddsr:prior=none") is None


def test_it_is_a_parameter_like_others(weights):
    model = DDSRRegressor(prior=Path(weights))
    assert clone(model).get_params()["prior"] == Path(weights)
    assert model.set_params(prior=None).prior is None
    assert DDSRRegressor().get_params()["prior"] == "default"


@pytest.mark.parametrize("prior", [None, "tiny"])
@pytest.mark.parametrize(
    "others",
    [
        {"config": {"prior": None}},
        {"config": {"prior": "default"}},
        {"config": DefaultConfig(prior=None)},
        {"preset": "ddsr:prior=none"},
    ],
)
def test_given_twice_it_is_refused(prior, others, weights):
    with pytest.raises(MethodError, match="prior is given twice, by itself and in (config|the preset)"):
        DDSRRegressor(prior=weights if prior else None, **others).fit(X, Y)


@pytest.mark.parametrize("preset", ["paper", "dsr", "uniform"])
def test_other_presets_have_no_prior(preset, weights):
    with pytest.raises(MethodError, match=f"preset '{preset}' does not use a prior"):
        DDSRRegressor(preset, prior=weights).fit(X, Y)
    for prior in (None, "default"):
        posed(DDSRRegressor(preset, prior=prior))


def test_the_papers_policy_starts_from_it(weights):
    preset = "paper:start=prior"
    assert prior_of(preset=preset, prior="default", config={"max_length": 12}) == "default"
    for others in ({"prior": weights}, {"config": {"prior": weights}}):
        settings = {"max_length": 12} | others.get("config", {})
        assert prior_of(preset=preset, **others | {"config": settings}) == weights
    assert prior_of(preset=preset, prior=weights, config=PaperConfig(max_length=12)) == weights
    with pytest.raises(MethodError, match="prior is given twice"):
        prior_of(preset=preset, prior=weights, config={"prior": weights})
    with pytest.raises(MethodError, match="start=prior needs weights, but there is no prior"):
        prior_of(preset=preset, prior=None)


@pytest.mark.parametrize("preset", ["paper", "uniform"])
def test_a_setting_that_would_be_ignored_is_refused(preset, weights):
    with pytest.raises(MethodError, match=f"preset '{preset}' does not use a prior.*paper:start=prior"):
        prior_of(preset=preset, config={"prior": weights})


def test_wrong_kinds_are_named(weights):
    with pytest.raises(MethodError, match="'default' or the path to a file of weights, got 3"):
        DDSRRegressor(prior=3).fit(X, Y)
    with pytest.raises(MethodError, match="must be a DefaultConfig, not a PaperConfig"):
        DDSRRegressor(prior=weights, config=PaperConfig()).fit(X, Y)
    with pytest.raises(MethodError, match="config must be a DefaultConfig or a dict"):
        DDSRRegressor(prior=weights, config=3).fit(X, Y)


def test_paths_of_any_kind(weights):
    path = Path(weights)
    assert find_weights(path) == path
    assert load_weights(weights)[1] == load_weights(path)[1]
    for prior in (
        prior_of(prior=path),
        prior_of(config={"prior": path}),
        prior_of(config=DefaultConfig(prior=path)),
    ):
        assert prior == weights


def test_a_path_is_never_the_name_of_the_packages_own(weights, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MethodError, match="no file '.*default' with the weights"):
        prior_of(prior=Path("default"))
    Path("default").write_bytes(Path(weights).read_bytes())
    assert prior_of(prior=Path("default")) == str(tmp_path / "default")


def test_models_and_runs_keep_it(weights, tmp_path, monkeypatch):
    monkeypatch.chdir(Path(weights).parent)
    parameters = {"prior": Path("tiny.safetensors"), "max_epochs": 1, "random_state": 0}
    DDSRRegressor(**parameters).fit(X, X[:, 0] * X[:, 1]).save(tmp_path / "model.json")
    RunFolder.create(tmp_path / "run", X, Y, parameters=parameters)
    monkeypatch.chdir(tmp_path)  # the relative path is not valid here
    assert DDSRRegressor.load("model.json").prior == Path(weights)
    assert RunFolder.open("run").asked.parameters["prior"] == weights


def cut_short(path):
    path.write_bytes(path.read_bytes()[:-1000])


def alter(path):
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(bytes(content))


def empty(path):
    path.write_bytes(b"")


def lose_the_card(path):
    write_tensors(path, read_tensors(path)[0], {})


def spoil_the_card(path):
    write_tensors(path, read_tensors(path)[0], {"card": '"text"'})


@pytest.mark.parametrize("damage", [cut_short, alter, empty, lose_the_card, spoil_the_card])
def test_a_damaged_file_is_refused_before_the_search(damage, broken):
    check_weights(broken)  # it is checked again after a change
    damage(broken)
    states = []
    # so short a search that the prior would not take part
    model = DDSRRegressor(prior=broken, max_time=0.5, callback=states.append)
    with pytest.raises(MethodError, match=r"broken\.safetensors.*`ddsr prior export`"):
        model.fit(X, np.column_stack([Y, Y]))
    assert states == [] and not hasattr(model, "front_")


def test_a_missing_file_is_refused_before_the_search(tmp_path):
    with pytest.raises(MethodError, match=r"no file '.*nowhere\.safetensors' with the weights"):
        DDSRRegressor(prior=tmp_path / "nowhere.safetensors", max_time=0.5).fit(X, Y)


def test_a_run_with_a_damaged_file_leaves_no_folder(broken, tmp_path):
    cut_short(broken)
    with pytest.raises(MethodError, match=r"broken\.safetensors"):
        RunFolder.create(tmp_path / "run", X, Y, parameters={"prior": broken})
    assert not (tmp_path / "run").exists()


def test_damaged_weights_of_the_package_ask_for_a_new_installation(broken, tmp_path, monkeypatch):
    (tmp_path / "shipped").mkdir()
    cut_short(broken)
    broken.rename(tmp_path / "shipped" / weight_files.DEFAULT_FILE)
    monkeypatch.setattr(weight_files, "files", lambda package: tmp_path)
    with pytest.raises(MethodError, match="install ddsr again, or set prior to None"):
        DDSRRegressor(max_epochs=1).fit(X, Y)
    assert prior_of(prior=None) is None
