"""Deeply nested expressions and files work, or an error of ddsr says what is wrong."""

import json

import numpy as np
import pytest

from ddsr.errors import DataError, DDSRError, ExpressionError
from ddsr.expression import Expression, Vocabulary
from ddsr.generators.prior.tensor_file import METADATA, checksum_of, read_tensors, write_tensors
from ddsr.generators.prior.weights import PriorFile
from ddsr.storage.files import parse_json
from ddsr_pretraining.checkpoint import load_checkpoint
from ddsr_pretraining.scores import read_scores
from prior_cases import write_weights

DEEP = "[" * 100_000
VOCABULARY = Vocabulary(["x"])


@pytest.fixture(scope="module", params=["sin", "exp", pytest.param("log", marks=pytest.mark.slow)])
def nested(request):
    return Expression.parse(f"{request.param}(" * 1000 + "x" + ")" * 1000, VOCABULARY)


def test_a_thousand_calls_are_parsed_printed_and_evaluated(nested):
    assert Expression.parse(nested.text(), VOCABULARY) == nested
    assert "x" in nested.to_latex() and nested.depth == 1001
    assert nested.to_callable()(np.ones((3, 1))).shape == (3,)
    assert len(nested.simplified()) <= len(nested)


@pytest.mark.parametrize("form", ["to_sympy", "complexity", "to_python"])
def test_forms_that_python_cannot_hold_end_with_our_error(nested, form):
    """Some simplify to a shallow form, which is no error."""
    try:
        getattr(nested, form)()
    except ExpressionError as error:
        assert "nested too deeply" in str(error) and "1001 levels" in str(error)


@pytest.mark.parametrize("form", ["to_sympy", "complexity", "to_python"])
def test_sines_of_sines_are_refused(form):
    nested = Expression.parse("sin(" * 1000 + "x" + ")" * 1000, VOCABULARY)
    with pytest.raises(ExpressionError, match="nested too deeply"):
        getattr(nested, form)()


def test_source_of_a_hundred_calls_compiles():
    nested = Expression.parse("sin(" * 100 + "x" + ")" * 100, VOCABULARY)
    compile(nested.to_python(), "equation", "exec")


def test_json_that_is_nested_deeply_is_a_value_error():
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(DEEP)
    assert parse_json("[1]") == [1]


def test_weights_scores_and_trainings_are_refused(tmp_path):
    header = DEEP.encode()
    (tmp_path / "deep.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    (tmp_path / "scores.json").write_text(DEEP)
    (tmp_path / "state.json").write_text(DEEP)
    for read, path in [
        (read_tensors, tmp_path / "deep.safetensors"),
        (read_scores, tmp_path / "scores.json"),
        (load_checkpoint, tmp_path),
    ]:
        with pytest.raises(DDSRError, match="nested too deeply"):
            read(path)


def test_a_card_that_is_nested_deeply_is_refused(tmp_path):
    path = tmp_path / "card.safetensors"
    write_tensors(path, {"a": np.zeros(2, np.float32)}, {"card": DEEP})
    with pytest.raises(DataError, match="nested too deeply"):
        PriorFile.read(path)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_weights_that_are_not_finite_are_refused(tmp_path, value):
    """The checksum is right, but the numbers are useless."""
    path = tmp_path / "weights.safetensors"
    write_weights(path)
    arrays, texts = read_tensors(path)
    name = next(iter(arrays))
    arrays[name] = arrays[name].copy()
    arrays[name].flat[0] = value
    assert write_tensors(path, arrays, texts) == checksum_of(arrays, texts)
    assert METADATA not in json.loads(texts["card"])
    with pytest.raises(DataError, match="NaN or infinite"):
        PriorFile.read(path)
