"""The view of `verbose=1`: a table in a terminal or a notebook, lines elsewhere."""

from __future__ import annotations

import sys
from typing import TextIO

from ddsr.data.printable import plain_console
from ddsr.live.board import Board
from ddsr.live.lines import PlainView
from ddsr.live.notebook import NotebookView
from ddsr.live.terminal import TerminalView

NOTEBOOK_SHELL = "ZMQInteractiveShell"  # the class of IPython's shell in Jupyter


def stream_view(board: Board, stream: TextIO) -> TerminalView | PlainView:
    """Return the table for a terminal, and lines for any other stream."""
    if not stream.isatty():
        return PlainView(board, stream)
    return TerminalView(board, plain_console(stream))


def verbose_view(board: Board) -> TerminalView | PlainView | NotebookView:
    """Return the view that suits a notebook, a terminal or other output."""
    if not _is_in_notebook():
        return stream_view(board, sys.stdout)
    view = NotebookView()
    view.board = board
    return view


def _is_in_notebook() -> bool:
    ipython = sys.modules.get("IPython")  # a notebook has imported it
    return ipython is not None and type(ipython.get_ipython()).__name__ == NOTEBOOK_SHELL
