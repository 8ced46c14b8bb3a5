"""The estimator's parameters `units`, `y_units` and `unit_constants`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ddsr.data.units import Units
from ddsr.errors import DataError

UnitsLike = Mapping[str, str] | str | None


def read_units(
    names: Sequence[str],
    units: UnitsLike,
    y_units: str | Sequence[str] | None,
    unit_constants: int,
    targets: Sequence[str],
    output: int = 0,
) -> Units | None:
    """Return the units of the columns and of one of the targets; None if they are not given."""
    if units is None:
        if y_units or unit_constants:
            raise DataError("y_units and unit_constants need units, such as units={'m': 'kg'}")
        return None
    of_target = y_units
    if of_target is not None and not isinstance(of_target, str):
        if len(of_target) != len(targets):
            raise DataError(f"y_units has {len(of_target)} units, but y has {len(targets)} columns")
        of_target = of_target[output]
    return Units.of(names, units, of_target, targets[output], unit_constants)


def check_units_are_supported(units: UnitsLike, template: str | None) -> None:
    """Refuse units together with a template."""
    if units is not None and template is not None:
        raise DataError("units cannot be combined with a template: leave one of them out")
