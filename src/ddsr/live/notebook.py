"""A view for notebooks: `DDSRRegressor(callback=NotebookView())` shows the front under the cell."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from html import escape

from ddsr.errors import MethodError
from ddsr.live.board import Board, Choose
from ddsr.live.table import r2_text
from ddsr.search.loop import SearchState
from ddsr.selection.outcome import Outcome

LEAST_SECONDS_BETWEEN = 0.25
MARK = ' style="font-weight:bold;color:#0a7d32"'


class NotebookView:
    """A table under the cell, updated at most four times a second. Interrupt the cell to end the fit.

    `target` is the name of the target. With the number of rows `n_rows`, the view marks the equation with the
    shortest description length, without it the most accurate one. `show` is for front ends other than
    IPython: it is called with an object that has `_repr_html_`. Create a new view for each fit.
    """

    def __init__(
        self,
        target: str = "y",
        n_rows: int | None = None,
        show: Callable[[NotebookView], object] | None = None,
    ) -> None:
        choose: Choose | None = None if n_rows is None else lambda front: front.best(n_rows)
        self.board = Board(target, choose=choose)
        self._show = show
        self._last = 0.0

    def __call__(self, state: SearchState) -> None:
        """Take the state of an epoch."""
        self.board.take(state)
        if time.monotonic() - self._last >= LEAST_SECONDS_BETWEEN:
            self._renew()

    def on_choice(self, outcomes: Sequence[Outcome]) -> None:
        """Show the choice and how sure it is."""
        self.board.finish(outcomes)
        self._renew()

    def _renew(self) -> None:
        self._show = self._show or _display_in_ipython()
        self._show(self)
        self._last = time.monotonic()

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr{MARK if row.is_chosen else ''}><td>{row.size}</td><td>{r2_text(row.r2)}</td>"
            f'<td style="text-align:left"><code>{escape(row.equation)}</code></td></tr>'
            for row in self.board.rows()
        )
        finders = self.board.finders()
        by = f"<br>improvements by: {escape(finders)}" if finders else ""
        head = f"<tr><th>size</th><th>R²</th><th>equation for {escape(self.board.target)}</th></tr>"
        certainty = "<br>".join(escape(line.strip()) for line in self.board.certainty)
        sure = f"<p>{certainty}</p>" if certainty else ""
        return f"<p>{escape(self.board.headline())}{by}</p><table>{head}{rows}</table>{sure}"

    def __repr__(self) -> str:
        chosen = self.board.chosen
        return self.board.headline() + (f" · {self.board.write(chosen)}" if chosen else "")


def _display_in_ipython() -> Callable[[NotebookView], object]:
    """Return a function that shows an object, replacing the one before."""
    try:
        from IPython.display import display
    except ImportError:
        raise MethodError(
            "NotebookView needs IPython: run it in a notebook, or install it with pip install ipython"
        ) from None
    handles: list[object] = []

    def show(view: NotebookView) -> None:
        if handles and handles[0] is not None:
            handles[0].update(view)  # type: ignore[attr-defined]
        else:
            handles[:] = [display(view, display_id=True)]

    return show
