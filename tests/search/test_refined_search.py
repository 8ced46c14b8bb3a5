"""The default search with its real parts, small: what an epoch does, what is kept, when it ends."""

import signal
from itertools import islice

import numpy as np
import pytest

from ddsr.config import DefaultConfig, DenoiserConfig, RefinerConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.engine import Engine, FitOptions
from ddsr.expression import Vocabulary
from ddsr.generators.diffusion.generator import MaskedDiffusion
from ddsr.grammar import Grammar
from ddsr.learning.memory import EliteMemory
from ddsr.learning.objective import GRPO
from ddsr.learning.policy import Policy
from ddsr.search.baseline import baseline
from ddsr.search.contributors.contract import TimeShare
from ddsr.search.contributors.evolution import Evolution, Refiner
from ddsr.search.contributors.generator import LearningGenerator, Proposer
from ddsr.search.contributors.names import GENERATOR, REFINER
from ddsr.search.default import Epoch, RefinedSearch, refined_search
from ddsr.search.front import ParetoFront
from diffusion_cases import CPU
from strategies import PLAIN

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 3))
HARD = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 2] / X[:, 0]) / (0.3 + X[:, 1] ** 3)
CONFIG = DefaultConfig(
    max_length=12, batch_size=40, updates_per_epoch=2, denoiser=DenoiserConfig(feed_forward_width=16)
)
ISLANDS = {"n_islands": 2, "island_size": 30, "dictionary_size": 500}
PAST = Deadline(0.0)


class TimeLeft(Deadline):
    """A deadline whose remaining time is given by a function, whatever the clock does."""

    def __init__(self, seconds_left):
        object.__setattr__(self, "_seconds_left", seconds_left)

    @property
    def seconds_left(self):
        return self._seconds_left()


class Exhausted(Evolution):
    """Evolution that finds nothing new."""

    is_exhausted = True


class Parts:
    """A small search, and its parts for inspection."""

    def __init__(self, y=HARD, vocabulary=PLAIN, n_threads=1, proposals_end=NEVER, **islands):
        columns = X[:, : len(vocabulary.variables)]
        options = FitOptions(is_scale_free=True)
        self.grammar = Grammar(vocabulary, CONFIG.max_length)
        self.engine = Engine(vocabulary, columns, y, options=options, n_threads=n_threads)
        self.refiner = Refiner(
            self.engine,
            self.grammar,
            RefinerConfig(**ISLANDS | islands),
            3,
            n_threads,
        )
        self.front = baseline(self.engine, self.grammar)
        self.n_threads, self.proposals_end = n_threads, proposals_end
        self.proposers = []

    def make_proposer(self):
        learner = MaskedDiffusion(self.grammar, CONFIG, 3, CPU, self.n_threads, self.proposals_end)
        policy = Policy(learner, GRPO(CONFIG.objective), CONFIG, 3)
        memory = EliteMemory(CONFIG.n_elites)
        self.proposers.append(Proposer(learner, policy, memory, self.engine, CONFIG.batch_size))
        return self.proposers[-1]

    def search(self, share=0.5, evaluations=300, n_elites=8, **options):
        return refined_search(
            Evolution(self.refiner, n_elites),
            [LearningGenerator(self.make_proposer, TimeShare(share, 1.0))],
            **{"evaluations": evaluations, "front": self.front} | options,
        )


def test_every_epoch_refines_and_the_front_never_gets_worse():
    parts = Parts()
    known, n_scored = parts.front, 0
    for number, state in enumerate(islice(parts.search(share=0.0), 5)):
        assert state.epoch == number
        assert state.n_scored == n_scored + 300
        assert state.stats.gains == {REFINER: state.front.gain_over(known), GENERATOR: 0.0}
        assert state.stats.gains[REFINER] >= 0.0
        assert state.stats.best_reward == pytest.approx(1 / (1 + state.front.most_accurate().nrmse))
        assert set(state.stats.seconds) == {"refine"} and state.stats.update is None
        known, n_scored = state.front, state.n_scored
    assert known.gain_over(parts.front) > 0.0
    assert parts.proposers == []  # torch need not be installed


def test_the_generator_proposes_learns_and_feeds_the_refiner():
    parts = Parts()
    first, second, third, fourth = islice(parts.search(), 4)
    assert "propose" not in first.stats.seconds and "propose" not in third.stats.seconds
    for state in (second, fourth):
        assert state.stats.seconds["propose"] > 0
        assert np.isfinite([state.stats.mean_reward, state.stats.update.loss]).all()
    assert len(parts.proposers) == 1  # what was learned in one turn is kept for the next
    assert len(parts.proposers[0].memory.pool) == CONFIG.n_elites
    # its expressions and the elites are scored, and the refiner fits its expressions again
    assert 300 < second.n_scored - first.n_scored <= 300 + CONFIG.batch_size + 8
    assert 300 < third.n_scored - second.n_scored <= 300 + CONFIG.batch_size
    assert second.n_scored - first.n_scored - 8 == third.n_scored - second.n_scored


def test_the_generator_is_credited_with_its_gain():
    """The refiner's single evaluation per epoch leaves almost everything to find."""
    parts = Parts()
    known = parts.front
    states = list(islice(parts.search(share=1.0, evaluations=1), 3))
    assert sum(state.stats.gains[GENERATOR] for state in states) > 0.0
    for state in states:
        assert state.stats.gains[GENERATOR] >= 0.0
        assert max(state.stats.gains.values()) <= state.front.gain_over(known) + 1e-12
        known = state.front
    # from then on, the refiner knows its proposals
    hall = parts.refiner.hall_of_fame()
    assert hall.nrmse.min() <= states[-1].front.most_accurate().nrmse * (1 + 1e-6)


def test_elites_are_learned_from():
    """The pool of the first turn contains what the refiner had found by then."""
    parts = Parts()
    list(islice(parts.search(share=1.0, evaluations=500), 1))
    found = set(parts.refiner.hall_of_fame().batch.keys())
    assert found & set(parts.proposers[0].memory.pool.batch.keys())


def test_a_deadline_during_a_proposal_keeps_the_front():
    parts, alone = Parts(proposals_end=PAST), Parts()
    cut = list(islice(parts.search(share=1.0), 3))
    assert len(parts.proposers) == 1
    undisturbed = list(islice(alone.search(share=0.0), 3))
    for state, expected in zip(cut, undisturbed, strict=True):
        assert state.front == expected.front
        assert state.n_scored == expected.n_scored
        assert state.stats.gains == expected.stats.gains
        assert state.stats.update is None and np.isnan(state.stats.mean_reward)


class Interrupted(BaseException):
    """As raised by a signal's handler."""


@pytest.fixture
def interrupt_when():
    """Interrupt as a signal does, as soon as a condition holds, which is checked every few milliseconds."""
    previous = signal.getsignal(signal.SIGALRM)

    def watch(is_due):
        def ring(number, frame):
            if is_due():
                signal.setitimer(signal.ITIMER_REAL, 0)
                raise Interrupted

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)

    yield watch
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, previous)


def test_an_interrupt_during_a_run_of_the_refiner_keeps_what_it_found(interrupt_when):
    parts = Parts()
    states = parts.search(share=0.0, evaluations=10**9)
    interrupt_when(lambda: parts.refiner.n_evaluations > 500)
    state = next(states)
    assert state.is_cut_short and state.epoch == 0
    assert state.n_scored == parts.refiner.n_evaluations > 500
    assert state.front.gain_over(parts.front) == state.stats.gains[REFINER] > 0.0
    assert min(parts.refiner.hall_of_fame().nrmse) == state.front.most_accurate().nrmse
    with pytest.raises(Interrupted):
        next(states)


def test_an_interrupt_during_a_proposal_keeps_what_the_refiner_found(monkeypatch):
    def interrupted(*arguments):
        raise Interrupted

    monkeypatch.setattr(Proposer, "propose", interrupted)
    states, alone = Parts().search(share=1.0), Parts().search(share=0.0)
    state, expected = next(states), next(alone)
    assert state.is_cut_short and not expected.is_cut_short
    assert (state.front, state.n_scored) == (expected.front, expected.n_scored)
    assert state.stats.gains == expected.stats.gains
    with pytest.raises(Interrupted):
        next(states)


def test_an_interrupt_before_anything_was_found_is_only_an_interrupt(monkeypatch):
    def interrupted(*arguments):
        raise Interrupted

    parts = Parts()
    monkeypatch.setattr(parts.refiner, "run", interrupted)
    states = parts.search(front=ParetoFront())
    state = next(states)
    assert len(state.front) == state.n_scored == state.stats.best_reward == 0
    with pytest.raises(Interrupted):
        next(states)


def test_no_epoch_begins_after_the_deadline():
    parts = Parts()
    assert list(parts.search(deadline=PAST)) == []
    assert parts.refiner.run(evaluations=0).evaluations == 0


def test_a_generator_gets_no_turn_after_the_deadline():
    """The refiner uses all the remaining time, and no proposer is made in vain."""
    parts = Parts()
    deadline = TimeLeft(lambda: 0.0 if parts.refiner.n_evaluations else 60.0)
    states = list(parts.search(share=1.0, deadline=deadline))
    assert len(states) == 1 and parts.proposers == []
    assert states[0].n_scored > 0


def budgets_of_runs(monkeypatch, n_runs, **options):
    """Evaluations and seconds given to the refiner's runs; here they take as long as they need."""
    parts, budgets = Parts(), []
    run = parts.refiner.run

    def noted(evaluations, seconds):
        budgets.append((evaluations, seconds))
        return run(evaluations)

    monkeypatch.setattr(parts.refiner, "run", noted)
    for _ in islice(parts.search(share=0.0, evaluations=160, **options), n_runs):
        pass
    return budgets


def test_the_first_runs_are_short_where_there_is_a_deadline(monkeypatch):
    """However slow the data make the runs, none is longer than 5 s."""
    found = budgets_of_runs(monkeypatch, 6, deadline=TimeLeft(lambda: 3600.0))
    assert found == [(10, 1.0), (20, 2.0), (40, 4.0), (80, 5.0), (160, 5.0), (160, 5.0)]
    assert budgets_of_runs(monkeypatch, 2) == [(160, None)] * 2


def test_no_run_is_longer_than_the_time_left(monkeypatch):
    assert budgets_of_runs(monkeypatch, 2, deadline=TimeLeft(lambda: 0.3)) == [(10, 0.3), (20, 0.3)]


def test_the_same_seed_gives_the_same_run_on_any_number_of_threads():
    def run(n_threads):
        parts = Parts(n_threads=n_threads)
        states = list(islice(parts.search(evaluations=150), 4))
        losses = [state.stats.update.loss for state in states if state.stats.update]
        assert len(losses) == 2
        return [state.front for state in states], losses, parts.refiner.save()

    assert run(1) == run(2)


@pytest.mark.parametrize(("noise", "exact"), [(0.0, 1e-12), (1e-4, 1e-2)])
def test_an_exact_fit_ends_the_search(noise, exact):
    """Of a single variable, which the refiner tries first; a larger `exact` ends it, too."""
    y = 2.0 * X[:, 0] - 3.0 + noise * np.random.default_rng(1).normal(size=len(X))
    states = list(islice(Parts(y, exact=exact).search(share=0.0), 3))
    assert len(states) == 1
    assert states[-1].front.most_accurate().nrmse < exact
    assert len(list(islice(Parts(y, exact=0.0).search(share=0.0), 3))) == 3


def test_a_search_ends_when_everything_was_tried():
    """x, sin(x) and sums of them up to twelve tokens; at last a run finds nothing new."""
    vocabulary = Vocabulary(("x",), ("sin",), has_one=False, has_constant=False)
    parts = Parts(vocabulary=vocabulary)
    states = list(islice(parts.search(share=0.0), 500))
    assert len(states) < 500
    assert parts.refiner.run(evaluations=100).evaluations == states[-1].n_scored  # x and sin(x), twice each
    assert len(states[-1].front) > 0


@pytest.mark.parametrize("name", [GENERATOR, "mine"])
def test_a_gain_of_any_contributor_goes_on_when_evolution_is_exhausted(name):
    """Evolution may find something new from what gained."""
    parts = Parts()
    search = RefinedSearch(Exhausted(parts.refiner, 8), [], 10, parts.front, NEVER)
    for gain, is_over in ((0.5, False), (0.0, True)):
        epoch = Epoch(0, known=parts.front, gains={REFINER: 1.0, name: gain})
        search.end(epoch)
        assert search.is_over == is_over


def test_an_empty_front_is_no_obstacle():
    states = list(islice(Parts().search(front=ParetoFront()), 2))
    assert len(states[-1].front) > 0
