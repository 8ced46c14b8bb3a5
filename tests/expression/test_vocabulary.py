import copy
import pickle
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given

from ddsr import Vocabulary, VocabularyError
from ddsr.expression import OPERATORS
from strategies import examples, vocabularies


def test_ids_run_operators_one_constant_variables():
    vocabulary = Vocabulary(("x", "my var"), ("+", "sin"))
    assert vocabulary.names == ("add", "sin", "1", "?", "x", "`my var`")
    assert vocabulary.arities == (2, 1, 0, 0, 0, 0)
    assert (vocabulary.one, vocabulary.constant, vocabulary.first_variable) == (2, 3, 4)
    assert [token for token in range(6) if vocabulary.is_constant(token)] == [3]
    bare = Vocabulary(("x",), (), has_one=False, has_constant=False)
    assert (bare.names, bare.one, bare.constant) == (("x",), None, None)
    assert not bare.is_constant(0)


def test_default_is_the_papers_set_over_x_and_y():
    assert len(Vocabulary()) == 14
    assert Vocabulary.of_size(3, ("+",)).variables == ("x0", "x1", "x2")


@examples(200)
@given(vocabularies())
def test_token_names_are_unique_and_agree_with_the_core(vocabulary):
    assert [vocabulary.token(name) for name in vocabulary.names] == list(range(len(vocabulary)))
    assert len(vocabulary) == len(vocabulary.core) == len(vocabulary.names)
    assert list(vocabulary.arities) == vocabulary.core.arities
    assert [vocabulary.operator(k).name for k in range(len(vocabulary.operators))] == list(
        vocabulary.operators
    )


@examples(100)
@given(vocabularies())
def test_equal_by_value_hashable_and_picklable(vocabulary):
    assert len(vocabulary.core) == len(vocabulary)  # the core's object exists but is not pickled
    for other in (pickle.loads(pickle.dumps(vocabulary)), copy.deepcopy(vocabulary)):
        assert other == vocabulary
        assert hash(other) == hash(vocabulary)
        assert len(other.core) == len(vocabulary)


def test_vocabularies_that_differ_are_unequal():
    base = Vocabulary(("x", "y"), ("add", "sin"))
    assert base != Vocabulary(("y", "x"), ("add", "sin"))
    assert base != Vocabulary(("x", "y"), ("sin", "add"))
    assert base != Vocabulary(("x", "y"), ("add", "sin"), has_one=False)
    assert base != Vocabulary(("x", "y"), ("add", "sin"), has_constant=False)
    with pytest.raises(FrozenInstanceError):
        base.variables = ("a",)


def test_token_finds_symbols_and_bare_names():
    vocabulary = Vocabulary(("sin", "a b", "**"), ("sin", "pow"))
    assert vocabulary.token("sin") == 0
    assert vocabulary.token("`sin`") == vocabulary.first_variable
    assert vocabulary.token("a b") == vocabulary.token("`a b`") == vocabulary.first_variable + 1
    assert vocabulary.token("^") == vocabulary.token("**") == vocabulary.token("pow") == 1
    assert Vocabulary(("sin", "^"), ("cos",)).token("sin") == 3
    with pytest.raises(VocabularyError, match="'cos' is not in this vocabulary, which has: sin, pow"):
        vocabulary.token("cos")
    with pytest.raises(VocabularyError, match=r"'\*\*'"):
        Vocabulary(("^",), ()).token("**")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"variables": ()}, "at least one variable"),
        ({"variables": ("x", "y", "x")}, "variable 'x' is given more than once"),
        ({"variables": ("x", "")}, "name of variable 1 is empty"),
        ({"variables": ("x", 3)}, "name of variable 1 is not a string: 3"),
        ({"variables": "xy"}, "a list of names, not the single text 'xy'"),
        ({"operators": "add"}, "operators must be a list"),
        ({"operators": ("add", "+")}, "operator 'add' is given more than once"),
        ({"operators": ("cosine",)}, "unknown operator 'cosine'"),
        ({"variables": [f"x{k}" for k in range(32767)]}, "at most 32767 tokens, not 32779"),
    ],
)
def test_errors_name_what_is_wrong(arguments, message):
    with pytest.raises(VocabularyError, match=message):
        Vocabulary(**arguments)


def test_as_many_tokens_as_ids_can_be():
    vocabulary = Vocabulary.of_size(32767, (), has_one=False, has_constant=False)
    assert len(vocabulary.core) == 32767
    assert len(Vocabulary(("x",), tuple(OPERATORS))) == len(OPERATORS) + 3
