"""Run folders: what they contain, what they refuse, and fits that are resumed."""

import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

from ddsr import DDSRError, DDSRRegressor, Forbid
from ddsr.errors import DataError, MethodError, RunError
from ddsr.runs import RunFolder
from run_cases import BRIEF, DDSR, HARD, NAMES, UNIFORM, X, account, create


def interrupt_at(epoch):
    def on_state(state):
        if state.epoch == epoch:
            raise KeyboardInterrupt

    return on_state


def test_a_fit_in_a_folder_is_the_fit(tmp_path):
    states = []
    model = create(tmp_path / "run", **DDSR, max_epochs=2).fit(on_state=states.append)
    expected = DDSRRegressor(**DDSR, max_epochs=2).fit(pd.DataFrame(X, columns=NAMES), HARD)
    assert account(model) == account(expected)
    assert [state.epoch for state in states] == [0, 1]
    run = RunFolder.open(tmp_path / "run")
    assert account(run.model()) == account(model)
    assert run.stopped_by == "max_epochs"
    assert list(run.model().feature_names_in_) == NAMES


def test_what_a_folder_holds(tmp_path):
    folder = tmp_path / "new" / "run"
    weights = np.linspace(1, 2, 60)
    parameters = UNIFORM | {"max_epochs": 3, "rules": [Forbid("sin", on="z")], "random_state": None}
    run = RunFolder.create(
        folder,
        pd.DataFrame(X, columns=NAMES),
        HARD,
        sample_weight=weights,
        target="force",
        parameters=parameters,
    )
    run.fit(interval=0.0)
    assert sorted(path.name for path in folder.iterdir()) == [
        "data.npz",
        "lock",
        "log.jsonl",
        "model.json",
        "run.json",
        "state-00000002.npz",
        "state-00000003.npz",
    ]
    asked = json.loads((folder / "run.json").read_text())
    assert asked["features"] == NAMES and asked["target"] == "force" and asked["max_epochs"] == 3
    assert asked["parameters"]["random_state"] == asked["seed"]  # drawn once, when the run was created
    data = RunFolder.open(folder).data()
    assert (data.X == X).all() and (data.y == HARD).all() and (data.sample_weight == weights).all()
    log = run.log()
    assert [line["epoch"] for line in log] == [0, 1, 2]
    assert [line["n_scored"] for line in log] == [40, 80, 120]
    assert 0 < log[0]["seconds"] < log[2]["seconds"]
    assert log[-1]["nrmse"] >= run.model().best_.nrmse  # refitted at the end
    assert json.loads((folder / "model.json").read_text())["outputs"][0]["target"] == "force"
    assert RunFolder.open(folder)._model().rules == [Forbid("sin", on="z")]


def test_columns_without_names(tmp_path):
    run = RunFolder.create(tmp_path / "run", X, HARD, parameters=UNIFORM | {"max_epochs": 1})
    run.fit()
    model = RunFolder.open(tmp_path / "run").model()
    assert not hasattr(model, "feature_names_in_")
    assert (model.predict(X) == DDSRRegressor.load(tmp_path / "run" / "model.json").predict(X)).all()


KINDS = {"ddsr": BRIEF, "uniform": UNIFORM, "guessed": BRIEF | {"guesses": ["`a b` * sin(3 * z) + 2"]}}


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """A run of each kind, made on request."""
    folder = tmp_path_factory.mktemp("uninterrupted")

    @cache
    def run(kind):
        run = create(folder / kind, **KINDS[kind], max_epochs=4)
        return run, run.fit()

    return run


@pytest.mark.parametrize(
    ("kind", "interval"),
    [("ddsr", 0.0), ("ddsr", 1000.0), ("guessed", 0.0), ("uniform", 0.0), ("uniform", 1000.0)],
)
def test_an_interrupted_fit_is_resumed_exactly(tmp_path, uninterrupted, kind, interval):
    other, expected = uninterrupted(kind)
    run = create(tmp_path / "run", **KINDS[kind], max_epochs=4)
    cut = run.fit(on_state=interrupt_at(1), interval=interval)
    assert cut.stopped_by_ == "interrupt" and cut.n_epochs_ == 2
    assert run.stopped_by is None
    assert account(run.model()) == account(cut)
    resumed = RunFolder.open(tmp_path / "run").resume(interval=interval)
    assert account(resumed) == account(expected)
    assert [line["epoch"] for line in run.log()] == list(range(4))
    assert [line["equation"] for line in run.log()] == [
        line["equation"] for line in RunFolder.open(other.path).log()
    ]


def test_an_interrupt_within_an_epoch_repeats_what_was_not_saved(tmp_path, monkeypatch):
    expected = create(tmp_path / "expected", max_epochs=5).fit()
    run = create(tmp_path / "run", max_epochs=5)
    from ddsr.search.loop import UniformGenerator

    sample = UniformGenerator.sample

    def interrupted(self, batch_size, epoch):
        if epoch == 3:
            raise KeyboardInterrupt
        return sample(self, batch_size, epoch)

    monkeypatch.setattr(UniformGenerator, "sample", interrupted)
    assert run.fit().n_epochs_ == 3
    assert len(run.log()) == 3
    monkeypatch.undo()
    starts = []
    resumed = run.resume(on_state=lambda state: starts.append(state.epoch))
    assert starts[0] == 1  # the first epoch was saved, the next two came too soon after it
    assert [line["epoch"] for line in run.log()] == list(range(5))
    assert account(resumed) == account(expected)


def test_a_fit_that_has_ended(tmp_path):
    run = create(tmp_path / "run", max_epochs=3)
    model = run.fit()
    before = (run.path / "state-00000003.npz").read_bytes()
    assert account(run.resume(on_state=interrupt_at(0))) == account(model)
    assert (run.path / "state-00000003.npz").read_bytes() == before
    with pytest.raises(RunError, match="has already begun: resume it"):
        run.fit()


@pytest.mark.parametrize("kind", ["ddsr", "uniform"])
def test_more_epochs(tmp_path, uninterrupted, kind):
    run = create(tmp_path / "run", **KINDS[kind], max_epochs=2)
    run.fit()
    extended = RunFolder.open(run.path).resume(more_epochs=2)
    assert account(extended) == account(uninterrupted(kind)[1])
    assert RunFolder.open(run.path).asked.max_epochs == 4


def test_more_time(tmp_path, clock):
    run = create(tmp_path / "run", max_epochs=2)
    run.fit()
    model = run.resume(more_time=5000.0, on_state=lambda state: clock.advance(2000.0))
    assert model.stopped_by_ == "max_time" and model.n_epochs_ == 2 + 3
    # the last epoch ended at 4000 s of 5000 s
    model = RunFolder.open(run.path).resume(more_time=4500.0, on_state=lambda state: clock.advance(2000.0))
    assert model.stopped_by_ == "max_time" and model.n_epochs_ == 2 + 3 + 3
    for nothing in (0, -1.0, np.nan, np.inf, "1", True):
        with pytest.raises(MethodError, match="more_time"):
            run.resume(more_time=nothing)


def test_time_that_was_used_counts(tmp_path, clock):
    run = create(tmp_path / "run", max_time=10_000.0)

    def slow(state):
        clock.advance(2000.0)
        if state.epoch == 3:
            raise KeyboardInterrupt

    run.fit(on_state=slow, interval=0.0)
    clock.advance(10**6)  # without searching
    model = run.resume(on_state=lambda state: clock.advance(1500.0))
    assert model.stopped_by_ == "max_time" and model.n_epochs_ == 4 + 3
    assert [line["seconds"] for line in run.log()] == pytest.approx([0, 2000, 4000, 6000, 6000, 7500, 9000])


def test_patience_is_resumed(tmp_path):
    settings = {"max_epochs": 500, "config": UNIFORM["config"] | {"patience": 3}}
    expected = create(tmp_path / "expected", **settings).fit()
    assert expected.stopped_by_ == "no_progress"
    run = create(tmp_path / "run", **settings)
    run.fit(on_state=interrupt_at(expected.n_epochs_ - 2))
    assert account(run.resume()) == account(expected)


def test_more_time_renews_the_patience(tmp_path):
    run = create(tmp_path / "run", max_epochs=500, config=UNIFORM["config"] | {"patience": 2})
    model = run.fit()
    assert model.stopped_by_ == "no_progress"
    assert run.resume(more_epochs=1).n_epochs_ >= model.n_epochs_ + 1


def test_an_exact_fit_has_nothing_left_to_find(tmp_path):
    run = RunFolder.create(tmp_path / "run", X, X[:, 0] * X[:, 1], parameters=DDSR | {"max_epochs": 50})
    model = run.fit()
    assert model.stopped_by_ == "exact"
    longer = run.resume(more_time=5.0)
    assert longer.stopped_by_ == "exact" and longer.n_epochs_ == model.n_epochs_
    assert run.stopped_by == "exact"


def test_a_damaged_state_is_passed_over_for_the_one_before(tmp_path):
    expected = create(tmp_path / "expected", max_epochs=6).fit()
    run = create(tmp_path / "run", max_epochs=6)
    run.fit(on_state=interrupt_at(3), interval=0.0)
    newest = run.path / "state-00000004.npz"
    newest.write_bytes(newest.read_bytes()[:-300])
    assert account(run.resume()) == account(expected)
    for path in run.path.glob("state-*"):
        path.write_bytes(b"PK nothing")
    with pytest.raises(RunError, match=r"state-00000006.npz: cannot read the saved state"):
        run.resume()


def test_what_a_killed_process_was_writing_is_removed(tmp_path):
    run = create(tmp_path / "run", max_epochs=2)
    (run.path / ".model.json.123.being-written").write_text("{")
    (run.path / "log.jsonl").write_text('{"epoch": 7}\n{"epo')
    run.fit()
    assert len(run.log()) == 2
    assert not list(run.path.glob(".*"))


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        ((X, np.ones(60)), {}, "y is constant"),
        ((X[:1], HARD[:1]), {}, "sample"),
        ((np.where(X > 2.9, np.inf, X), HARD), {}, "infinite value in row"),
        ((X, HARD), {"feature_names": ["a", "b"]}, "X has 3 columns, but feature_names has 2"),
        ((X, HARD), {"feature_names": ["a", "a", "b"]}, "'a'"),
        ((X, HARD), {"feature_names": ["a", "", "b"]}, "empty"),
        ((X, np.stack([HARD, HARD], axis=1)), {}, "one target, but y has 2"),
        ((X, HARD), {"sample_weight": -HARD}, "sample_weight"),
        ((X, HARD), {"parameters": {"max_tyme": 3}}, "no parameter 'max_tyme'"),
        ((X, HARD), {"parameters": {"max_time": -3}}, "max_time"),
        ((X, HARD), {"parameters": {"preset": "papper"}}, "unknown preset"),
        ((X, HARD), {"parameters": {"model_selection": "luck"}}, "model_selection"),
        ((X, HARD), {"parameters": {"callback": print}}, "on_state"),
    ],
)
def test_bad_input_makes_no_folder(tmp_path, data, options, message):
    with pytest.raises(ValueError, match=message):
        RunFolder.create(tmp_path / "run", *data, **options)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_never_overwritten(tmp_path):
    run = create(tmp_path / "run", max_epochs=1)
    with pytest.raises(RunError, match="already contains a run: resume it"):
        create(run.path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("important")
    with pytest.raises(RunError, match="neither empty nor a run folder"):
        create(tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.tex"]
    with pytest.raises(RunError, match="cannot create the run folder"):
        create(tmp_path / "mine" / "thesis.tex")
    (tmp_path / "empty").mkdir()
    assert create(tmp_path / "empty", max_epochs=1).fit().n_epochs_ == 1


def rewrite(path, **changes):
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_folders_that_cannot_be_opened(tmp_path):
    with pytest.raises(RunError, match="there is no run folder at"):
        RunFolder.open(tmp_path / "none")
    with pytest.raises(RunError, match="is not a run folder: it has no run.json"):
        RunFolder.open(tmp_path)
    run = create(tmp_path / "run", max_epochs=1)
    for changes, message in [
        ({"format_version": 2, "ddsr_version": "9.9"}, "format version 2, written by ddsr 9.9"),
        ({"format_version": 1, "format": "else"}, "is not a ddsr run file"),
        ({"format": "ddsr run", "parameters": 3}, "parameters is 3"),
    ]:
        rewrite(run.path / "run.json", **changes)
        with pytest.raises(RunError, match=message):
            RunFolder.open(run.path)
    (run.path / "run.json").write_text("{")
    with pytest.raises(RunError, match="is not valid JSON"):
        RunFolder.open(run.path)


def test_an_older_folder_is_refused(tmp_path, monkeypatch):
    run = create(tmp_path / "run", max_epochs=1)
    monkeypatch.setattr("ddsr.runs.asked.VERSION", 2)
    with pytest.raises(RunError, match="created by an older ddsr"):
        RunFolder.open(run.path)


def test_other_data_are_refused(tmp_path):
    run, other = create(tmp_path / "run", max_epochs=1), create(tmp_path / "other", max_epochs=1)
    rows = RunFolder.create(tmp_path / "rows", X[:50], HARD[:50], parameters=UNIFORM)
    (run.path / "data.npz").write_bytes((rows.path / "data.npz").read_bytes())
    with pytest.raises(RunError, match="not the data that the run began with"):
        run.fit()
    (other.path / "data.npz").write_bytes(b"PK")
    with pytest.raises(RunError, match="cannot read the saved"):
        other.fit()
    (other.path / "data.npz").unlink()
    with pytest.raises(RunError, match="there is no data at"):
        other.fit()


def test_no_model_yet(tmp_path):
    with pytest.raises(RunError, match="there is no model at"):
        create(tmp_path / "run").model()


def test_errors_are_of_ddsr():
    assert issubclass(RunError, DDSRError) and issubclass(DataError, DDSRError)


def test_more_epochs_that_are_killed_at_once_are_still_to_be_done(tmp_path):
    """As after a kill -9 in the first of these epochs, before anything is saved."""

    class Killed(BaseException):
        pass

    def kill(self, fit):
        raise Killed

    run = create(tmp_path / "run", max_epochs=1)
    run.fit()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
        patch.setattr("ddsr.runs.journal.FolderJournal.begin", kill)
        RunFolder.open(run.path).resume(more_epochs=2)
    again = RunFolder.open(run.path)
    assert again.stopped_by is None
    assert again.resume().n_epochs_ == 3


def test_a_run_without_end_can_be_saved_and_resumed(tmp_path):
    parameters = {"preset": "uniform", "max_time": np.inf, "max_epochs": 3, "random_state": 0}
    run = RunFolder.create(tmp_path / "run", X, HARD, parameters=parameters)

    def stop(state):
        raise KeyboardInterrupt

    run.fit(stop)
    again = RunFolder.open(tmp_path / "run")
    assert again.asked.max_time == again.model().max_time == np.inf
    assert again.resume().n_epochs_ == 3


def test_a_model_without_end_can_be_saved(tmp_path):
    model = DDSRRegressor("uniform", max_time=np.inf, max_epochs=1, random_state=0).fit(X, HARD)
    model.save(tmp_path / "model.json")
    assert DDSRRegressor.load(tmp_path / "model.json").max_time == np.inf
