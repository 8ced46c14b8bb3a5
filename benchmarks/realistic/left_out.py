"""Structure codes learned without the form of a law."""

from __future__ import annotations

from functools import cache

from benchmarks.corpus_forms import NamelessForms, freed_form_of
from benchmarks.structure_code import Readings, kept_formulas, readings
from ddsr import Expression
from ddsr.price import TableCode


def code_without(law: Expression) -> TableCode:
    """The code learned from the formulas whose form is not that of a law.

    Of these formulas, readings with one varied column that have this form are left out, too.
    """
    _, described, _ = _corpus()
    dropped, form = set(left_out(law)), freed_form_of(law)
    kept = [
        each._replace(varied=tuple(one for one in each.varied if one.key not in form.keys))
        for index, each in enumerate(described)
        if index not in dropped
    ]
    return TableCode.learned(*readings(kept))


def left_out(law: Expression) -> list[int]:
    """Indices of the formulas of the corpus with the form of a law, whatever their numbers and variables."""
    return list(_corpus()[2].indices_of(freed_form_of(law)))


def names_left_out(law: Expression) -> list[str]:
    """The names of these formulas."""
    names = _corpus()[0]
    return [names[index] for index in left_out(law)]


@cache
def _corpus() -> tuple[list[str], list[Readings], NamelessForms]:
    """The formulas from which the shipped code is learned: names, structures, and forms with free numbers."""
    formulas, described, _ = kept_formulas()
    freed = NamelessForms(freed_form_of(each.expression, each.is_free) for each in formulas)
    return [each.name for each in formulas], described, freed
