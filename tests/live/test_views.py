"""Every view follows a search and shows its progress, the contributors, the front and the choice."""

import io
import re

import pytest
from rich.console import Console

from ddsr.errors import MethodError
from ddsr.expression import Expression, Vocabulary
from ddsr.learning.curves import EpochStats
from ddsr.live import NotebookView, PlainView, TensorBoardLog, TerminalView
from ddsr.live.board import Board
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr.search.loop import SearchState

NAMES = Vocabulary(("a", "<b>"))
N_ROWS = 60
# Sizes, errors and equations of a search that improves from epoch to epoch.
FOUND = [
    ("`<b>`", 0.9),
    ("sin(a)", 0.7),
    ("a * `<b>`", 0.5),
    ("`<b>` * sin(a)", 0.3),
    ("`<b>` * sin(2.9 * a)", 0.1),
    ("`<b>` * sin(2.9 * a + 0.25)", 0.08),
    ("`<b>` * sin(2.9 * a + 0.25) + exp(a / `<b>`)", 0.07),
]


def entry(text: str, nrmse: float) -> FrontEntry:
    return FrontEntry(Expression.parse(text, NAMES), nrmse, scale=1.0, offset=0.0)


def state(epoch: int, n_found: int) -> SearchState:
    """The state after an epoch with 300 candidates and a second of refining."""
    stats = EpochStats(
        best_reward=0.5 + 0.1 * epoch,
        mean_reward=float("nan"),
        reward_floor=float("nan"),
        distinct_share=1.0,
        update=None,
        seconds={"refine": 1.0},
        gains={"refiner": 2.0, "generator": 0.0},
    )
    front = ParetoFront(tuple(entry(*found) for found in FOUND[:n_found]))
    return SearchState(epoch, front, 300 * (epoch + 1), stats, save=dict)


@pytest.fixture(scope="module")
def states():
    return [state(epoch, n_found) for epoch, n_found in enumerate((2, 3, 5, 7))]


def choose(front):
    return front.best(N_ROWS)


def test_board_follows_the_search(states, clock):
    board = Board("t", max_time=60.0, choose=choose)
    assert board.chosen is None and board.rate == 0.0 and board.shares == {}
    assert board.headline() == "0.0 of 60 s"
    for each in states:
        clock.advance(1.0)
        board.take(each)
    assert board.epoch == 4 and board.n_scored == 1200
    assert board.front is states[-1].front and board.chosen is choose(states[-1].front)
    assert board.shares == {"refiner": 1.0, "generator": 0.0}
    assert board.headline() == "4.0 of 60 s · epoch 4 · 1,200 candidates · 300/s"


def test_the_rate_is_that_of_the_shown_seconds_and_candidates(states, clock):
    """Also in a resumed run, whose first state includes everything scored before it."""
    board = Board(seconds_before=98.0)
    for each in states[2:]:
        clock.advance(1.0)
        board.take(each)
    assert board.seconds == pytest.approx(100.0)
    assert board.rate == pytest.approx(1200 / 100)


def test_equations_with_the_same_text_are_one_row():
    """They differ in digits that are not shown; the arrow stays at the chosen one."""
    twins = [entry("sin(a)", 0.7), entry("2.00001 * a", 0.5), entry("2.00002 * a", 0.4)]
    for chosen in twins[1:]:
        board = Board(choose=lambda front, chosen=chosen: chosen)
        board.front = ParetoFront(tuple(twins))
        one, other = board.rows()
        assert not one.is_chosen and other.is_chosen
        assert other.equation == "2 * a" and other.r2 == 1.0 - chosen.nrmse**2


def test_plain_view_prints_the_first_equation_at_once(states, clock):
    stream = io.StringIO()
    view = PlainView(Board("t", choose=choose), stream)
    view(states[0])
    line = stream.getvalue()
    assert line.count("\n") == 1 and " · R² " in line and "t = " in line
    assert choose(states[0].front).equation.simplified().text(precision=4) in line
    clock.advance(0.9)
    view(states[1])  # too soon for another
    assert stream.getvalue() == line


def test_plain_view_prints_news_and_now_and_then(states, clock):
    stream = io.StringIO()
    view = PlainView(Board(), stream)
    for each, seconds, n_lines in (
        (states[0], 0.0, 1),
        (states[0], 29.9, 1),  # nothing new
        (states[-1], 0.0, 2),
        (states[-1], 29.9, 2),
        (states[-1], 0.2, 3),
        (states[0], 0.9, 3),  # news, but too soon
        (states[0], 0.2, 4),
    ):
        clock.advance(seconds)
        view(each)
        assert stream.getvalue().count("\n") == n_lines


def test_terminal_view_stays_in_place_and_vanishes(states):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, height=40)
    with TerminalView(Board("t", max_time=60.0, choose=choose), console) as view:
        for each in states:
            view(each)
        view.note("another line")
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())
    assert "of 60 s · epoch 4 · 1,200 candidates" in shown
    assert "improvements by: refiner 100%, generator 0%" in shown
    assert "→" in shown and "another line" in shown
    assert "equation for t" in shown and "<b>" in shown
    assert stream.getvalue().rstrip().endswith("\x1b[2K")  # its lines are erased last


def shown_lines(board, width, height):
    console = Console(file=io.StringIO(), width=width, height=height)
    console.print(TerminalView(board, console))
    return console.file.getvalue().splitlines()


def test_a_small_terminal_shows_the_entries_around_the_choice(states):
    board = Board(choose=lambda front: front.entries[len(front) // 2])
    board.take(states[-1])
    assert len(board.front) > 4
    whole, part = shown_lines(board, 100, 60), shown_lines(board, 60, 10)
    assert len(whole) == len(board.front) + 4 and len(part) == 3 + 4
    assert part[4].startswith("→")
    assert max(map(len, part)) <= 60 and any("…" in line for line in shown_lines(board, 55, 60))


def test_notebook_view_is_shown_as_html(states, clock):
    shown = []
    view = NotebookView("t", n_rows=N_ROWS, show=shown.append)
    view(states[0])
    clock.advance(0.2)
    view(states[-1])  # too soon
    assert shown == [view]
    html = view._repr_html_()
    assert "equation for t" in html and html.count("<tr") == len(states[-1].front) + 1
    assert html.count("font-weight:bold") == 1
    assert "<b>" not in html and "&lt;b&gt;" in html
    assert "t = " in repr(view)
    clock.advance(0.1)
    view(states[-1])
    assert shown == [view, view]


def test_notebook_view_says_what_it_needs(states, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", None)
    view = NotebookView()
    with pytest.raises(MethodError, match="needs IPython"):
        view(states[0])


def test_tensorboard_gets_the_curves(states, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = TensorBoardLog(str(tmp_path))
    for each in states:
        log(each)
    log.close()
    events = EventAccumulator(str(tmp_path)).Reload()
    assert {"search/best_reward", "search/candidates", "gain/refiner", "seconds/refine"} <= set(
        events.Tags()["scalars"]
    )
    assert [point.value for point in events.Scalars("search/candidates")] == [300, 600, 900, 1200]
    assert "search/mean_reward" not in events.Tags()["scalars"]  # the refiner does not have it


def test_tensorboard_says_what_it_needs(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    with pytest.raises(MethodError, match=r"ddsr\[tensorboard\]"):
        TensorBoardLog(str(tmp_path))
