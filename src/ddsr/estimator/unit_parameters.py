"""The estimator's parameters `units`, `y_units`, `unit_constants` and `constants`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ddsr.data.frames import naming
from ddsr.data.known_constants import ConstantsLike, in_system, read_constants, refuse_without_units
from ddsr.data.units import Units, labelled
from ddsr.errors import DataError
from ddsr.expression.known_constant import KnownConstant

UnitsLike = Mapping[str, str] | str | None


@dataclass(frozen=True)
class Quantities:
    """What is known of the quantities in a table."""

    known: tuple[KnownConstant, ...]
    """known constants, with values in the units of the table"""
    units: tuple[Units | None, ...]
    """units of the columns and of each target; None if they are not given"""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        targets: Sequence[str],
        units: UnitsLike,
        y_units: str | Sequence[str] | None = None,
        unit_constants: int = 0,
        constants: ConstantsLike = (),
        has_template: bool = False,
    ) -> Quantities:
        """Read the parameters for a table with these columns and targets."""
        given = read_constants(constants, names)
        if units is None:
            if y_units or unit_constants:
                raise DataError("y_units and unit_constants need units, such as units={'m': 'kg'}")
            known = tuple(KnownConstant(name, value) for name, value, _ in given)
            return cls(known, (None,) * len(targets))
        refuse_without_units(given)
        texts = _of_targets(y_units, targets)
        read = []
        for target, text in zip(targets, texts, strict=True):
            with naming(target if len(targets) > 1 else None):
                read.append(Units.read(names, units, text, target, unit_constants))
        system = [*read[0].columns, *(each.target for each in read)]
        pairs = in_system(given, system)
        known = tuple(KnownConstant(each.name, value) for each, (value, _) in zip(given, pairs, strict=True))
        checked = []
        for target, each in zip(targets, read, strict=True):
            with naming(target if len(targets) > 1 else None):
                checked.append(each.with_columns(known, [unit for _, unit in pairs]).checked(has_template))
        return cls(known, tuple(checked))


def labelled_targets(
    targets: Sequence[str], units: UnitsLike, y_units: str | Sequence[str] | None
) -> list[str]:
    """Return the names of the targets with their units, which other names may have already."""
    texts = _of_targets(None if isinstance(units, str) else y_units, targets)
    return [labelled(name, unit) for name, unit in zip(targets, texts, strict=True)]


def _of_targets(y_units: str | Sequence[str] | None, targets: Sequence[str]) -> list[str | None]:
    if y_units is None or isinstance(y_units, str):
        return [y_units] * len(targets)
    if len(y_units) != len(targets):
        raise DataError(f"y_units has {len(y_units)} units, but y has {len(targets)} columns")
    return list(y_units)
