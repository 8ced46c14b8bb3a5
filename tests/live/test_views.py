"""Every view follows a real search and shows how far it is, who found what, the front and its choice."""

import io
import re
import time
from itertools import islice

import numpy as np
import pytest
from rich.console import Console

from ddsr.errors import MethodError
from ddsr.expression import Vocabulary
from ddsr.live import NotebookView, PlainView, TensorBoardLog, TerminalView
from ddsr.live.board import Board
from ddsr.methods import assemble

X = np.random.default_rng(0).uniform(0.5, 3.0, size=(60, 2))
Y = np.sin(3 * X[:, 0]) * X[:, 1] + 0.01 * np.random.default_rng(1).normal(size=60)


@pytest.fixture(scope="module")
def states():
    names = Vocabulary(("a", "<b>"))
    search, _ = assemble(
        "ddsr:generator=none:symmetries=false", names, X, Y, config={"evaluations_per_epoch": 300}
    )
    return list(islice(search, 4))


def choose(front):
    return front.best(len(Y))


def test_board_follows_the_search(states):
    board = Board("t", max_time=60.0, choose=choose)
    assert board.chosen is None and board.rate == 0.0 and board.shares == {}
    assert re.fullmatch(r"0\.\d of 60 s", board.headline())
    for state in states:
        board.take(state)
    assert board.epoch == 4 and board.n_scored == 1200
    assert board.front is states[-1].front and board.chosen is choose(states[-1].front)
    assert board.shares == {"refiner": 1.0, "generator": 0.0}
    assert "epoch 4 · 1,200 candidates · " in board.headline()


def test_the_rate_of_a_resumed_run_counts_what_was_seen(states):
    """The first state of a resumed search carries what was scored before it."""
    board = Board()
    for state in states[2:]:
        board.take(state)
    time.sleep(0.01)
    seen = states[3].n_scored - states[2].n_scored
    assert 0 < board.rate <= seen / 0.01


def test_plain_view_prints_the_first_equation_at_once(states):
    stream = io.StringIO()
    view = PlainView(Board("t", choose=choose), stream)
    view(states[0])
    line = stream.getvalue()
    assert line.count("\n") == 1 and " · R² " in line and "t = " in line
    assert choose(states[0].front).equation.simplified().text(precision=4) in line
    view(states[1])  # too soon for another
    assert stream.getvalue() == line


def test_plain_view_prints_news_and_now_and_then(states, monkeypatch):
    monkeypatch.setattr("ddsr.live.lines.LEAST_SECONDS_BETWEEN", 0.0)
    stream = io.StringIO()
    view = PlainView(Board(), stream)
    for state in (states[0], states[0], states[-1]):
        view(state)
    assert stream.getvalue().count("\n") == 2
    monkeypatch.setattr("ddsr.live.lines.MOST_SECONDS_BETWEEN", 0.0)
    view(states[-1])
    assert stream.getvalue().count("\n") == 3


def test_terminal_view_stays_in_place_and_vanishes(states):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=100, height=40)
    with TerminalView(Board("t", max_time=60.0, choose=choose), console) as view:
        for state in states:
            view(state)
        view.note("another line")
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", stream.getvalue())
    assert "of 60 s · epoch 4 · 1,200 candidates" in shown
    assert "improvements by: refiner 100%, generator 0%" in shown
    assert "→" in shown and "another line" in shown
    assert "equation for t" in shown and "<b>" in shown
    assert stream.getvalue().rstrip().endswith("\x1b[2K")  # the last thing is that its lines are erased


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


def test_notebook_view_is_shown_as_html(states):
    shown = []
    view = NotebookView("t", n_rows=len(Y), show=shown.append)
    view(states[0])
    view(states[-1])  # a moment later: too soon
    assert shown == [view]
    html = view._repr_html_()
    assert "equation for t" in html and html.count("<tr") == len(states[-1].front) + 1
    assert html.count("font-weight:bold") == 1
    assert "<b>" not in html and "&lt;b&gt;" in html
    assert "t = " in repr(view)


def test_notebook_view_says_what_it_needs(states, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "IPython.display", None)
    view = NotebookView()
    with pytest.raises(MethodError, match="needs IPython"):
        view(states[0])


def test_tensorboard_gets_the_curves(states, tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    log = TensorBoardLog(str(tmp_path))
    for state in states:
        log(state)
    log.close()
    events = EventAccumulator(str(tmp_path)).Reload()
    assert {"search/best_reward", "search/candidates", "gain/refiner", "seconds/refine"} <= set(
        events.Tags()["scalars"]
    )
    assert [point.value for point in events.Scalars("search/candidates")] == [300, 600, 900, 1200]
    assert "search/mean_reward" not in events.Tags()["scalars"]  # the refiner has none


def test_tensorboard_says_what_it_needs(monkeypatch, tmp_path):
    monkeypatch.setitem(__import__("sys").modules, "torch.utils.tensorboard", None)
    with pytest.raises(MethodError, match=r"ddsr\[tensorboard\]"):
        TensorBoardLog(str(tmp_path))
