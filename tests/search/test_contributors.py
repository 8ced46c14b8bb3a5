"""Contributors that the user passes: their turns, what becomes of their proposals, and what is refused."""

import threading

import numpy as np
import pytest
from sklearn.base import clone

from ddsr import DDSRRegressor, Expression
from ddsr.deadline import Deadline
from ddsr.errors import MethodError
from ddsr.expression import Batch, Vocabulary
from ddsr.runs import RunFolder
from ddsr.search.contributors.contract import Proposals, TimeShare
from ddsr.search.hall_of_fame import HallOfFame
from ddsr.storage.saved import from_bytes, to_bytes

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 2))
Y = np.sin(3.1 * X[:, 0] ** 1.7) / (0.3 + X[:, 1] ** 2.9)
TRUTH = "sin(3.0 * x0^1.7) / (0.3 + x1^2.9)"
SMALL = {"evaluations_per_epoch": 60, "symmetries": False, "model_selection": "best"}


class Prompter:
    """Proposes the same texts in every epoch, and notes what it is given."""

    n_scored = 0

    def __init__(self, *texts, name="prompter"):
        self.texts, self.name, self.turns = texts, name, []

    def propose(self, search, budget):
        self.turns.append((search.epoch, budget.evaluations, budget.seconds, len(search.elites())))
        return Proposals([Expression.parse(text, search.engine.vocabulary) for text in self.texts])

    def saved(self):
        return {"n_turns": len(self.turns)}

    def restore(self, saved):
        self.turns = [None] * saved["n_turns"]


def model_with(*contributors, preset="ddsr:generator=none", **parameters):
    parameters = {"max_epochs": 3, "random_state": 0, "config": SMALL} | parameters
    return DDSRRegressor(preset, contributors=contributors, **parameters)


def test_proposals_are_fitted_and_what_they_gain_is_recorded():
    known = []
    model = model_with(lambda problem: known.append(Prompter(TRUTH)) or known[-1]).fit(X, Y)
    assert model.stopped_by_ == "exact"
    epoch, evaluations, seconds, n_elites = known[0].turns[0]
    assert (epoch, evaluations, seconds) == (0, 60, None) and n_elites > 0
    curves = model.curves_
    assert curves["gain_prompter"][0] > 1.0 and curves["seconds_prompter"][0] > 0.0
    assert "gain_prompter" not in model_with().fit(X, Y).curves_


def test_a_turn_in_every_epoch_and_the_same_result_for_the_same_seed():
    models = [model_with(Prompter("x0 + x1"), Prompter("x0 * x1", name="other")).fit(X, Y) for _ in range(2)]
    assert (models[0].curves_[["seconds_prompter", "seconds_other"]] > 0.0).all().all()
    assert models[0].front_ == models[1].front_


def test_a_contributor_can_share_time():
    """In a search without a clock it has the turns of its least share."""
    curves = model_with(Sharing(TimeShare(0.5, 1.0)), max_epochs=4).fit(X, Y).curves_
    assert (curves["seconds_prompter"] > 0.0).tolist() == [False, True, False, True]


def test_a_contributor_without_proposals_changes_nothing():
    model = model_with(Prompter()).fit(X, Y)
    assert model.front_ == model_with().fit(X, Y).front_
    assert (model.curves_["seconds_prompter"] > 0.0).all() and "gain_prompter" not in model.curves_


def test_what_breaks_the_grammar_is_left_out():
    parameters = {"config": SMALL | {"max_length": 9}, "rules": ["forbid exp on x0"]}
    model = model_with(Prompter(TRUTH, "exp(x0)", "x0 * x1"), **parameters).fit(X, Y)
    assert all("exp" not in entry.equation.text() for entry in model.front_)
    assert model.n_epochs_ == 3


def test_each_search_has_its_own_copy():
    mine = Prompter("x0 * x1")
    model = model_with(mine, max_epochs=1).fit(X, np.column_stack([Y, X[:, 0] * X[:, 1]]))
    assert mine.turns == [] and model.get_params()["contributors"] == (mine,)
    copied = clone(model).get_params()["contributors"]
    assert isinstance(copied[0], Prompter) and copied[0] is not mine


def test_their_state_is_saved_and_restored():
    def states_of(saved=None, n_epochs=2):
        made, states = [], []
        model = model_with(lambda problem: made.append(Prompter("x0 * x1")) or made[-1], max_epochs=n_epochs)
        model.set_params(callback=lambda state: states.append(from_bytes(to_bytes(state.save()))))
        model.fit(X, Y)
        return made[0], states

    _, states = states_of()
    assert [each["contributors"]["prompter"] for each in states] == [{"n_turns": 1}, {"n_turns": 2}]


def test_a_run_is_resumed_with_its_contributors(tmp_path):
    parameters = {"preset": "ddsr:generator=none", "config": SMALL, "max_epochs": 2, "random_state": 0}
    made = []

    def make(problem):
        made.append(Prompter("x0 * x1"))
        return made[-1]

    run = RunFolder.create(tmp_path / "run", X, Y, parameters=parameters)
    run.fit(contributors=[make], interval=0)
    model = run.resume(more_epochs=2, contributors=[make])
    assert len(made[1].turns) == 4  # two of them restored
    whole = model_with(make, max_epochs=4).fit(X, Y)
    assert model.front_ == whole.front_
    assert RunFolder.open(tmp_path / "run").resume(more_epochs=1).n_epochs_ == 5  # and without them
    with pytest.raises(MethodError, match="pass them to fit and resume"):
        RunFolder.create(tmp_path / "other", X, Y, parameters=parameters | {"contributors": [make]})


def test_a_model_is_saved_without_them(tmp_path):
    model = model_with(Prompter("x0 * x1"), max_epochs=1).fit(X, Y)
    model.save(tmp_path / "model.json")
    loaded = DDSRRegressor.load(tmp_path / "model.json")
    assert loaded.get_params()["contributors"] == () and loaded.front_ == model.front_


def test_an_exception_leaves_what_was_found():
    class Broken(Prompter):
        def propose(self, search, budget):
            raise RuntimeError("broken")

    model = model_with(Broken())
    with pytest.raises(RuntimeError, match="broken"):
        model.fit(X, Y)
    assert np.isfinite(model.predict(X)).all() and model.n_epochs_ == 1


def test_time_that_is_up_ends_the_turn_and_not_the_fit():
    class Late(Prompter):
        def propose(self, search, budget):
            search.engine.score(search.elites(), deadline=Deadline(0.0))

    assert model_with(Late()).fit(X, Y).front_ == model_with().fit(X, Y).front_


class Incomplete:
    name, n_scored = "incomplete", 0

    def propose(self, search, budget): ...

    def saved(self): ...


class Locked(Prompter):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


class Returning(Prompter):
    """Returns what the contract does not allow."""

    def __init__(self, found):
        super().__init__()
        self.found = found

    def propose(self, search, budget):
        return self.found


class Sharing(Prompter):
    """Has turns by what it gains."""

    def __init__(self, time_share):
        super().__init__("x0 + x1")
        self.time_share = time_share


OTHER = Expression.parse("z", Vocabulary(["z"]))
OTHERS = HallOfFame(Batch.of([OTHER]), *np.ones((3, 1)))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("power", "must be a list or tuple of contributors, got 'power'"),
        (Prompter(), "must be a list or tuple of contributors"),
        ([3], r"contributors\[0\]: 3 has no method propose"),
        ([Incomplete()], r"^contributor 'incomplete': .* has no method restore\(saved\): add it; see docs"),
        ([Incomplete], "^contributor 'incomplete': .* cannot be called with the problem .* let it take one"),
        ([lambda: None], r"^contributors\[0\]: .* cannot be called with the problem"),
        ([Prompter(name="a b")], "needs a name such as 'polynomials'"),
        ([Prompter(name="refiner")], "^contributor 'refiner': this is the name of a part of ddsr"),
        ([Prompter(), Prompter()], r"^contributor 'prompter': contributors\[1\] has the name of another one"),
        ([Sharing(0.3)], "^contributor 'prompter': time_share must be a TimeShare or None, got 0.3"),
        ([Locked()], "^contributor 'prompter': it cannot be copied for a search .*: pass a function"),
        ([lambda problem: None], r"^contributors\[0\]: None has no method propose"),
        ([Returning([OTHER])], r"^contributor 'prompter': propose must return Proposals\(...\), or None"),
        (
            [Returning(Proposals(["x0"]))],
            r"^contributor 'prompter': expressions has 'x0': .*Expression.parse",
        ),
        ([Returning(Proposals("x0"))], "^contributor 'prompter': expressions must be a list"),
        ([Returning(Proposals(3))], "^contributor 'prompter': expressions must be a list"),
        (
            [Returning(Proposals(scores=("x0",)))],
            "^contributor 'prompter': scores has 'x0', which is not",
        ),
        ([Returning(Proposals(scores=3))], "^contributor 'prompter': scores must be a tuple of results"),
        ([Returning(Proposals(update=3))], "^contributor 'prompter': update must be UpdateStats"),
        ([Returning(Proposals([OTHER]))], "^contributor 'prompter': a proposal has a different vocabulary"),
        ([Returning(Proposals(Batch.of([OTHER])))], "^contributor 'prompter': a proposal has a different"),
        ([Returning(Proposals(scores=(OTHERS,)))], "^contributor 'prompter': a proposal has a different"),
    ],
)
def test_what_is_refused(given, message):
    model = model_with().set_params(contributors=given)
    with pytest.raises(MethodError, match=message):
        model.fit(X, Y)


def test_an_exception_of_the_users_own_class_passes_through():
    class Broken(Prompter):
        def __init__(self, problem):
            raise TypeError("mine")

    with pytest.raises(TypeError, match="^mine$"):
        model_with(Broken).fit(X, Y)


class Saving(Prompter):
    """Saves what it is given."""

    def __init__(self, saved):
        super().__init__()
        self.found = saved

    def saved(self):
        return self.found


@pytest.mark.parametrize(
    ("saved", "message"),
    [
        (None, r"must return a dict, {} if nothing changes, not None"),
        ({"f": len}, r"returned <built-in function len> at \['f'\]: return dicts of arrays"),
        ({"a": {"b": np.int64(3)}}, r"returned .*3.* at \['a'\]\['b'\]"),
        ({"a": np.array([{}])}, r"returned an array of objects at \['a'\]"),
        ({"a": [1, [np.zeros(2)]]}, r"returned array\(.*\) at \['a'\]\[1\]\[0\]"),
        ({"a": {3: 4}}, r"returned the name 3 at \['a'\], which must be a string"),
        ({"a/b": 4}, "returned the name 'a/b', which must be a string without '/'"),
    ],
)
def test_a_state_that_no_file_can_hold_is_refused(saved, message):
    model = model_with(Saving(saved), max_epochs=1, callback=lambda state: state.save())
    with pytest.raises(MethodError, match=rf"^contributor 'prompter': saved\(\) {message}"):
        model.fit(X, Y)


@pytest.mark.parametrize("preset", ["paper", "uniform", "ddsr:refiner=none"])
def test_methods_without_evolution_take_none(preset):
    with pytest.raises(MethodError, match=f"which '{preset}' does not have: leave them out"):
        model_with(Prompter(), preset=preset, config=None).fit(X, Y)
