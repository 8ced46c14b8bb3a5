"""Known constants: read, converted to the units of the columns, and refused with a reason."""

from math import pi

import pytest
from scipy import constants as codata

from ddsr.data.known_constants import in_system, read_constants
from ddsr.data.physical_constants import PHYSICAL_CONSTANTS
from ddsr.data.units import Units, read_unit
from ddsr.errors import DataError

G = 6.674e-11


def test_constants_are_read():
    given = {"G": "6.674e-11 m^3/kg/s^2", "kB": None, "k": "kB", "x": 3, "n": "-2.5", "rate": "3 /s"}
    found = {each.name: each[1:] for each in read_constants(given)}
    boltzmann = (1.380649e-23, "J/K")
    assert found == {
        "G": (G, "m^3/kg/s^2"),
        "kB": boltzmann,
        "k": boltzmann,
        "x": (3.0, ""),
        "n": (-2.5, ""),
        "rate": (3.0, "1/s"),
    }
    texts = ["G=6.674e-11 m^3/kg/s^2", "kB", "k = kB", "x=3", "n=-2.5", "rate=3 /s"]
    assert read_constants(texts) == read_constants(given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("kB", "constants must be a dict"),
        (3, "constants must be a dict"),
        ([3], "must be a text such as 'kB'"),
        (["kb"], "'kb' is not in the table of physical constants"),
        ({"G": "m^3"}, "'G' must be a number with its unit"),
        ({"G": "6.6.7 m"}, "'G' must be a number with its unit"),
        ({"G": True}, "'G' must be a number with its unit"),
        ({"G": [1.0]}, "'G' must be a number with its unit"),
        ({"G": float("nan")}, "'G' is nan"),
        ({"G": 0}, "'G' is 0: it must be finite and not 0"),
        ({3: "kB"}, "the name of a known constant must be a text"),
        (["G", "G=3"], "'G' is given twice"),
        ({"m": "mp"}, "'m' has the name of a column"),
    ],
)
def test_other_constants_are_refused(given, said):
    with pytest.raises(DataError, match=said):
        read_constants(given, ["m"])


def in_units_of(columns: dict[str, str], target: str, *constants: str) -> list[float]:
    pytest.importorskip("pint")
    units = Units.read(list(columns), columns, target)
    return [value for value, _ in in_system(read_constants(constants), [*units.columns, units.target])]


def test_values_are_those_in_the_units_of_the_columns():
    (value,) = in_units_of({"M": "Msun", "r": "au"}, "year", "G")
    assert value == pytest.approx(39.47692, rel=1e-6)
    assert in_units_of({"m": "g", "r": "cm"}, "g*cm^2/s^2", "c", "u") == pytest.approx(
        [29979245800.0, 1.66053906892e-24]
    )
    assert in_units_of({"m": "kg", "r": "m", "t": "s"}, "J", "G", "c") == [6.67430e-11, 299792458.0]
    assert in_units_of({"E": "eV", "T": "K"}, "", "kB") == pytest.approx([8.617333e-5])


def test_a_unit_that_the_columns_leave_open_is_that_of_si():
    kilograms, speeds = in_units_of({"x": "km"}, "km", "M = 5 kg", "v = 3 km/h")
    assert (kilograms, speeds) == (5.0, pytest.approx(3.0 / 3600.0))
    first, second = in_units_of({"x": "m"}, "m", "M=5 kg", "m=200 g")
    assert (first, second) == (5.0, pytest.approx(0.2))


@pytest.mark.parametrize("unit", ["degC", "qwerty"])
def test_other_units_of_constants_are_refused(unit):
    with pytest.raises(DataError, match=f"'{unit}' of the known constant 'a'"):
        in_units_of({"x": "m"}, "m", f"a=3 {unit}")


NAMES = {
    **{"c": "c", "G": "G", "h": "h", "hbar": "hbar", "e": "e", "kB": "k", "NA": "N_A", "R": "R", "g": "g"},
    **{
        "eps0": "epsilon_0",
        "mu0": "mu_0",
        "sigma": "sigma",
        "b": "Wien",
        "alpha": "alpha",
        "Rinf": "Rydberg",
    },
    **{"me": "m_e", "mp": "m_p", "mn": "m_n", "u": "m_u", "atm": "atm", "au": "au", "pc": "parsec"},
}


@pytest.mark.parametrize("name", NAMES)
def test_the_table_agrees_with_codata(name):
    assert PHYSICAL_CONSTANTS[name].value == pytest.approx(getattr(codata, NAMES[name]), rel=1e-4)


@pytest.mark.parametrize(("name", "of"), [("F", "e*NA"), ("R", "kB*NA"), ("ke", "0.25/pi/eps0")])
def test_the_table_agrees_with_itself(name, of):
    known = {key: each.value for key, each in PHYSICAL_CONSTANTS.items()} | {"pi": codata.pi}
    assert PHYSICAL_CONSTANTS[name].value == pytest.approx(eval(of, {}, known), rel=1e-9)


def test_the_units_of_the_table_can_be_read():
    pytest.importorskip("pint")
    units = {name: read_unit(each.unit, name) for name, each in PHYSICAL_CONSTANTS.items()}
    assert all(unit.size == pytest.approx(1.0) for name, unit in units.items()), "they are SI units"


def test_dimensions_that_the_columns_leave_open_are_in_si_units():
    for names in (["G", "Msun"], ["Msun", "G"]):
        system = [read_unit("au", "a"), read_unit("year", "T")]
        found = dict(
            zip(names, (value for value, _ in in_system(read_constants(names), system)), strict=True)
        )
        assert found["Msun"] == pytest.approx(PHYSICAL_CONSTANTS["Msun"].value)
        assert found["G"] * found["Msun"] == pytest.approx(4.0 * pi**2, rel=1e-3)
