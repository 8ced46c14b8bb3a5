"""Ctrl-C during the final choice: the run is not over, and resuming it completes the choice."""

import numpy as np
import pytest

from command_cases import ddsr
from ddsr import DDSRRegressor
from ddsr.estimator import fit as fitting
from ddsr.runs import RunFolder
from run_cases import HARD, UNIFORM, X, account, create

CHOOSING = {"model_selection": "description_length", "max_epochs": 2}


@pytest.fixture
def interrupted(monkeypatch):
    """Interrupt the choice at the given calls."""
    left = [1]
    select = fitting.select

    def interrupted_select(*arguments, **options):
        if left[0] > 0:
            left[0] -= 1
            raise KeyboardInterrupt
        return select(*arguments, **options)

    monkeypatch.setattr("ddsr.estimator.fit.select", interrupted_select)
    return left


def resumed(run, n_epochs_left=0):
    """Resume a run; `n_epochs_left` epochs are searched, and no more."""
    states = []
    model = run.resume(on_state=states.append)
    assert len(states) == n_epochs_left
    return model


def test_resuming_makes_the_choice_of_an_uninterrupted_run(tmp_path, interrupted):
    run = create(tmp_path / "run", **CHOOSING)
    cut = run.fit()
    assert cut.stopped_by_ == "interrupt" and cut.n_epochs_ == 2
    opened = RunFolder.open(tmp_path / "run")
    assert opened.stopped_by is None and opened.is_choice_left
    assert opened.model().stopped_by_ == "interrupt"
    assert account(resumed(opened)) == account(create(tmp_path / "other", **CHOOSING).fit())
    assert RunFolder.open(tmp_path / "run").stopped_by == "max_epochs"
    assert not RunFolder.open(tmp_path / "run").is_choice_left


def test_the_choice_may_be_interrupted_again(tmp_path, interrupted):
    interrupted[0] = 2
    run = create(tmp_path / "run", **CHOOSING)
    run.fit()
    assert resumed(run).stopped_by_ == "interrupt" and run.is_choice_left
    assert account(resumed(run)) == account(create(tmp_path / "other", **CHOOSING).fit())


def test_more_epochs_continue_the_search(tmp_path, interrupted):
    run = create(tmp_path / "run", **CHOOSING)
    run.fit()
    model = run.resume(more_epochs=1)
    assert model.n_epochs_ == 3 and model.stopped_by_ == "max_epochs"


@pytest.mark.parametrize(
    ("reason", "parameters"),
    [
        ("max_time", {"max_time": 1000.0, "max_epochs": None}),
        ("exhausted", {}),
        ("exact", {}),
    ],
)
def test_the_search_is_not_continued_whatever_ended_it(
    tmp_path, interrupted, monkeypatch, reason, parameters
):
    def spent(self, progress, n_rows):
        return reason if progress.n_epochs == 2 else None

    monkeypatch.setattr("ddsr.estimator.budget.Budget.spent", spent)
    run = create(tmp_path / "run", **CHOOSING | parameters)
    run.fit()
    assert run.is_choice_left
    monkeypatch.undo()
    model = resumed(run)
    assert model.stopped_by_ == reason and model.n_epochs_ == 2


def test_a_fit_that_was_exact_at_once_is_chosen_again(tmp_path, interrupted):
    parameters = UNIFORM | CHOOSING | {"guesses": ["x0 * x1"]}
    run = RunFolder.create(tmp_path / "run", X, X[:, 0] * X[:, 1], parameters=parameters)
    assert run.fit().stopped_by_ == "interrupt" and run.stopped_by is None
    assert resumed(run).stopped_by_ == "exact"


def test_an_interrupt_while_constants_are_measured_leaves_the_choice(tmp_path, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    run = create(tmp_path / "run", **CHOOSING)
    with monkeypatch.context() as patch:
        patch.setattr("ddsr.estimator.fit.information_of", interrupted)
        run.fit()
    assert run.is_choice_left
    outcome = resumed(run).outcomes_[0]
    assert all(each is not None for each in outcome.information) and not run.is_choice_left


def test_no_other_target_is_searched_after_it(interrupted):
    model = DDSRRegressor(**UNIFORM, **CHOOSING).fit(X, np.column_stack([HARD, 2 * HARD]))
    assert model.stopped_by_ == ["interrupt", "interrupt"] and model.n_epochs_ == [2, 0]


def test_the_command_line_says_so(tmp_path, interrupted):
    folder = tmp_path / "run"
    create(folder, **CHOOSING).fit()
    shown = ddsr_show(folder)
    assert "So far: " in shown and "the maximum number of epochs was reached" not in shown
    assert f"its choice was interrupted. To choose: `ddsr resume {folder}`" in shown
    done = ddsr("resume", folder)
    assert done.exit_code == 0 and "the maximum number of epochs was reached" in done.stdout
    assert "resume" not in ddsr_show(folder)


def ddsr_show(folder):
    done = ddsr("show", folder)
    assert done.exit_code == 0, done.output
    return done.stdout
