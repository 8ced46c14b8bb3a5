"""The structure code: one price for all notations of a structure, and a total probability of at most 1."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.corpus import is_part_of_law, read_corpus, read_formula
from benchmarks.structure_tables import write_counts

from ddsr import Expression, Vocabulary, _core
from ddsr.expression import OPERATORS, Batch
from ddsr.price import TableCode
from ddsr.price.simple_numbers import nats_of, nats_of_measured
from ddsr.price.structure_code import (
    NUMBER_PLACES,
    Counts,
    Description,
    StructureCode,
    describe,
    n_fitted,
    read_counts,
)

VOCABULARY = Vocabulary(["x", "y", "z"], tuple(OPERATORS))
CODE = TableCode.shipped().fitted


def described(text: str) -> Description:
    """The description of a structure whose constants are free unless they are simple numbers."""
    expression = Expression.parse(text, VOCABULARY)
    return describe([expression], [[not is_part_of_law(value) for value in expression.constants]])[0]


def nats(text: str, n_variables: int = 1) -> float:
    return CODE.nats(described(text), n_variables)


@pytest.mark.parametrize(
    "notations",
    [
        ("x * y * z", "z * (y * x)", "(z * x) * y"),
        ("x + y - z", "y - z + x", "x - (z - y)"),
        ("7.31 * x / (1.93 + x)", "x / (x + 1.93) * 7.31", "x * 7.31 / (x + 1.93)"),
        ("x^2", "x * x", "square(x)", "x^3 / x"),
        ("1 / x", "x^(-1)", "inverse(x)"),
        ("exp(-0.37 * x)", "exp(x / 2.71)", "exp(-(x * 0.37))", "0.69^x"),
        ("5.17 * (1 - exp(-x))", "(1 - exp(-x)) * 5.17"),
        ("sqrt(x)", "x^0.5"),
        ("x - y", "-(y - x)"),
        ("3.17 - 2.29 * x", "3.17 + 2.29 * x"),  # the sign belongs to the fitted factor
        (
            "2.31 * x * sqrt(x / y)",
            "2.31 * sqrt(x^3 / y)",
            "x^1.5 * 2.31 / sqrt(y)",
            "x * sqrt(5.31 * x / y)",
        ),
        ("2.31 * x / (1.93 + x)", "2.31 * x / (1 + 0.37 * x)", "x / (0.73 + 0.37 * x)"),
        ("2.31 + 1.93 * x", "2.31 * (1.93 + x)", "2.31 * (1 + 0.37 * x)", "1.17 * (2.31 + 1.93 * x)"),
        ("2.31 * exp(1.93 * x)", "exp(2.31 + 1.93 * x)", "2.31 / exp(1.93 * x)", "2.31 * 1.17^x"),
        ("2.31 + 1.93 * log(x)", "1.93 * log(2.31 * x)", "1.93 * log(x / 2.31)", "log(2.31 * x^1.93)"),
        ("2.31 / (1 + 0.73 * exp(0.37 * x))", "2.31 / (0.73 + exp(0.37 * x))"),
        ("sin(x + 1.17)", "cos(x - 2.31)"),
        ("x / sqrt(y / z)", "x * sqrt(z / y)", "x * sqrt(z) / sqrt(y)"),
        ("exp(x) * exp(y)", "exp(x + y)"),
        ("(x + y)^2", "(x + y) * (y + x)"),
        ("x + x + y", "2 * x + y"),
        ("2.31 * (x / y)^1.93", "(2.31 * y / x)^1.93", "2.31 * (sqrt(x / y))^1.93"),
        ("sqrt(2.31 + 1.93 * x)", "2.31 * sqrt(1.93 + x)", "2.31 * sqrt(1 + 1.93 * x)"),
    ],
)
def test_notations_of_one_structure_have_one_price(notations):
    first, *others = map(described, notations)
    assert all(other.key == first.key for other in others)


@pytest.mark.parametrize(
    ("common", "odd"),
    [
        ("7.31 * x / (1.93 + x)", "4.13 * atan(x)"),
        ("12.37 * exp(-0.37 * x)", "13.17 / (x + exp(x))^0.3738"),
        ("5.17 * (1 - exp(-x / 1.93))", "3.17 * sqrt(sqrt(x - sin(x)))"),
        ("8.17 * x^2 / (11.3 + x^2)", "1.57 * atan(x)^4"),
        ("4.17e6 * exp(-4300.7 / x)", "2.381e-14 * x^log(x)"),
        ("3.17 * x^0.7531", "0.417 * x^0.7071 * (11.34 - cos(x * (x - 1)))"),
    ],
)
def test_common_structures_are_cheaper_than_odd_ones(common, odd):
    assert nats(common) + 2.0 < nats(odd)


def test_naming_a_variable_costs_the_log_of_their_number():
    formulas = [describe([each.expression], [each.is_free])[0] for each in read_corpus()[:40]]
    code = StructureCode(replace(Counts.of(formulas), forms=Counter()))  # no form is named as a whole
    assert code.nats(described("x * y"), 8) == pytest.approx(code.nats(described("x * y"), 1) + 2 * np.log(8))


def test_numbers_are_priced_by_their_place():
    assert nats("x^2") < nats("x^3") < nats("x^7")
    assert nats("1 - exp(-x)") < nats("2 - exp(-x)")
    assert CODE.numbers.nats(NUMBER_PLACES.index("exponent"), 2.0) < CODE.numbers.nats(
        NUMBER_PLACES.index("product"), 2.0
    )


def price(text: str, is_free: list[bool]) -> float:
    expression = Expression.parse(text, VOCABULARY)
    return float(CODE.prices([expression], [is_free])[0])


def test_a_number_is_part_of_the_law_or_the_value_of_a_constant():
    free = price("2.31 * x", [True])
    assert price("2 * x", [False]) < free + nats_of_measured(2.0) + 1e-9  # at most the price as a value
    assert price("x^2", [False]) < price("x^2.31", [True]) + nats_of_measured(2.0)  # 2 is a common exponent
    assert price("x", []) <= free + nats_of_measured(1.0) + 1e-9


def test_a_factor_of_one_does_not_hide_a_number():
    with_root = price("1 / (0.1069 + 2.23606797749979 * exp(-0.62 * x))", [True, False, True])
    assert with_root > price("9.36 / (1 + 20.9 * exp(-0.62 * x))", [True, True, True]) + 5.0
    assert price("2.37 * x", [False]) > price("x", [])


def test_a_simple_ratio_of_two_terms_is_priced_as_a_number():
    shared = price("2.31 * (sin(x) - y)", [True])
    apart = price("2.31 * sin(x) + 1.93 * y", [True, True])
    assert apart < shared < apart + nats_of_measured(-1.0) + 1e-9
    fixed = price("2.31 * sin(x) - 2.31 * y", [False, False])
    assert fixed > shared + nats_of_measured(2.31) / 2  # the number must still be described


def test_a_number_may_stand_before_a_known_form():
    code = TableCode.shipped().columns
    bare, scaled = (
        Expression.parse(text, VOCABULARY) for text in ("x * y / z", f"{4 * np.pi!r} * x * y / z")
    )
    more = code.prices([scaled], [[False]])[0] - code.prices([bare], [[]])[0]
    number = code.numbers.nats(NUMBER_PLACES.index("product"), 4 * np.pi)
    assert number < more < number + 4.0


def test_roots_among_measured_values_are_expensive():
    more = nats_of_measured(2.0) - nats_of(2.0)
    assert more > 1.5  # few measured values are simple
    assert nats_of_measured(np.sqrt(5.0)) > nats_of(np.sqrt(5.0)) + more + 2.0
    assert nats_of_measured(4.0 * np.pi) > nats_of(4.0 * np.pi) + more + 2.0
    assert nats_of_measured(-1.0) > 2.0 and nats_of(-1.0) == 0.0  # as a sign it is free


def test_a_second_simple_constant_costs_less_than_the_first():
    def price(a: float, b: float) -> float:
        expression = Expression.parse(f"{a} * x / ({b} + y)", VOCABULARY)
        is_free = [not value.is_integer() for value in expression.constants]
        return float(CODE.prices([expression], [is_free])[0])

    neither, both = price(4.1, 5.2), price(4.0, 5.0)
    alone = (price(4.0, 5.2) - neither) + (price(4.1, 5.0) - neither)
    assert both - neither < alone - 1.0


def test_constants_of_a_product_count_once():
    assert n_fitted(described("7.31 * x / 1.93 / (2.57 + x)")) == 2
    assert n_fitted(described("x^2")) == 0


def test_lengths_obey_krafts_inequality():
    symbols = list(_core.SYMBOLS)
    numbers = [CODE.numbers.common(place, 12.0) for place in range(len(NUMBER_PLACES))]
    found = _core.cheapest_structures(CODE.core, 1, symbols, numbers, 12.0, 100_000)
    lengths = found.nats()
    assert len(lengths) > 2_000
    assert (np.diff(lengths) >= -1e-9).all()
    assert 0.3 < np.exp(-lengths).sum() <= 1.0


def test_chances_of_each_choice_add_up_to_one():
    for is_listed, n_chosen in ((0, len(_core.SYMBOLS)), (1, 2 * len(_core.SYMBOLS) + 1)):
        rng = np.random.default_rng(is_listed)
        for _ in range(50):
            first = rng.integers(2) if is_listed else rng.integers(len(_core.PLACES))
            second = rng.integers(n_chosen) if is_listed else rng.integers(len(_core.PLACES))
            third = rng.integers(len(_core.PLACES)) if is_listed else 0
            rows = np.array([(is_listed, first, second, third, each) for each in range(n_chosen)], np.uint8)
            assert np.exp(-CODE.core.nats(rows)).sum() == pytest.approx(1.0)


def test_enumerated_structures_cost_what_the_code_says():
    vocabulary = Vocabulary(["x"], tuple(OPERATORS))
    numbers = [CODE.numbers.common(place, 6.0) for place in range(len(NUMBER_PLACES))]
    found = _core.cheapest_structures(CODE.core, 1, list(_core.SYMBOLS), numbers, 9.0, 500)
    rng = np.random.default_rng(0)
    X, y = rng.uniform(1.0, 2.0, size=(20, 1)), rng.uniform(1.0, 2.0, size=20)
    data = _core.Data(X, y, None, np.empty(0, np.int64), np.empty(0, np.int64), 20.0, 20.0)
    tokens, constants, is_fixed, _, _ = found.fit(vocabulary.core, data, 0, len(found), 1, 0, 0.0, 0, 1)
    n_checked = n_others = 0
    for row, length in enumerate(found.nats()):
        if tokens[row, 0] < 0:
            continue
        expression = Batch(vocabulary, tokens[row : row + 1], constants[row : row + 1])[0]
        is_free = [not fixed for fixed in is_fixed[row, : expression.n_constants]]
        # a known form with an expensive number is enumerated only by its name
        n_others += CODE.nats(describe([expression], [is_free])[0], 1) != pytest.approx(length, abs=0.05)
        n_checked += 1
    # exceptions: known forms whose constants are placed differently in the corpus than after a fit
    assert n_checked > 200 and n_others <= 0.01 * n_checked


def test_tables_are_read_as_they_were_written():
    formulas = [describe([each.expression], [each.is_free])[0] for each in read_corpus()[:40]]
    counts = Counts.of(formulas)
    assert read_counts(*write_counts(counts).values()) == counts


def test_a_damaged_choice_is_refused():
    with pytest.raises(ValueError, match="is not a choice"):
        _core.StructureCode(np.full((1, 5), 200, np.uint8), [])


def test_the_corpus_is_large_and_of_many_fields():
    corpus = read_corpus()
    assert len(corpus) >= 600 and len({each.field for each in corpus}) >= 14
    without = [each for each in corpus if not each.expression.variables_used]
    assert all(each.expression.n_constants == 1 for each in without)  # y depends on no column
    assert 20 <= len(without) <= len(corpus) // 50


def test_all_symbols_of_a_formula_may_be_columns():
    by_name = {each.name: each for each in read_corpus()}
    drag = by_name["Falling body with quadratic drag"]
    assert drag.expression.variables_used == ("v",) and drag.expression.n_constants == 3
    assert drag.in_columns.text() == "g - k * v^2"
    isotherm = by_name["Freundlich isotherm"]  # a fitted exponent is not a column
    assert isotherm.in_columns.variables_used == ("C", "K_F") or set(isotherm.in_columns.variables_used) == {
        "C",
        "K_F",
    }


def test_symbols_have_their_roles():
    expression, is_free = read_formula("V * S / (K + S) + 2 * pi * S^2", ["S"], ["V", "K"])
    assert expression.variables_used == ("S",)
    assert sum(is_free) == 2 and len(is_free) == 5  # V, K; 2, pi, 2


def test_numbers_of_a_law_differ_from_measured_ones():
    assert all(map(is_part_of_law, (2.0, -1.0, 0.5, np.pi / 4, 4 * np.pi, 2 / 3)))
    assert not any(map(is_part_of_law, (8.314, 0.0821, 1.64, 273.15)))


@pytest.mark.parametrize("notations", [("x - (y + z)", "x + neg(y + z)", "x + (-1) * (y + z)")])
def test_sums_in_sums_are_one_sum(notations):
    assert len({described(text).key for text in notations}) == 1


def test_a_number_may_be_subtracted_from_an_enumerated_sum():
    vocabulary = Vocabulary(["x"], tuple(OPERATORS))
    numbers = [CODE.numbers.common(place, 6.0) for place in range(len(NUMBER_PLACES))]
    found = _core.cheapest_structures(CODE.core, 1, list(_core.SYMBOLS), numbers, 11.0, 5000)
    X = np.linspace(0.5, 2.0, 20)[:, None]
    y = 0.3 * (np.exp(1.7 * X[:, 0]) - 1.0)
    data = _core.Data(X, y, None, np.empty(0, np.int64), np.empty(0, np.int64), 20.0, 20.0)
    tokens, constants, _, squares, _ = found.fit(vocabulary.core, data, 0, len(found), 6, 60, 1e-12, 0, 1)
    texts = [
        Batch(vocabulary, tokens[row : row + 1], constants[row : row + 1])[0].text(precision=3)
        for row in np.flatnonzero(squares < 1e-12)
    ]
    assert any("- 1" in text or "-1 +" in text for text in texts), texts[:5]


def test_without_powers_a_square_of_constants_is_not_written():
    vocabulary = Vocabulary(["x"], ("add", "mul"))
    numbers = [CODE.numbers.common(place, 6.0) for place in range(len(NUMBER_PLACES))]
    symbols = ["number", "constant", "variable", "power", "sum", "product"]
    found = _core.cheapest_structures(CODE.core, 1, symbols, numbers, 13.0, 3000)
    X = np.linspace(0.5, 2.0, 20)[:, None]
    data = _core.Data(X, X[:, 0] ** 2, None, np.empty(0, np.int64), np.empty(0, np.int64), 20.0, 20.0)
    tokens, constants, is_fixed, _, _ = found.fit(vocabulary.core, data, 0, len(found), 2, 5, 0.0, 0, 1)
    for row in np.flatnonzero(tokens[:, 0] >= 0):
        expression = Batch(vocabulary, tokens[row : row + 1], constants[row : row + 1])[0]
        is_free = [not fixed for fixed in is_fixed[row, : expression.n_constants]]
        assert CODE.nats(describe([expression], [is_free])[0], 1) == pytest.approx(
            found.nats()[row], abs=0.05
        )
