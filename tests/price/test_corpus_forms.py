"""Forms whatever their variables are called, and codes learned without one of them."""

import pytest
from benchmarks.corpus_forms import NamelessForm, NamelessForms, freed_form_of
from benchmarks.realistic.left_out import code_without, left_out, names_left_out
from benchmarks.structure_code import kept_formulas, readings

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS
from ddsr.price import TableCode
from ddsr.price.structure_code import describe


def parsed(text: str, *variables: str) -> Expression:
    return Expression.parse(text, Vocabulary(list(variables), tuple(OPERATORS)))


def form(text: str, *variables: str) -> NamelessForm:
    return freed_form_of(parsed(text, *variables))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x * y^2", "y * x^2"),
        ("x^2 * y^4", "y^2 * x^4"),
        ("7.3 * x / (1.9 * y + x)", "2.2 * y / (0.4 * x + y)"),
        ("x - y", "y - x"),
        ("x * exp(-y / z)", "y * exp(-z / x)"),
        ("3.1 * x^0.75 * sqrt(y)", "2.2 * y^0.6 * sqrt(x)"),
    ],
)
def test_a_form_does_not_depend_on_the_order_of_columns(one, other):
    first, second = form(one, "x", "y", "z"), form(other, "x", "y", "z")
    assert first in NamelessForms([second]) and second in NamelessForms([first])


@pytest.mark.parametrize(
    ("one", "other"),
    [("x * y^2", "x * y^3"), ("x * y", "x * x"), ("x / y", "x * y"), ("exp(x)", "log(x)"), ("x", "2.5 * x")],
)
def test_different_forms_are_unequal(one, other):
    assert form(one, "x", "y") not in NamelessForms([form(other, "x", "y")])


def test_keys_depend_on_the_order_of_columns():
    keys = [
        describe([parsed(text, "x", "y")], [[False, False]])[0].key for text in ("x^2 * y^4", "y^2 * x^4")
    ]
    assert keys[0] != keys[1]


def test_numbers_are_freed_except_those_of_the_form():
    assert form("3 * x^2", "x") in NamelessForms([form("4.905 * t^2", "t")])
    assert form("x^0.75", "x") in NamelessForms([form("x^0.5531", "x")])
    assert form("x^2", "x") not in NamelessForms([form("x^0.75", "x")])


@pytest.fixture(scope="module")
def kept():
    formulas, described, n_dropped = kept_formulas()
    assert n_dropped >= 52
    return formulas, described


def test_the_shipped_tables_are_those_of_the_corpus(kept):
    """After a change of the corpus, run `make price`."""
    learned, shipped = TableCode.learned(*readings(kept[1])), TableCode.shipped()
    for text, names in (("7.3 * x / (1.9 + x)", "x"), ("x * y / (z - x)", "xyz")):
        law = parsed(text, *names)
        is_free = [True] * law.n_constants
        assert learned.prices([law], [is_free]) == pytest.approx(shipped.prices([law], [is_free]))


def test_a_code_without_a_form_is_dearer_for_it(kept):
    law = parsed("7.3 * S / (1.9 + S)", "S")
    dropped = left_out(law)
    assert len(dropped) > 10 and len(names_left_out(law)) == len(dropped)
    assert "Michaelis" in " ".join(names_left_out(law))
    code, shipped = code_without(law), TableCode.shipped()
    is_free = [[True, True]]
    assert code.prices([law], is_free)[0] > shipped.prices([law], is_free)[0] + 0.1
    # formulas of other forms keep about the same price
    other = [parsed("2.1 * exp(-0.3 * t)", "t")]
    assert code.prices(other, is_free) == pytest.approx(shipped.prices(other, is_free), abs=0.3)


def test_a_form_outside_the_corpus_removes_nothing():
    assert left_out(parsed("tan(x)^5 / asin(y)", "x", "y")) == []
