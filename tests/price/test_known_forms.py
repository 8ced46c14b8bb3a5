"""Forms of formulas in the corpus are named as a whole, whatever their variables are called."""

from collections import Counter
from math import exp, log

import numpy as np
import pytest
from benchmarks.corpus import is_part_of_law

from ddsr import Expression, Vocabulary, _core
from ddsr.expression import OPERATORS
from ddsr.price import TableCode
from ddsr.price.structure_code import NUMBER_PLACES, Counts, Description, StructureCode, describe

VOCABULARY = Vocabulary(["x", "y", "z"], tuple(OPERATORS))
LOGISTIC = "8.3 / (1 + 2.7 * exp(-0.37 * x))"


def described(text: str) -> Description:
    expression = Expression.parse(text, VOCABULARY)
    return describe([expression], [[not is_part_of_law(value) for value in expression.constants]])[0]


def learned(*formulas: str) -> StructureCode:
    return StructureCode.learned([described(text) for text in formulas])


def test_a_form_is_known_whatever_its_variables_are_called():
    code = learned("2.3 * x / (1.7 + x + y)", "x", "x")
    first = code.nats(described("2.3 * x / (1.7 + x + y)"), 3)
    for renamed in ("3.1 * y / (1.7 + x + y)", "3.1 * z / (1.7 + x + z)", "0.7 * y / (1.7 + y + z)"):
        assert code.nats(described(renamed), 3) == pytest.approx(first)
    assert code.nats(described("2.3 * x / (1.7 + y + z)"), 3) > first + 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [("x^2 * y", "x * y^2"), ("x / y + z", "z / x + y"), ("x^2 * y^4 + z", "y^2 * z^4 + x")],
)
def test_names_of_variables_do_not_matter(one, other):
    code = learned("x - y", one)
    assert code.nats(described(one), 3) == pytest.approx(code.nats(described(other), 3))


@pytest.mark.parametrize(
    ("one", "other"),
    [("x^2 * y", "x^2 / y"), ("x * y + x * z", "x * y + y / z"), ("x - y", "x + y"), ("x^2", "x^3")],
)
def test_other_forms_are_not_known(one, other):
    without, code = learned("x", "log(z)"), learned("x", "log(z)", *[one] * 40)
    assert without.nats(described(one), 3) - code.nats(described(one), 3) > 2.0
    known = learned("x", "log(z)", *[other] * 40)
    assert known.nats(described(one), 3) > code.nats(described(one), 3) + 1.0


def test_the_chance_of_a_form_is_its_share():
    # 3 of 4 formulas; 0.9 of each count is reserved for unknown structures
    code = learned("x", "x", "x", "log(x)")
    # y depends on no column in 10 % of tables; it is a logarithm in 5 % and an inverse in 3 %
    unknown = 0.9 * 2 * 0.9 / 4
    named = 0.9 * 0.92 * (3 - 0.9) / 4
    nats_of_choice = float(code.core.nats(np.array(described("x").choices, np.uint8)).sum())
    assert exp(-code.nats(described("x"), 1)) == pytest.approx(named + unknown * exp(-nats_of_choice))


def test_in_a_table_of_one_column_only_forms_of_one_count():
    wide = learned("x", *["x * y"] * 30)
    narrow = learned("x", *["x * y"] * 3)
    share = 0.9 * 0.92 * 0.1  # of the only form that a table of one column can have
    for code in (wide, narrow):
        one_by_one = float(code.core.nats(np.array(described("x").choices, np.uint8)).sum())
        assert code.nats(described("x"), 1) == pytest.approx(-log(share + 0.9 * 0.9 * exp(-one_by_one)))


def test_the_logarithm_of_a_known_form_is_known():
    law, logarithm = "8.3 / (1 / x^2 - 1 / y^2)", "2.1 - log(1 / x^2 - 1 / y^2)"
    others = ["x", "log(x) + 1.7 * y"]
    with_law, without = learned(*others, *[law] * 20), learned(*others)
    assert without.nats(described(logarithm), 2) - with_law.nats(described(logarithm), 2) > 5.0
    assert with_law.nats(described(logarithm), 2) == pytest.approx(
        with_law.nats(described(law), 2) + log(0.92 / 0.05), abs=0.5
    )


def test_the_inverse_of_a_known_form_is_known():
    law, inverse = (
        "2.3 * exp(-0.7 * x) + 1.63 * exp(0.31 * x)",
        "5.1 / (exp(-0.7 * x) + 2.37 * exp(0.31 * x))",
    )
    others = ["x", "log(x)"]
    with_law, without = learned(*others, *[law] * 20), learned(*others)
    assert without.nats(described(inverse), 1) - with_law.nats(described(inverse), 1) > 5.0
    assert with_law.nats(described(inverse), 1) == pytest.approx(
        with_law.nats(described(law), 1) + log(0.92 / 0.03), abs=0.5
    )


def test_chances_of_known_forms_and_of_the_others_add_up_to_one():
    code = TableCode.shipped().fitted
    numbers = [code.numbers.common(place, 12.0) for place in range(len(NUMBER_PLACES))]
    found = _core.cheapest_structures(code.core, 1, list(_core.SYMBOLS), numbers, 12.0, 100_000)
    assert 0.5 < np.exp(-found.nats()).sum() <= 1.0


def test_a_law_of_many_choices_is_enumerated():
    code = TableCode.shipped().fitted
    bare = StructureCode(Counts(Counter({c: 1 for c in described(LOGISTIC).choices}), Counter(), Counter()))
    assert code.nats(described(LOGISTIC), 1) < 6.0 < bare.nats(described(LOGISTIC), 1) + 10.0
    numbers = [code.numbers.common(place, 6.0) for place in range(len(NUMBER_PLACES))]
    found = _core.cheapest_structures(code.core, 1, list(_core.SYMBOLS), numbers, 6.0, 500)
    vocabulary = Vocabulary(["x"], tuple(OPERATORS))
    X = np.linspace(0.0, 9.0, 30)[:, None]
    y = 8.3 / (1 + 27.0 * np.exp(-0.87 * X[:, 0]))
    data = _core.Data(X, y, None, np.empty(0, np.int64), np.empty(0, np.int64), 30.0, 30.0)
    _, _, _, squares, _ = found.fit(vocabulary.core, data, 0, len(found), 6, 60, 1e-12, 0, 1)
    assert np.nanmin(squares) < 1e-12


@pytest.mark.parametrize(
    "form",
    [
        ([], [], []),  # nothing
        ([17], [], []),  # a sum without end mark
        ([17, 38], [], []),  # an empty sum
        ([2], [], []),  # a variable without its column
        ([0], [], []),  # a number without its value
        ([1, 1], [], []),  # two structures
        ([30], [], []),  # a part outside a list
        ([17, 99, 38], [], []),  # no such part
    ],
)
def test_a_damaged_form_is_refused(form):
    with pytest.raises(ValueError, match=r"choices|list|part"):
        _core.StructureCode(np.empty((0, 5), np.uint8), [(form, 1)])
    with pytest.raises(ValueError, match="no formula has"):
        _core.StructureCode(np.empty((0, 5), np.uint8), [(([1], [], []), 0)])
