"""The certainty of a choice in words: its probability and the other likely forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddsr.data.printable import printable
from ddsr.selection.outcome import Outcome
from ddsr.selection.parting import Parting
from ddsr.selection.posterior import MOST_FORMS, Form, form_of

SURE = 0.95  # weight from which a choice is listed alone
AS_GOOD = 0.1  # share of the choice's weight, from which a form explains the data about as well
LEAST_NAMED = 0.01  # share of the total weight
MOST_NAMED = 3
LEAST_USELESS = 1.0 + 1e-6  # NRMSE
WORSE_THAN_MEAN = (
    "This equation is worse than the mean of y: the operators, rules or units allow no better one, or the "
    "search was too short."
)


@dataclass(frozen=True)
class Certainty:
    """The certainty of the choice of a form."""

    chosen: Form
    n_as_good: int
    """number of other forms with at least a tenth of the chosen form's weight"""
    is_at_least: bool
    """whether there may be more, since the number of kept forms is limited"""
    others: tuple[Form, ...]
    """the most likely other forms, at most three; none if the choice is sure"""

    @property
    def probability(self) -> float:
        """Probability of the chosen form: its weight."""
        return self.chosen.weight

    @property
    def is_sure(self) -> bool:
        """Whether the choice has 95 % of the weight."""
        return self.probability >= SURE

    @property
    def sentence(self) -> str:
        """Describe the certainty in one line."""
        said = f"This form has a probability of {percent(self.probability)}"
        if self.is_sure:
            return f"{said}."
        if not self.n_as_good:
            return f"{said}; no other form explains the data about as well."
        is_one = self.n_as_good == 1 and not self.is_at_least
        least = "at least " if self.is_at_least else ""
        return (
            f"{said}; {least}{self.n_as_good} other form{'' if is_one else 's'} "
            f"explain{'s' if is_one else ''} the data about as well."
        )

    def lines(self, target: str) -> list[str]:
        """Return the sentence and one line for each of the other forms."""
        shares = [percent(form.weight) for form in self.others]
        width = max(map(len, shares), default=0)
        return [self.sentence] + [
            f"  {share:>{width}}  {printable(f'{target} = {form.entry.short_text()}')}{_and_where(form)}"
            for share, form in zip(shares, self.others, strict=True)
        ]


def certainty_of(outcome: Outcome) -> Certainty | None:
    """Return the certainty of a choice, or None if it has no weight, or there was nothing to choose."""
    template = outcome.best.expression.vocabulary.template
    if template is not None and not template.functions:
        return None
    chosen = form_of(outcome.best.equation, outcome.best.nrmse, outcome.forms)
    if chosen is None:
        return None
    others = [form for form in outcome.forms if form is not chosen]
    n_as_good = sum(form.weight >= AS_GOOD * chosen.weight for form in others)
    is_sure = chosen.weight >= SURE
    named = [form for form in others if form.weight >= LEAST_NAMED][:MOST_NAMED]
    return Certainty(
        chosen,
        n_as_good,
        is_at_least=n_as_good == MOST_FORMS - 1,
        others=() if is_sure else tuple(named),
    )


def certainty_lines(outcomes: Sequence[Outcome], targets: Sequence[str]) -> list[str]:
    """Return the lines for all targets with weights, prefixed by the name if there are several targets."""
    lines = []
    for outcome, target in zip(outcomes, targets, strict=True):
        certainty = certainty_of(outcome)
        if certainty is not None:
            first, *others = certainty.lines(outcome.loss.named(target))
            lines += [first if len(targets) == 1 else f"{printable(target)}: {first}", *others]
    return lines


def fit_text(outcomes: Sequence[Outcome], names: Sequence[str]) -> str:
    """Return what `print(model)` shows: each chosen equation, its R², and how sure it is."""
    lines = []
    for outcome, target in zip(outcomes, names, strict=True):
        best, name = outcome.best, outcome.loss.named(target)
        lines.append(f"{printable(name)} = {printable(best.short_text())}    R² {1.0 - best.nrmse**2:.6f}")
        lines += [f"  {printable(own.text)}" for own in best.equation.own_operators]
        lines += [WORSE_THAN_MEAN] if best.nrmse > LEAST_USELESS else []
        certainty = certainty_of(outcome)
        lines += [] if certainty is None else certainty.lines(name)
    return "\n".join(lines)


def where_text(parting: Parting) -> str:
    """Describe where a form differs from the chosen one, as in `differs most at S = 0.3 to 0.8`."""
    if not parting.is_seen:
        return "predicts the same within the noise"
    if len(parting.where) == 1:
        ((name, (first, last)),) = parting.where.items()
        if parting.is_beyond:
            side = "above" if last >= first else "below"
            return printable(f"differs {side} {name} = {first:.3g}, outside the data")
        span = f"{first:.3g}" if f"{first:.3g}" == f"{last:.3g}" else f"{first:.3g} to {last:.3g}"
        return printable(f"differs most at {name} = {span}, {_times(parting)}")
    row = ", ".join(f"{name} = {value:.3g}" for name, (value, _) in parting.where.items())
    where = "differs outside the data, for example at" if parting.is_beyond else "differs most at"
    return printable(f"{where} {row}, {_times(parting)}")


def percent(share: float) -> str:
    """Format a rounded probability, but never as 100 % or 0 %."""
    if share > 0.99:
        return "over 99 %"
    return f"{100.0 * share:.0f} %" if share >= 0.01 else "under 1 %"


def _and_where(form: Form) -> str:
    return "" if form.parting is None else f"  ({where_text(form.parting)})"


def _times(parting: Parting) -> str:
    return f"by {parting.times_noise:.{0 if parting.times_noise >= 10.0 else 1}f} times the noise"
