"""Physical and astronomical constants in SI units: CODATA 2022, IAU 2012 and 2015."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class PhysicalConstant(NamedTuple):
    """A constant of nature or a conventional quantity."""

    value: float
    unit: str
    meaning: str


PHYSICAL_CONSTANTS: Mapping[str, PhysicalConstant] = {
    name: PhysicalConstant(value, unit, meaning)
    for name, value, unit, meaning in (
        ("c", 299792458.0, "m/s", "speed of light"),
        ("G", 6.67430e-11, "m^3/kg/s^2", "gravitational constant"),
        ("h", 6.62607015e-34, "J*s", "Planck constant"),
        ("hbar", 1.0545718176461565e-34, "J*s", "reduced Planck constant"),
        ("e", 1.602176634e-19, "C", "elementary charge"),
        ("kB", 1.380649e-23, "J/K", "Boltzmann constant"),
        ("NA", 6.02214076e23, "1/mol", "Avogadro constant"),
        ("R", 8.31446261815324, "J/mol/K", "gas constant"),
        ("F", 96485.33212331001, "C/mol", "Faraday constant"),
        ("eps0", 8.8541878188e-12, "F/m", "electric constant"),
        ("mu0", 1.25663706127e-6, "N/A^2", "magnetic constant"),
        ("ke", 8.9875517862e9, "N*m^2/C^2", "Coulomb constant"),
        ("sigma", 5.6703744191844314e-8, "W/m^2/K^4", "Stefan–Boltzmann constant"),
        ("b", 2.8977719551851727e-3, "m*K", "Wien's displacement constant"),
        ("alpha", 7.2973525643e-3, "", "fine-structure constant"),
        ("a0", 5.29177210544e-11, "m", "Bohr radius"),
        ("Rinf", 10973731.568157, "1/m", "Rydberg constant"),
        ("Ry", 2.1798723611030e-18, "J", "Rydberg energy"),
        ("muB", 9.2740100657e-24, "J/T", "Bohr magneton"),
        ("muN", 5.0507837393e-27, "J/T", "nuclear magneton"),
        ("Phi0", 2.0678338484619295e-15, "Wb", "magnetic flux quantum"),
        ("RK", 25812.80745930451, "ohm", "von Klitzing constant"),
        ("me", 9.1093837139e-31, "kg", "mass of the electron"),
        ("mp", 1.67262192595e-27, "kg", "mass of the proton"),
        ("mn", 1.67492750056e-27, "kg", "mass of the neutron"),
        ("u", 1.66053906892e-27, "kg", "atomic mass constant"),
        ("g", 9.80665, "m/s^2", "standard gravity"),
        ("atm", 101325.0, "Pa", "standard atmosphere"),
        ("au", 149597870700.0, "m", "astronomical unit"),
        ("pc", 3.0856775814913673e16, "m", "parsec"),
        ("Msun", 1.98841e30, "kg", "mass of the Sun"),
        ("Rsun", 6.957e8, "m", "radius of the Sun"),
        ("Lsun", 3.828e26, "W", "luminosity of the Sun"),
        ("Mearth", 5.9722e24, "kg", "mass of the Earth"),
        ("Rearth", 6.3781e6, "m", "equatorial radius of the Earth"),
    )
}
