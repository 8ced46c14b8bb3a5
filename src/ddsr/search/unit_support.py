"""Which methods can keep the units of expressions consistent."""

from __future__ import annotations

from ddsr.errors import MethodError
from ddsr.grammar import Grammar


def check_units(grammar: Grammar, preset: str, method: str, has_evolution: bool) -> None:
    """Refuse a method that cannot; evolution always can."""
    if grammar.units is None or has_evolution:
        return
    if preset == "dsr":
        raise MethodError("the preset 'dsr' knows no units: leave out units, or use 'ddsr' or 'paper'")
    if not grammar.core.masks_units:
        raise MethodError(
            f"{method!r} cannot combine units with unit_constants, nor with rules that limit or require "
            "tokens: leave one of them out, or use the preset 'ddsr'"
        )
