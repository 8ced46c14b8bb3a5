"""The notebook view of a fitted model: the typeset choice, the front, and a small chart of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from ddsr.report.charts import parity_chart
from ddsr.report.equations import ShownEquation, chosen_of, shown_equations
from ddsr.report.fits import Predictions
from ddsr.report.model import FittedModel, outcome_of, outputs_of
from ddsr.selection.certainty import certainty_of

# Maximum number of rows of the front to show, those nearest to the choice.
MOST_ROWS = 9


def notebook_html(model: Any) -> str:
    """Return an HTML fragment in the colours of the notebook."""
    from jinja2 import Environment, StrictUndefined

    outputs = outputs_of(model)
    names = ["y"] if len(outputs) == 1 else [f"y{output}" for output in range(len(outputs))]
    views = [_view(output, name) for output, name in zip(outputs, names, strict=True)]
    template = files("ddsr.report").joinpath("notebook.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined)
    return environment.from_string(template).render(views=views)


def _view(model: FittedModel, target: str) -> dict[str, Any]:
    equations = shown_equations(model, target)
    listed = near_choice(equations)
    fit = Predictions.sampled(model)
    outcome = outcome_of(model)
    certainty = None if outcome is None else certainty_of(outcome)
    note = getattr(model, "grid_note", "")
    return {
        "choice": chosen_of(equations).typeset,
        "rows": listed,
        "certainty": [*(() if certainty is None else certainty.lines(target)), *([note] if note else [])],
        "n_more": len(equations) - len(listed),
        "chart": parity_chart(fit, target) if fit else "",
    }


def near_choice(equations: Sequence[ShownEquation]) -> Sequence[ShownEquation]:
    """Return the part of the front around the choice."""
    first = chosen_of(equations).index - MOST_ROWS // 2
    first = max(0, min(first, len(equations) - MOST_ROWS))
    return equations[first : first + MOST_ROWS]
