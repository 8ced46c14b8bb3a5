"""Units written as products of the units of a table."""

import pytest

from ddsr.data.unit_texts import text_of
from ddsr.data.units import Units

pytest.importorskip("pint")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("", ""),
        ("J", "J"),
        ("kg", "kg"),
        ("1/s", "1/s"),
        ("m/s^2", "m/s^2"),
        ("kg^2", "kg^2"),
        ("m^0.5", "m^(1/2)"),
        ("W", "J/s"),
        ("W/m^2", "kg/s^3"),
        ("A", "?"),
    ],
)
def test_units_are_written_in_those_of_the_table(wanted: str, text: str) -> None:
    columns = {"m": "kg", "h": "m", "t": "s"} | ({"i": "A"} if wanted == "A" else {})
    units = Units.of(list(columns), columns, "J")
    given = Units.of([*columns, "x"], columns | {"x": wanted}, "J").parts[0][-1]
    assert text_of([7] * len(given) if wanted == "A" else given, units) == text
