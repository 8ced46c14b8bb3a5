"""`verbose=1`: a live view of the fit, and the chosen equations at its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ddsr.errors import MethodError
from ddsr.estimator.fit import Fit
from ddsr.search.loop import SearchState

if TYPE_CHECKING:
    from ddsr.live.board import Board

Note = Callable[[Fit, SearchState], object]


def check_verbose(verbose: object) -> None:
    """Refuse a verbosity that is neither a bool nor a whole number of at least 0."""
    if not isinstance(verbose, (int, np.integer, np.bool_)) or verbose < 0:
        raise MethodError(f"verbose must be 0 (show nothing) or 1 (show the search), got {verbose!r}")


@contextmanager
def shown(
    verbose: Any, fits: Sequence[Fit], names: Sequence[str], max_time: float | None, model: object
) -> Iterator[list[Note]]:
    """Yield the callbacks of the fit, none without `verbose`; then print the chosen equations."""
    if not verbose:
        yield []
        return
    from ddsr.live.notebook import NotebookView
    from ddsr.live.verbose import verbose_view

    limit = max_time if len(fits) == 1 else None  # several outputs share the limit
    board_of = partial(_board, names=names, fits=fits, limit=limit)
    view = verbose_view(board_of(fits[0], 0.0))
    followed = fits[0]

    def note(fit: Fit, state: SearchState) -> None:
        nonlocal followed
        if fit is not followed:
            followed, view.board = fit, board_of(fit, sum(state.stats.seconds.values()))
        view(state)

    if isinstance(view, NotebookView):
        yield [note]
        view.on_choice([fit.outcome for fit in fits])
        return
    with view:
        yield [note]
    print(model)


def _board(fit: Fit, seconds: float, *, names: Sequence[str], fits: Sequence[Fit], limit: Any) -> Board:
    from ddsr.live.board import Board

    def choose(front: Any) -> Any:
        return fit.selection.choose(front, fit.problem.engine.n_counted)

    return Board(names[fits.index(fit)], limit, choose, seconds_before=seconds)
