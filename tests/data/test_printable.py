"""Names of columns and files are shown as they are but cannot control a terminal."""

import io

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from command_cases import ddsr, refusal, write_table
from ddsr import DDSRRegressor
from ddsr.cli.result import print_result
from ddsr.data.printable import plain_console, printable, printable_lines
from ddsr.expression import Expression, Vocabulary
from ddsr.live import PlainView, TerminalView
from ddsr.live.board import Board
from ddsr.search.front import FrontEntry, ParetoFront
from ddsr_bench.runner.progress import describe
from ddsr_bench.runner.store import Row

ESCAPE = "\x1b]0;owned\x07\x1b[31m"
UNITS = ["T [s]", "[/s]", "[bold]", "v :star: [m/s]", r"\[s]"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("größe`", "größe`"),
        ("温度 [°C]", "温度 [°C]"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x9b31m", r"\x9b31m"),
        ("\u202eevil\u2028", r"\u202eevil\u2028"),
        ("\udc80", r"\udc80"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown
    printable(text).encode()


def test_lines_stay_lines():
    assert printable_lines("a\tb\n\x1b[2Jc\n") == "a\tb\n\\x1b[2Jc\n"


def board_of(target: str, feature: str = "x") -> Board:
    vocabulary = Vocabulary([feature])
    expression = Expression(vocabulary, [vocabulary.first_variable])
    board = Board(target)
    board.front = ParetoFront((FrontEntry(expression, 0.5, 1.0, 0.0),))
    return board


@pytest.mark.parametrize("target", UNITS)
@pytest.mark.parametrize("has_markup", [True, False])
def test_units_are_not_read_as_markup(target, has_markup):
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=200) if has_markup else plain_console()
    console.file = stream
    console.print(TerminalView(board_of(target), console))
    assert f"equation for {target}" in stream.getvalue()


def test_views_escape_control_characters():
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=200, color_system=None)
    console.print(TerminalView(board_of(ESCAPE, feature=ESCAPE), console))
    view = PlainView(board_of(ESCAPE, feature=ESCAPE), stream)
    view.note(view.board.write(view.board.chosen))
    assert "owned" in stream.getvalue()
    assert ESCAPE[:4] not in stream.getvalue() and "\x07" not in stream.getvalue()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A target with a unit, and a feature whose name would change the terminal's title and colour."""
    rows = "\n".join(f"{k},{k * 3 + k % 3},{k % 5},{k % 7}" for k in range(1, 20))
    header = '"T [s]","[/s]",a,"' + ESCAPE + '"'
    return write_table(tmp_path_factory.mktemp("names") / "data.csv", f"{header}\n{rows}\n")


QUICK = ("--preset", "uniform", "--max-size", 9, "--epochs", 1)


@pytest.mark.parametrize("target", ["T [s]", "[/s]"])
def test_the_command_line_shows_units(table, tmp_path, target):
    run = tmp_path / "run [/x]"
    fitted = ddsr("fit", table, "-t", target, *QUICK, "--out", run)
    assert fitted.exit_code == 0, fitted.output
    shown = ddsr("show", run)
    for output in (fitted, shown):
        assert f"equation for {target}\n" in output.stdout and f"\n{target} = " in output.stdout
    assert "\x1b" not in fitted.output + shown.output and "\x07" not in fitted.output + shown.output


def test_errors_escape_names(table, tmp_path):
    assert refusal("fit", table, "-t", ESCAPE + "!").count(r"\x1b") > 1
    missing = refusal("show", tmp_path / "\x1b[31mred")
    assert r"\x1b[31mred" in missing and "\x1b" not in missing


def test_a_result_in_units_is_printed(capsys):
    frame = pd.DataFrame({"a [m]": np.arange(1.0, 9.0)})
    model = DDSRRegressor("uniform", max_epochs=1, config={"batch_size": 20}, random_state=0)
    model.fit(frame, frame["a [m]"] ** 1.5)
    print_result(model, "[/s]", {})
    assert "equation for [/s]" in capsys.readouterr().out


def test_benchmarks_escape_names():
    row = Row(
        problem="[red]\x1b[31m", method="m", noise=0.0, seed=0, wall_s=1.0, threads=1, host="h", version="1"
    )
    assert describe(row).startswith(r"[red]\x1b[31m m ")
