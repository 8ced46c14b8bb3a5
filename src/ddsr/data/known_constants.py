"""Known constants as users give them: by value and unit, or by a name of the table of physical constants."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isclose, isfinite
from numbers import Real
from typing import NamedTuple

from ddsr.data.physical_constants import PHYSICAL_CONSTANTS
from ddsr.data.units import Unit, read_unit, size_beside
from ddsr.errors import DataError, did_you_mean

ConstantsLike = Mapping[str, str | float | None] | Sequence[str]
_NUMBER_AND_UNIT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])\s*\*?\s*(.*?)\s*$")


class GivenConstant(NamedTuple):
    """A known constant: its name, its value, and its unit as text, empty for a number."""

    name: str
    value: float
    unit: str


def read_constants(given: ConstantsLike, columns: Sequence[str] = ()) -> tuple[GivenConstant, ...]:
    """Read `{"G": "6.674e-11 m^3/kg/s^2", "kB": None, "x": 3.0}`, or texts such as `"kB"` and `"x=3"`."""
    if isinstance(given, str) or not isinstance(given, (Mapping, Sequence)):
        raise DataError(
            "constants must be a dict such as {'G': '6.674e-11 m^3/kg/s^2', 'kB': None}, or a list of names "
            f"such as ['kB'], not {given!r}"
        )
    pairs = given.items() if isinstance(given, Mapping) else map(_split, given)
    found: dict[str, GivenConstant] = {}
    for name, value in pairs:
        if not isinstance(name, str) or not name:
            raise DataError(f"the name of a known constant must be a text, not {name!r}")
        if name in found:
            raise DataError(f"the known constant {name!r} is given twice")
        if name in columns:
            raise DataError(
                f"the known constant {name!r} has the name of a column: give it another name, such as "
                f"constants={{'{name}_': {value or name!r}}}, or rename the column"
            )
        found[name] = _read(name, value)
    return tuple(found.values())


def _split(text: object) -> tuple[str, str | None]:
    if not isinstance(text, str):
        raise DataError(
            f"a known constant must be a text such as 'kB' or 'G=6.674e-11 m^3/kg/s^2', not {text!r}"
        )
    name, sign, value = text.partition("=")
    return name.strip(), value if sign else None


def _read(name: str, value: object) -> GivenConstant:
    if value is None or (isinstance(value, str) and value.strip() in PHYSICAL_CONSTANTS):
        known = name if value is None else str(value).strip()
        if known not in PHYSICAL_CONSTANTS:
            hint = did_you_mean(known, [*PHYSICAL_CONSTANTS])
            raise DataError(
                f"{known!r} is not in the table of physical constants{hint}: pass its value, such as "
                f"'{known}=1.5 m/s'"
            )
        return GivenConstant(name, PHYSICAL_CONSTANTS[known].value, PHYSICAL_CONSTANTS[known].unit)
    unit = ""
    if isinstance(value, str):
        parts = _NUMBER_AND_UNIT.match(value)
        if parts is None:
            raise DataError(
                f"the known constant {name!r} must be a number with its unit, such as '9.81 m/s^2', or a "
                f"name of the table of physical constants, not {value!r}"
            )
        value, unit = float(parts[1]), f"1{parts[2]}" if parts[2].startswith("/") else parts[2]
    if not isinstance(value, Real) or isinstance(value, bool):
        raise DataError(f"the known constant {name!r} must be a number with its unit, not {value!r}")
    if not isfinite(value) or value == 0.0:
        raise DataError(f"the known constant {name!r} is {float(value):g}: it must be finite and not 0")
    return GivenConstant(name, float(value), unit)


def refuse_without_units(constants: Sequence[GivenConstant]) -> None:
    """Refuse a bare number for a name of the table whose constant has a unit."""
    for name, value, unit in constants:
        known = PHYSICAL_CONSTANTS.get(name)
        if known is not None and known.unit and not unit:
            raise DataError(
                f"the known constant {name!r} is {value:g} without a unit, but {name} is known as "
                f"{known.value:g} {known.unit}: add the unit, such as '{value:g} {known.unit}', or pass None "
                "for the value of the table; a number without a unit needs another name"
            )


def in_system(constants: Sequence[GivenConstant], units: Sequence[Unit]) -> list[tuple[float, Unit]]:
    """Return the values of constants in the coherent system of other units, with their units there.

    Dimensions that the other units leave open are in SI units.
    """
    system = list(units)
    found = []
    for name, value, text in constants:
        unit = read_unit(text, f"the known constant {name!r}")
        size = size_beside(system, unit)
        if not isclose(size, unit.size, rel_tol=1e-12):
            value *= unit.size / size
            unit = replace(unit, size=size)
        system.append(unit)
        found.append((value, unit))
    return found
