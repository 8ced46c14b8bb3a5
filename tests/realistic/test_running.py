"""Running fits: those that a command requests, a single one, and resuming."""

import threading

import numpy as np
import pytest
from benchmarks.realistic import __main__ as command
from benchmarks.realistic import peers, running
from benchmarks.realistic.curves import curve_of, curves
from benchmarks.realistic.judging import shape_of
from benchmarks.realistic.lines import Task, read_rows
from benchmarks.realistic.shapes import has_form, n_numbers

from ddsr import Expression
from ddsr.price import TableCode
from ddsr.price.code_in_use import code_in_use
from ddsr.price.structure_code import describe
from ddsr.price.table_code import Reading


def tasks(*arguments, found=("gplearn",), has_real=True):
    return command.tasks_of(command.parse_arguments([*arguments, "--out", "x"]), found, has_real)


def test_a_command_asks_for_each_fit_once():
    some = tasks("--limits", "2,10", "--draws", "2", "--calibrate", "10:14", found=(), has_real=False)
    n_curves = len(curves("develop"))
    assert len(some) == len(set(some)) == n_curves * (2 * 2 + 12)
    assert {task.limit for task in some if task.draw > 1} == {10.0}


def test_a_full_command_has_all_kinds():
    some = tasks("--full", "--limits", "2", "--curves", "drag,diode", "--sets", "hubble")
    kinds = [(task.method, task.has_guess, task.is_left_out) for task in some if task.suite == "curves"]
    assert {kind: kinds.count(kind) for kind in kinds} == {
        ("ddsr", False, False): 6,
        ("ddsr", True, False): 6,
        ("ddsr", False, True): 6,
        ("gplearn", False, False): 6,
    }
    real = [(task.curve, task.draw, task.method) for task in some if task.suite == "real"]
    assert real == [("hubble", seed, method) for method in ("ddsr", "gplearn") for seed in range(3)]


class Stand:
    """A regressor that returns a given equation and records the code that priced it."""

    answer = "7.1 * S / (2.1 + S)"

    def __init__(self, **parameters):
        Stand.parameters = parameters

    def fit(self, X, y):
        Stand.code = code_in_use()
        entry = type("Entry", (), {"equation": Expression.parse(self.answer, law().vocabulary)})
        form = type("Form", (), {"entry": entry, "weight": 0.7})
        self.outcomes_ = [type("Outcome", (), {"best": entry, "forms": [form]})]


def law(name: str = "Michaelis-Menten") -> Expression:
    return shape_of(curve_of(name)).law


@pytest.fixture
def stand(monkeypatch):
    monkeypatch.setattr(running, "DDSRRegressor", Stand)
    monkeypatch.setattr(running, "judge", lambda *of: running.Verdict(True, True, False, True))
    return Stand


def test_a_fit_is_judged(stand):
    row = running.run(Task("Michaelis-Menten", 1, 2.0))
    assert row.is_form_right and row.is_equal and row.is_among_three and row.probability == 0.7
    assert stand.parameters == {"max_time": 2.0, "random_state": 1, "n_jobs": 1, "guesses": ()}
    assert stand.code is TableCode.shipped()


def test_the_true_form_is_passed_as_a_guess(stand):
    running.run(Task("Michaelis-Menten", 0, 2.0, has_guess=True))
    assert stand.parameters["guesses"] == ["7.3 * S / (1.9 + S)"]


def test_the_true_form_is_left_out_of_the_code(stand, monkeypatch):
    others = Reading.of(
        describe([each], [[True] * each.n_constants])[0] for each in (law("drag"), law("diode"))
    )
    codes = {}
    monkeypatch.setattr(
        running, "code_without", lambda left: codes.setdefault(str(left), TableCode.learned(others, others))
    )
    running.run(Task("Michaelis-Menten", 0, 2.0, is_left_out=True))
    assert codes == {"7.3 * S / (1.9 + S)": stand.code} and code_in_use() is TableCode.shipped()


def test_a_fit_that_fails_is_a_row_with_the_reason(stand, monkeypatch):
    monkeypatch.setattr(stand, "answer", "7.1 * nothing")
    row = running.run(Task("Michaelis-Menten", 0, 2.0))
    assert not row.is_form_right and "nothing" in row.error and row.equation == ""


def test_peers_that_are_absent_are_skipped_with_a_reason():
    assert "is unknown" in peers.why_skipped("operron")
    assert peers.why_skipped("linear") is None  # scikit-learn is always available


def test_equations_of_peers_are_judged_as_others_are():
    shape = shape_of(curve_of("Michaelis-Menten"))
    written = "((7.3 * S) / (S + (1.9)))"
    assert has_form(shape, peers.read_equation(written, ("S",)))
    protected = peers.read_equation("sqrt(Abs((S + (-0.57)))) + log(Abs((S / (2.5))))", ("S",))
    assert not has_form(shape, protected) and n_numbers(protected) >= 2
    powers = peers.read_equation("(1.5e-05 + (2.0 * ((1.1 * S) ^ 0.5)))", ("S",))
    assert powers.to_callable()(np.array([[4.0]]))[0] == pytest.approx(2.0 * np.sqrt(4.4), rel=1e-4)


def test_a_process_ends_with_its_parent(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(running.os, "getppid", lambda: -1)
    monkeypatch.setattr(running.os, "_exit", lambda status: ended.set())
    running.end_with_parent(1)
    assert ended.wait(60.0)


class Pool:
    """Runs tasks at once, in this process."""

    def __init__(self, *arguments, **named):
        pass

    def submit(self, function, *arguments):
        from concurrent.futures import Future

        future = Future()
        future.set_result(function(*arguments))
        return future

    def shutdown(self, **named):
        pass


def test_a_run_that_was_ended_is_resumed(tmp_path, stand, monkeypatch):
    monkeypatch.setattr(command, "ProcessPoolExecutor", Pool)
    for name in command.ONE_THREAD:
        monkeypatch.setenv(name, "1")  # restores the variable after the test
    path = tmp_path / "fits.jsonl"
    some = [Task("Michaelis-Menten", draw, 2.0) for draw in range(3)]
    command.run_missing(some[:2], path, 1, None)
    first = next(read_rows(path)).task
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]) + lines[-1][:40])  # killed while writing
    ran = []
    monkeypatch.setattr(command, "run", lambda task, folder: ran.append(task) or running.run(task, folder))
    command.run_missing(some, path, 1, None)
    assert set(ran) == set(some) - {first}
    assert {row.task for row in read_rows(path)} == set(some)
    command.run_missing(some, path, 1, None)
    assert len(ran) == 2
