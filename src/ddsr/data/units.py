"""Units of the columns and of the target, read by Pint.

The core knows a unit as exponents of base dimensions. The search compares numbers as they stand in the table,
so all units must belong to one coherent system: with metres in one column and kilometres in another, a sum of
the two would be wrong by a factor. Any coherent system will do, such as astronomical units, years and solar
masses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from hashlib import sha256
from math import exp, isclose, log
from typing import Any

import numpy as np

from ddsr.data.arrays import Floats
from ddsr.data.physical_constants import PHYSICAL_CONSTANTS
from ddsr.errors import DataError, did_you_mean

FROM_NAMES = "names"
"""value of `units` to read each unit from the name of its column"""
_IN_BRACKETS = re.compile(r"\[([^\[\]]*)\]\s*$")
_DIMENSIONLESS = ("", "1", "-", "–")
# The core has the same limits (core/grammar/units.hpp).
PARTS, N_DIMENSIONS = 60, 8
_COHERENT = 1e-9  # relative error of the product of conversion factors
# Units that Pint does not have: the physical constants that they are, a symbol, and other names.
_OF_ASTRONOMY = {
    "solar_mass": ("Msun", ("Msun", "M_sun")),
    "solar_radius": ("Rsun", ("Rsun", "R_sun")),
    "solar_luminosity": ("Lsun", ("Lsun", "L_sun")),
    "earth_mass": ("Mearth", ("Mearth", "M_earth")),
    "earth_radius": ("Rearth", ("Rearth", "R_earth")),
}


@dataclass(frozen=True)
class Unit:
    """A unit as exponents of base dimensions, and its size in SI units."""

    text: str
    exponents: tuple[tuple[str, Fraction], ...]
    """names of the base dimensions, sorted, with their exponents"""
    size: float

    @property
    def is_number(self) -> bool:
        """Whether it has no dimension."""
        return not self.exponents

    def __str__(self) -> str:
        return self.text or "no unit"


HoleSum = tuple[tuple[float, ...], tuple[float, ...]]
"""the units of a template's holes, each times a factor, and a unit as multiples of 1 / PARTS"""


@dataclass(frozen=True)
class Units:
    """The units of all columns and of the target, and what they demand of a template."""

    names: tuple[str, ...]
    columns: tuple[Unit, ...]
    target: Unit
    n_constants: int = 0
    """number of fitted constants of an equation that may have a unit"""
    laws: tuple[HoleSum, ...] = ()
    """sums that must be 0, if there is a template"""
    of_constants: tuple[HoleSum | None, ...] = ()
    """the units of the template's constants; None for any"""

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        units: Mapping[str, str] | str,
        target: str | None = None,
        target_name: str = "y",
        n_constants: int = 0,
    ) -> Units:
        """Read the units of the columns and of the target; check that some expression can have the latter."""
        return cls.read(names, units, target, target_name, n_constants).checked()

    @classmethod
    def read(
        cls,
        names: Sequence[str],
        units: Mapping[str, str] | str,
        target: str | None = None,
        target_name: str = "y",
        n_constants: int = 0,
    ) -> Units:
        """Read the units without the checks that involve several of them."""
        if units == FROM_NAMES:
            given = {name: unit_in_name(name) for name in names}
            target = unit_in_name(target_name) if target is None else target
        elif isinstance(units, Mapping):
            given = dict(units)
        else:
            raise DataError(
                "units must be a dict such as {'m': 'kg', 'v': 'm/s'}, or 'names' to read them from column "
                f"names such as 'T [K]', not {units!r}"
            )
        _check_names(names, given)
        if target is None:
            raise DataError("y_units is missing: pass the unit of y, such as y_units='J', or '' for a number")
        if isinstance(n_constants, bool) or not isinstance(n_constants, int) or n_constants < 0:
            raise DataError(f"unit_constants must be a number of constants, such as 1, not {n_constants!r}")
        columns = tuple(read_unit(given[name], f"column {name!r}") for name in names)
        return cls(tuple(names), columns, read_unit(target, "y"), n_constants)

    def with_columns(self, names: Sequence[str], columns: Sequence[Unit]) -> Units:
        """Return the units of a table with more columns."""
        return replace(self, names=(*self.names, *names), columns=(*self.columns, *columns))

    def checked(self, has_template: bool = False) -> Units:
        """Check that the units are those of one system, and that some expression can have that of y.

        The constants of a template may have any unit.
        """
        self._check_coherent()
        if not has_template:
            self._check_reachable()
        return self

    @property
    def allows_offset(self) -> bool:
        """Whether a constant may be added to every equation."""
        return self.target.is_number or self.n_constants > 0

    @cached_property
    def parts(self) -> tuple[list[list[int]], list[int], int]:
        """The units of the columns and of the target as multiples of 1 / PARTS, and `n_constants`."""
        dimensions = self._dimensions
        columns = [_parts(unit, dimensions) for unit in self.columns]
        return columns, _parts(self.target, dimensions), self.n_constants

    def __reduce__(self) -> tuple[Any, ...]:
        given = self.names, self.columns, self.target, self.n_constants, self.laws, self.of_constants
        return Units, given

    @property
    def _dimensions(self) -> tuple[str, ...]:
        found = {name for unit in (*self.columns, self.target) for name, _ in unit.exponents}
        if len(found) > N_DIMENSIONS:
            raise DataError(
                f"the units have {len(found)} base dimensions; at most {N_DIMENSIONS} are supported"
            )
        return tuple(sorted(found))

    @cached_property
    def matrix(self) -> Floats:
        """Exponents of base dimensions: one row per column, then one for the target."""
        return self._matrix([*self.columns, self.target])

    def _matrix(self, units: Sequence[Unit]) -> Floats:
        return _exponents(units, self._dimensions)

    def _check_coherent(self) -> None:
        """Refuse units for which no choice of base units makes every conversion factor 1."""
        units = [*self.columns, self.target]
        names = [*(f"column {name!r}" for name in self.names), "y"]
        for place, (unit, name) in enumerate(zip(units, names, strict=True)):
            size = size_among(units[:place], unit)
            if size is not None and not isclose(size, unit.size, rel_tol=_COHERENT):
                raise DataError(
                    f"the unit {unit.text!r} of {name} does not belong to one system with those before it: a "
                    "factor other than 1 is needed to convert one into the other. Convert the columns to "
                    "common units, such as all lengths to m"
                )

    def _check_reachable(self) -> None:
        """Refuse a target that no product of powers of the columns has."""
        if self.target.is_number or self.n_constants:
            return
        matrix, wanted = self._matrix(self.columns), self._matrix([self.target])[0]
        found = np.linalg.lstsq(matrix.T, wanted, rcond=None)[0] if matrix.size else np.zeros(0)
        if np.abs(matrix.T @ found - wanted).max(initial=0.0) <= _COHERENT:
            return
        listed = ", ".join(
            f"{name} [{unit.text}]" for name, unit in zip(self.names, self.columns, strict=True)
        )
        raise DataError(
            f"no expression of the columns has the unit {self.target.text!r} of y: the columns are {listed}. "
            "Check the units, name known constants, such as constants=['G'], or allow a constant with a "
            "unit: unit_constants=1"
        )


def size_among(units: Sequence[Unit], unit: Unit) -> float | None:
    """Return the size of a unit in the coherent system of others; None if these do not determine it."""
    dimensions = sorted({name for each in (*units, unit) for name, _ in each.exponents})
    matrix, wanted = _exponents(units, dimensions), _exponents([unit], dimensions)[0]
    if not wanted.any():
        return 1.0
    if not matrix.any():
        return None
    powers = np.linalg.lstsq(matrix.T, wanted, rcond=None)[0]
    if np.abs(matrix.T @ powers - wanted).max() > _COHERENT:
        return None
    return exp(float(powers @ [log(each.size) for each in units]))


def size_beside(units: Sequence[Unit], unit: Unit) -> float:
    """Return the size of a unit in the coherent system of others, which is SI where they leave it open."""
    dimensions = sorted({name for each in (*units, unit) for name, _ in each.exponents})
    matrix, wanted = _exponents(units, dimensions), _exponents([unit], dimensions)[0]
    if not wanted.any() or not matrix.any():
        return 1.0
    sizes = np.linalg.lstsq(matrix, np.array([log(each.size) for each in units]), rcond=None)[0]
    return exp(float(wanted @ sizes))


def _exponents(units: Sequence[Unit], dimensions: Sequence[str]) -> Floats:
    """Return the exponents: one row per unit, one column per dimension."""
    rows = [[float(dict(unit.exponents).get(name, 0)) for name in dimensions] for unit in units]
    return np.array(rows).reshape(len(units), len(dimensions))


def _parts(unit: Unit, dimensions: Sequence[str]) -> list[int]:
    known = dict(unit.exponents)
    parts = [known.get(name, Fraction(0)) * PARTS for name in dimensions]
    if any(part.denominator != 1 for part in parts):
        raise DataError(f"the exponents of the unit {unit.text!r} are not multiples of 1/{PARTS}")
    return [int(part) for part in parts] + [0] * (N_DIMENSIONS - len(parts))


def unit_in_name(name: str) -> str:
    """Return the unit in brackets at the end of a name."""
    found = _IN_BRACKETS.search(name)
    if found is None:
        raise DataError(
            f"the name {name!r} has no unit in brackets at its end, such as 'T [K]'; a number has '[]'"
        )
    return found[1]


def labelled(name: str, unit: str | None) -> str:
    """Return a name with its unit in brackets, if it has one."""
    return f"{name} [{unit}]" if unit and unit.strip() not in _DIMENSIONLESS else name


def _check_names(names: Sequence[str], given: Mapping[str, str]) -> None:
    for name in given:
        if name not in names:
            raise DataError(f"units has {name!r}, which is not a column{did_you_mean(str(name), names)}")
    missing = [name for name in names if name not in given]
    if missing:
        listed = ", ".join(map(repr, missing[:10]))
        raise DataError(f"units has no unit for {listed}: pass '' for a column of numbers without a unit")


def read_unit(text: object, what: str) -> Unit:
    """Read one unit."""
    if not isinstance(text, str):
        raise DataError(f"the unit of {what} must be a text such as 'm/s', not {text!r}")
    if text.strip() in _DIMENSIONLESS:
        return Unit("", (), 1.0)
    registry = _registry()
    try:
        quantity = registry.parse_units(text)
        size = registry.Quantity(1.0, quantity).to_base_units()
        twice = registry.Quantity(2.0, quantity).to_base_units()
    except Exception as error:  # Pint raises errors of many kinds, some of them those of Python's tokenizer
        raise DataError(f"cannot read the unit {text!r} of {what}: {_line(error)}") from None
    if not isclose(twice.magnitude, 2.0 * size.magnitude):
        raise DataError(
            f"the unit {text!r} of {what} is not proportional to the quantity: convert the values, "
            "for example from °C to K"
        )
    exponents = tuple(
        sorted(
            (name, Fraction(power).limit_denominator(1000)) for name, power in _powers(size.dimensionality)
        )
    )
    return Unit(text.strip(), exponents, float(size.magnitude))


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or "it is not a product of units"


def _powers(dimensionality: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, power in dimensionality.items():
        if power:
            yield str(name), power


def _with_cache(pint: Any) -> Any:
    """Return Pint's units, parsed by an earlier process if possible: parsing takes a second.

    The cached files name the files of an installation. So each installation has a folder of its own, unlike
    in Pint's own cache. Another process may be writing there, or have been killed while it did.
    """
    from platformdirs import user_cache_path

    installed = sha256(f"{pint.__file__} {pint.__version__}".encode()).hexdigest()
    try:
        return pint.UnitRegistry(cache_folder=user_cache_path("ddsr") / f"pint-{installed[:16]}")
    except Exception:  # unpickling raises errors of many kinds
        return pint.UnitRegistry()


@cache
def _registry() -> Any:
    try:
        import pint
    except ImportError:
        raise DataError("units need Pint: pip install 'ddsr[units]'") from None
    registry: Any = _with_cache(pint)
    for name, (base, others) in _OF_ASTRONOMY.items():
        known = PHYSICAL_CONSTANTS[base]
        registry.define(f"{name} = {known.value!r} {known.unit} = {' = '.join(others)}")
    return registry
