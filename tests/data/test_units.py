"""Units as text: what is read, and what is refused with a reason."""

import pickle

import pytest

from ddsr import _core
from ddsr.data.units import N_DIMENSIONS, PARTS, Units, _with_cache, unit_in_name
from ddsr.engine import core_units
from ddsr.errors import DataError
from ddsr.search.monomials import monomials

pint = pytest.importorskip("pint")


def read(columns: dict[str, str], target: str = "", **options: object) -> Units:
    return Units.of(list(columns), columns, target, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("columns", "target"),
    [
        ({"m": "kg", "v": "m/s"}, "J"),
        ({"x": "m", "t": "s"}, "m/s"),
        ({"a": "au", "t": "year"}, "au^3 / year^2"),
        ({"U": "V", "I": "A"}, "W"),
        ({"T": "K", "p": "Pa", "V": "m^3"}, ""),
        ({"x": "µm"}, "µm²"),
        ({"n": "mol", "V": "m**3"}, "mol/m^3"),
    ],
)
def test_coherent_units_are_read(columns, target):
    units = read(columns, target)
    assert core_units(units) is not None and pickle.loads(pickle.dumps(units)) == units


@pytest.mark.parametrize(
    ("columns", "target", "said"),
    [
        ({"x": "m", "y": "km"}, "", "'km' of column 'y' does not belong to one system"),
        ({"x": "m"}, "cm", "'cm' of y does not belong to one system"),
        ({"x": "deg"}, "", "'deg' of column 'x' does not belong to one system"),
        ({"x": "degC"}, "", "'degC' of column 'x' is not proportional"),
        ({"x": "furlongs per"}, "", "cannot read the unit 'furlongs per' of column 'x'"),
        ({"x": "qwerty"}, "", "cannot read the unit 'qwerty' of column 'x'"),
        ({"x": "10 m"}, "", "cannot read the unit '10 m' of column 'x'"),
        ({"x": 3}, "", "the unit of column 'x' must be a text"),
        ({"x": "m"}, "J", "no expression of the columns has the unit 'J' of y: the columns are x [m]"),
        ({"x": ""}, "kg", "no expression of the columns has the unit 'kg' of y"),
        ({"x": "m^0.137"}, "", "not multiples of 1/60"),
    ],
)
def test_other_units_are_refused(columns, target, said):
    with pytest.raises(DataError, match=said.replace("[", r"\[").replace("(", r"\(")):
        core_units(read(columns, target))


def test_names_must_be_those_of_the_columns():
    with pytest.raises(DataError, match="units has no unit for 'b': pass ''"):
        Units.of(["a", "b"], {"a": "m"}, "m")
    with pytest.raises(DataError, match="units has 'velocity', which is not a column"):
        Units.of(["a"], {"a": "m", "velocity": "m/s"}, "m")
    with pytest.raises(DataError, match="y_units is missing"):
        Units.of(["a"], {"a": "m"})
    with pytest.raises(DataError, match="units must be a dict"):
        Units.of(["a"], 3, "m")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="unit_constants must be a number of constants"):
        read({"a": "m"}, "m", n_constants=-1)


def test_units_are_read_from_names():
    units = Units.of(["T [K]", "p [Pa] "], "names", target_name="rho [kg/m^3]", n_constants=1)
    assert [unit.text for unit in units.columns] == ["K", "Pa"] and units.target.text == "kg/m^3"
    assert unit_in_name("x []") == ""
    with pytest.raises(DataError, match="'T' has no unit in brackets"):
        unit_in_name("T")


def test_a_constant_with_a_unit_makes_every_target_reachable():
    assert read({"x": "m"}, "J", n_constants=1).allows_offset
    assert not read({"x": "m"}, "m").allows_offset and read({"x": "m"}, "").allows_offset


def test_products_of_powers_have_the_unit_of_the_target():
    from ddsr import Vocabulary
    from ddsr.grammar import Grammar

    def found(columns: dict[str, str], target: str, **options: object) -> list[str]:
        units = read(columns, target)
        grammar = Grammar(Vocabulary(list(columns), **options), 30, 10, (), core_units(units))
        return [str(each) for each in monomials(grammar, units)]

    falling = {"m": "kg", "v": "m/s", "h": "m", "g": "m/s^2"}
    assert found(falling, "J") == ["m * v^2", "m * h * g"]
    assert found(falling, "m/s") == ["v", "sqrt(h) * sqrt(g)"]
    assert found(falling, "J", operators=("mul", "div")) == ["m * (v * v)", "m * h * g"]
    assert found({"a": "m", "G": "m^3/kg/s^2", "M": "kg"}, "s") == ["a^1.5 / (sqrt(G) * sqrt(M))"]
    assert found({"v": "m/s", "c": "m/s", "z": ""}, "")[0] == "z"
    assert "v / c" in found({"v": "m/s", "c": "m/s", "z": ""}, "")


def test_the_core_has_the_same_limits():
    assert (PARTS, N_DIMENSIONS) == (_core.UNIT_PARTS, _core.UNIT_DIMENSIONS)
    units = core_units(read({"m": "kg", "v": "m/s"}, "J", n_constants=2))
    assert units is not None and units.allows_offset
    again = pickle.loads(pickle.dumps(units))
    assert again.allows_offset and pickle.dumps(again) == pickle.dumps(units)


def test_units_are_read_from_a_broken_cache(monkeypatch):
    """A cache that another process is writing, or that names files of another installation, is not used."""
    usual, folders = pint.UnitRegistry, []

    def broken(cache_folder=None):
        if cache_folder is not None:
            folders.append(cache_folder)
            raise FileNotFoundError(cache_folder)
        return usual()

    monkeypatch.setattr(pint, "UnitRegistry", broken)
    assert _with_cache(pint).parse_units("m/s").dimensionality
    monkeypatch.setattr(pint, "__file__", "/another/place/pint/__init__.py")
    _with_cache(pint)
    assert folders[0] != folders[1]
