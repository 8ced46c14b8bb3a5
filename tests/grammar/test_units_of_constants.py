"""The units of the constants of an expression."""

import numpy as np
import pytest

from ddsr import Expression, Vocabulary, _core
from ddsr.data.unit_texts import text_of
from ddsr.data.units import Units

pytest.importorskip("pint")
COLUMNS = {"m": "kg", "h": "m", "t": "s", "a": ""}
VOCABULARY = Vocabulary(list(COLUMNS), ("+", "-", "*", "/", "^", "sqrt", "exp", "sin"))


@pytest.mark.parametrize(
    ("text", "target", "n_constants", "found"),
    [
        ("3.0 * m", "kg", 0, {3.0: ""}),
        ("3.0 * m * h + 4.0", "J", 2, {3.0: "m/s^2", 4.0: "J"}),
        ("m * exp(3.0 * t)", "kg", 1, {3.0: "1/s"}),
        ("m * exp(t / 3.0) * 2.0", "kg", 1, {3.0: "s", 2.0: ""}),
        ("sqrt(3.0 * h)", "m/s", 1, {3.0: "m/s^2"}),
        ("(3.0 + h)^2.0", "m^2", 1, {3.0: "m", 2.0: ""}),
        ("m / (3.0 - t)", "kg/s", 1, {3.0: "s"}),
        ("2.5^a * sin(3.0 * h) * m", "kg", 1, {2.5: "", 3.0: "1/m"}),
        ("3.0 * m", "J", 0, {3.0: None}),
    ],
)
def test_constants_have_the_units_that_they_need(text, target, n_constants, found):
    units = Units.of(list(COLUMNS), COLUMNS, target, n_constants=max(n_constants, 1))
    expression = Expression.parse(text, VOCABULARY)
    parts = _core.units_of_constants(
        VOCABULARY.core,
        _core.Units(*units.parts[:2], n_constants),
        np.array(expression.tokens, dtype=np.int16),
        expression.constants,
    )
    texts = [None if each is None else text_of(each, units) for each in parts]
    assert dict(zip(expression.constants, texts, strict=True)) == found
