import numpy as np
import pytest
from benchmarks.coverage import standard_forms

from ddsr import _core
from ddsr.engine import values
from ddsr.errors import ExpressionError
from ddsr.expression import DEFAULT_OPERATORS, OPERATORS, Batch, Expression, Vocabulary
from ddsr.grammar import Grammar

VOCABULARY = Vocabulary(("x", "y", "z"))


def parsed(*texts: str) -> Batch:
    return Batch.of([Expression.parse(text, VOCABULARY) for text in texts])


def standard(text: str, positive: tuple[str, ...] = ()) -> Expression:
    form, has_form = standard_forms(parsed(text), positive)
    assert has_form[0]
    return form[0]


@pytest.mark.parametrize("name", [row.name for row in OPERATORS.values() if row.parity == "even"])
def test_below_an_even_function_the_sign_of_a_difference_is_chosen(name: str) -> None:
    vocabulary = Vocabulary(("x", "y"), (*DEFAULT_OPERATORS, *({name} - set(DEFAULT_OPERATORS))))
    batch = Batch.of([Expression.parse(f"{name}({text})", vocabulary) for text in ("x - y", "y - x")])
    (one, other), has_form = standard_forms(batch, ())
    assert has_form.all() and one == other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 * x + 3", "x"),
        ("5 / (2 + 3 * x)", "1 / (x + 0.6666666666666666)"),
        ("log(4 * x) - 7", "log(x)"),
        ("3 * exp(x + 1)", "exp(x)"),
        ("y * exp(-x)", "y / exp(x)"),
        ("2^x * y", "y * exp(0.6931471805599453 * x)"),
        ("x^2 * y", "y * x * x"),
        ("x / y / z", "x / (y * z)"),
        ("x - (y - z)", "x + z - y"),
        ("y - x", "x - y"),
        ("cos(y - x)", "cos(x - y)"),
        ("x + x + y", "2 * x + y"),
        ("-2 * (x - y)^2", "(x - y)^2"),
        ("sqrt(8 - 4 * x)", "sqrt(2 - x)"),
        ("log(1 / (x * y))", "log(x * y)"),
        ("y + (5 * x)^2", "y + 25 * x * x"),
        ("x / exp(2 * y)", "x * exp(-2 * y)"),
        ("y / (x + 1 / 3 / x * 3)", "y / (x + 1 / x)"),
    ],
)
def test_inner_scales_and_offsets_are_removed(text: str, expected: str) -> None:
    form = standard(text)
    assert form.key == Expression.parse(expected, VOCABULARY).key
    np.testing.assert_allclose(form.constants, Expression.parse(expected, VOCABULARY).constants)


SAME = [
    ("x * y / z", "y / (z / x)"),
    ("1 / x / y", "1 / (x * y)"),
    ("x - y - 1", "x - (y + 1)"),
    ("exp(-(x - y))", "exp(y) / exp(x)"),
    ("x * x + y * y", "y^2 + x^2"),
    ("1 / (1 + 2 * x)", "3 / (1.5 + 3 * x)"),
    ("(x + 2 * y) / z", "(0.5 * x + y) / z"),
    ("sqrt(x) * sqrt(y)", "sqrt(x * y)"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_one_function_has_one_form(one: str, other: str) -> None:
    assert standard(one, positive=("x", "y", "z")).tokens == standard(other, positive=("x", "y", "z")).tokens


def test_signs_that_the_data_have_are_used() -> None:
    assert len(standard("sqrt(x^2 * y)", positive=("x",))) == 4
    assert len(standard("sqrt(x^2 * y)")) > 4


def test_random_expressions_keep_their_values_up_to_scale_and_offset() -> None:
    tokens = Grammar(VOCABULARY, max_length=20, max_constants=4).sample(1500, seed=5)
    rng = np.random.default_rng(0)
    constants = rng.choice([0.5, 2.0, 3.0, 0.7], size=(len(tokens), 4))
    given = Batch(VOCABULARY, tokens, constants)
    forms, has_form = standard_forms(given, positive=VOCABULARY.variables)
    X = rng.uniform(0.5, 2.0, size=(60, 3))
    n_compared = 0
    for row in np.flatnonzero(has_form):
        (wanted,), (is_finite,) = values([given[row]], X)
        nearby = values([given[row]], X * (1 + 1e-12))[0][0]
        # up to rounding, which matters beside a large offset and near a pole
        largest = np.abs(wanted).max()
        if not is_finite or largest > 1e12 or not np.std(wanted) > 1e-6 * largest:
            continue
        if not np.abs(nearby - wanted).max() < 1e-6 * np.std(wanted):
            continue
        got = values([forms[row]], X)[0][0]
        r = np.corrcoef(wanted, got)[0, 1]
        assert 1 - r * r < 1e-6, (str(given[row]), str(forms[row]))
        n_compared += 1
    assert has_form.mean() > 0.97 and n_compared > 500


def test_standard_forms_of_standard_forms_are_the_same() -> None:
    tokens = Grammar(VOCABULARY, max_length=20, max_constants=4).sample(1500, seed=6)
    once, has_form = standard_forms(Batch.from_tokens(VOCABULARY, tokens))
    there = once.take(np.flatnonzero(has_form))
    twice, still = standard_forms(there)
    assert still.all()
    assert [e.tokens for e in twice] == [e.tokens for e in there]


def test_a_vocabulary_without_a_constant_is_refused() -> None:
    bare = Vocabulary(("x",), has_constant=False)
    with pytest.raises(ExpressionError, match="constant"):
        standard_forms(Batch.of([Expression.parse("x * x", bare)]))


def signatures(*texts: str) -> list[int]:
    return _core.structure_signatures(VOCABULARY.core, parsed(*texts).tokens, 1).tolist()


def test_signatures_ignore_names_orders_and_constants() -> None:
    same = signatures("x * (y + z) * 2", "(z + x) * 3 * y", "5 * y * (x + z)")
    assert len(set(same)) == 1
    assert len(set(signatures("x / y + x", "z / x + z", "y + y / x"))) == 1


def test_different_structures_have_different_signatures() -> None:
    texts = ("x / y + x", "x / y + y", "x / y + z", "x - y", "x + y", "sin(x) * x", "sin(x) * y", "x * y * x")
    assert len(set(signatures(*texts))) == len(texts)
    pairs = ("x * y + x * z", "x * y + y * x", "x * y + z * z", "(x + y) * (x + z)", "(x + y) * (x + y)")
    assert len(set(signatures(*pairs))) == len(pairs)
