"""A figure of a fitted estimator: the front, the fit, and the residuals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ddsr.data.arrays import Floats
from ddsr.data.frames import read_targets
from ddsr.data.printable import printable
from ddsr.data.row_samples import spread_evenly
from ddsr.engine import values
from ddsr.errors import DataError, MethodError
from ddsr.estimator.forms import Index
from ddsr.estimator.unit_parameters import labelled_targets
from ddsr.expression import Expression
from ddsr.report.model import label_of
from ddsr.selection.bands import Band, spans_decades
from ddsr.selection.outcome import Outcome

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


SIZE = (12.6, 4.0)  # inches, of three panels
MOST_DOTS = 2000  # rows drawn, spread evenly
LONGEST_TITLE = 110  # characters
LEAST_SHARE = 1e-30  # share of the largest loss, below which losses are rounding
CHOSEN, MEASURED = "C1", "C0"


@dataclass(frozen=True, eq=False)
class Plotted:
    """An equation of a model, and rows with their measured values."""

    outcome: Outcome
    row: int
    """row of the equation in the front"""
    target: str
    label: str
    """the target with its unit"""
    labels: tuple[str, ...]
    """the inputs with their units"""
    rows: Floats
    """(n, n_features), finite"""
    true: Floats

    @property
    def equation(self) -> Expression:
        """The equation, which need not be the chosen one."""
        return self.outcome.front.entries[self.row].equation

    @property
    def predicted(self) -> Floats:
        """The equation's values."""
        predicted: Floats = values([self.equation], self.rows, 1)[0][0]
        return predicted

    def column(self, name: str | None) -> int | None:
        """Return the number of the input to plot against; None if there are several and none is named."""
        names = self.equation.vocabulary.inputs
        if name is None:
            return 0 if len(names) == 1 else None
        if name not in names:
            raise DataError(f"x={name!r} is not an input; the inputs are: {', '.join(names)}")
        return names.index(name)


class Plots:
    """A figure of the fit, to put before `BaseEstimator`."""

    outcomes_: list[Outcome]
    target_names_: tuple[str, ...]
    fit_sample_: Any
    fit_inputs_: Any
    units: Any
    y_units: Any
    _new_rows: Callable[[ArrayLike], Floats]
    _rows: Callable[[Index], Iterator[tuple[Outcome, int]]]

    def plot(
        self,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        index: Index = None,
        x: str | None = None,
        output: int | str | None = None,
    ) -> Figure:
        """Draw the front, the fit and the residuals, and return the matplotlib figure.

        The fit is y against the input `x`, or against the only input, with the equation's curve and the band
        that contains a new measurement with a probability of 95 %; other inputs stay at their medians. With
        several inputs and no `x`, it is predicted against true values. Without X and y, the rows are those of
        `fit_sample_`, and a loaded model, which has none, shows the front alone. `index` is a row of
        `equations_`, and `output` the number or the name of an output if y had several columns.
        """
        plt = _pyplot()
        if (X is None) != (y is None):
            raise DataError("plot compares predictions with true values: pass both X and y, or neither")
        chosen = list(self._rows(index))
        at = _output(output, self.target_names_)
        outcome, row = chosen[at]
        rows, true = self._sampled(at) if X is None or y is None else self._given(X, y, at)
        target, names = self.target_names_[at], outcome.best.expression.vocabulary.inputs
        label = labelled_targets(self.target_names_, self.units, self.y_units)[at]
        labels = tuple(printable(label_of(self, name)) for name in names)
        plotted = Plotted(outcome, row, printable(target), printable(label), labels, rows, true)
        column = plotted.column(x)
        n_panels = 3 if len(rows) else 1
        figure: Figure = plt.figure(figsize=(SIZE[0] * n_panels / 3, SIZE[1]), layout="constrained")
        panels: Sequence[Axes] = figure.subplots(1, n_panels, squeeze=False)[0]
        _draw_front(panels[0], outcome, row)
        if len(rows):
            if column is None:
                _draw_parity(panels[1], plotted)
            else:
                _draw_fit(panels[1], plotted, column)
            _draw_residuals(panels[2], plotted)
        title = f"{plotted.target} = {printable(outcome.front.entries[row].short_text())}"
        cut = title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1] + "…"
        figure.suptitle(cut, parse_math=False)
        return figure

    def _given(self, X: ArrayLike, y: ArrayLike, output: int) -> tuple[Floats, Floats]:
        rows = self._new_rows(X)
        targets = read_targets(y).columns
        if targets.shape != (len(rows), len(self.outcomes_)):
            raise DataError(
                f"y has the shape {targets.shape}, but X has {len(rows)} row(s) and the model "
                f"{len(self.outcomes_)} output(s)"
            )
        is_known = np.isfinite(targets[:, output]) & ~np.isnan(rows).any(axis=1)
        drawn = np.flatnonzero(is_known)
        drawn = drawn[spread_evenly(len(drawn), MOST_DOTS)]
        return np.ascontiguousarray(rows[drawn]), targets[drawn, output]

    def _sampled(self, output: int) -> tuple[Floats, Floats]:
        """Return the rows that the model keeps; columns that no listed equation uses are 0."""
        variables = self.outcomes_[output].best.expression.vocabulary.inputs
        if not hasattr(self, "fit_inputs_"):
            return np.empty((0, len(variables))), np.empty(0)
        sample, inputs = (
            kept[output] if isinstance(kept, list) else kept for kept in (self.fit_sample_, self.fit_inputs_)
        )
        rows = np.zeros((len(sample), len(variables)))
        for name in inputs.columns:
            rows[:, variables.index(name)] = inputs[name]
        return rows, sample["true"].to_numpy(dtype=np.float64)


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MethodError("plot needs matplotlib: pip install matplotlib") from None
    return pyplot


def _output(output: int | str | None, names: Sequence[str]) -> int:
    if output is None and len(names) == 1:
        return 0
    if isinstance(output, str) and output in names:
        return names.index(output)
    is_number = isinstance(output, (int, np.integer)) and not isinstance(output, bool)
    if is_number and 0 <= int(output) < len(names):  # type: ignore[arg-type]
        return int(output)  # type: ignore[arg-type]
    listed = ", ".join(f"{number} ({name})" for number, name in enumerate(names))
    raise DataError(f"a figure shows one output: pass output, one of {listed}; got {output!r}")


def _draw_front(axes: Axes, outcome: Outcome, row: int) -> None:
    sizes = [entry.size for entry in outcome.front]
    losses = np.array([(entry.nrmse * outcome.spread) ** 2 for entry in outcome.front])
    losses = np.maximum(losses, LEAST_SHARE * (losses.max() or 1.0))
    axes.step(sizes, losses, where="post", color="0.6", linewidth=1)
    axes.plot(sizes, losses, "o", color=MEASURED, markersize=5)
    label = "chosen" if row == outcome.chosen else f"row {row}"
    axes.plot(sizes[row], losses[row], "o", color=CHOSEN, markersize=10, label=label)
    axes.set(xlabel="size (tokens)", ylabel="mean squared error", yscale="log", title="Error against size")
    axes.legend()


def _draw_fit(axes: Axes, plotted: Plotted, column: int) -> None:
    """Draw the rows, the curve and the band against one input, clipped to the rows."""
    x, y = plotted.rows[:, column], plotted.true
    band = Band.over(
        x,
        plotted.outcome,
        [plotted.equation],
        np.median(plotted.rows, axis=0),
        column,
        has_band=plotted.row == plotted.outcome.chosen,
    )
    if band.low is not None and band.high is not None:
        axes.fill_between(
            band.x, band.low, band.high, color=CHOSEN, alpha=0.2, linewidth=0, label="95 % band"
        )
    axes.plot(band.x, band.curves[0], color=CHOSEN, label="equation")
    axes.plot(x, y, "o", color=MEASURED, markersize=4, alpha=0.7, label="data")
    if spans_decades(x):
        axes.set_xscale("log")
    room = 0.15 * float(np.ptp(y)) or 0.5 * abs(float(y[0])) or 0.5
    axes.set_ylim(y.min() - room, y.max() + room)
    name = printable(plotted.equation.vocabulary.inputs[column])
    axes.set_xlabel(plotted.labels[column], parse_math=False)
    axes.set_ylabel(plotted.label, parse_math=False)
    is_one = plotted.rows.shape[1] == 1
    axes.set_title(
        f"Fit against {name}" + ("" if is_one else ", other inputs at their medians"), parse_math=False
    )
    axes.legend()


def _draw_parity(axes: Axes, plotted: Plotted) -> None:
    axes.plot(plotted.true, plotted.predicted, "o", color=MEASURED, markersize=4, alpha=0.7)
    ends = plotted.true.min(), plotted.true.max()
    axes.plot(ends, ends, "--", color="0.6", linewidth=1)
    axes.set_xlabel(f"true {plotted.label}", parse_math=False)
    axes.set_ylabel(f"predicted {plotted.label}", parse_math=False)
    axes.set_title("Predicted against true values")


def _draw_residuals(axes: Axes, plotted: Plotted) -> None:
    predicted = plotted.predicted
    axes.plot(predicted, plotted.true - predicted, "o", color=MEASURED, markersize=4, alpha=0.7)
    axes.axhline(0.0, linestyle="--", color="0.6", linewidth=1)
    axes.set_xlabel(f"predicted {plotted.label}", parse_math=False)
    axes.set_ylabel("residual (true − predicted)")
    axes.set_title("Residuals")
