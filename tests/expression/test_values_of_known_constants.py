"""Expressions with known constants: they print the name, and all exports fill in the value."""

import pickle

import numpy as np
import pytest

from ddsr import Expression, Vocabulary
from ddsr.engine import gradients, values
from ddsr.errors import DataError, VocabularyError
from ddsr.expression.known_constant import KnownConstant, with_known_constants

NAMES = ("m", "r", KnownConstant("G", 6.5), KnownConstant("speed of light", 3.0), KnownConstant("h", 0.5))
VOCABULARY = Vocabulary(NAMES)
X = np.random.default_rng(0).uniform(1.0, 2.0, (7, 2))
M, R = X.T
CASES = {
    "2 * G * m / r": 13.0 * M / R,
    "G^2 + `speed of light`": np.full(7, 45.25),
    "m * exp(-r / `speed of light`)": M * np.exp(-R / 3.0),
    "1 / (G - 6.5)": np.full(7, np.inf),
    "m": M,
}


@pytest.mark.parametrize("text", CASES)
def test_exports_fill_in_the_value(text):
    expression, expected = Expression.parse(text, VOCABULARY), CASES[text]
    assert expression.text().count("G") == text.count("G")
    found: dict[str, object] = {}
    exec(expression.to_python(), found)
    np.testing.assert_allclose(found["equation"](M, R), expected)  # type: ignore[operator]
    for function in (expression.to_callable(), pickle.loads(pickle.dumps(expression)).to_callable()):
        np.testing.assert_allclose(function(X), expected)
    np.testing.assert_allclose(values([expression], X)[0][0], expected)
    np.testing.assert_allclose(values([expression], with_known_constants(X, NAMES[2:]))[0][0], expected)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"\(n_rows, 2\)"):
        expression.to_callable()(np.ones((3, 5)))


def test_torch_fills_in_the_value():
    torch = pytest.importorskip("torch")
    expression = Expression.parse("2 * G * m / r", VOCABULARY)
    module = expression.to_torch()
    np.testing.assert_allclose(module(torch.tensor(X)).detach().numpy(), 13.0 * M / R)
    np.testing.assert_allclose(
        module.float()(torch.tensor(X).float()).detach().numpy(), 13.0 * M / R, rtol=1e-5
    )


def test_symbols_and_text_show_the_name():
    expression = Expression.parse("2 * G * m / r", VOCABULARY)
    assert expression.text() == "2 * G * m / r"
    assert {str(symbol) for symbol in expression.to_sympy().free_symbols} == {"G", "m", "r"}
    assert "G" in expression.to_latex()


def test_gradients_fill_in_the_value():
    slopes, _ = gradients([Expression.parse("2 * G * m", VOCABULARY)], X)
    np.testing.assert_allclose(slopes[0, :, 0], 6.5 * M)


def test_pickles_keep_the_values():
    kept = pickle.loads(pickle.dumps(VOCABULARY))
    assert kept == VOCABULARY and [each.value for each in kept.known_constants] == [6.5, 3.0, 0.5]
    assert kept.inputs == ("m", "r")


def test_known_constants_come_last():
    with pytest.raises(VocabularyError, match="must come after the other variables"):
        Vocabulary((KnownConstant("G", 6.5), "m"))
