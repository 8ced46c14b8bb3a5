"""Kernels selected by name, and kernels whose last bits differ."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ddsr import Expression, Vocabulary, _core
from ddsr.engine import values
from ddsr.expression import OPERATORS

# All operators that processors may round differently, and sums of products.
TEXTS = ["sin(x)", "exp(x) + y", "tanh(x * y)", "log(x) ^ 1.7", "atan(x) / cosh(y)", "x * y - 0.3"]
ULP = np.finfo(np.float64).eps

PRINT_VALUES = """
import numpy as np
from ddsr import Expression, Vocabulary, _core
from ddsr.engine import values
from ddsr.expression import OPERATORS
vocabulary = Vocabulary(["x", "y"], OPERATORS)
X = np.random.default_rng(0).uniform(0.5, 2.0, size=(50, 2))
expressions = [Expression.parse(text, vocabulary) for text in %r]
print(_core.instruction_set())
print(values(expressions, X)[0].tobytes().hex())
"""


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("name", _core.instruction_sets())
def test_the_environment_selects_the_kernels(name: str) -> None:
    """All sets agree up to rounding, whichever this process uses."""
    done = run_python(PRINT_VALUES % TEXTS, DDSR_KERNELS=name)
    assert done.returncode == 0, done.stderr
    chosen, printed = done.stdout.split()
    assert chosen == name
    vocabulary = Vocabulary(["x", "y"], OPERATORS)
    X = np.random.default_rng(0).uniform(0.5, 2.0, size=(50, 2))
    here = values([Expression.parse(text, vocabulary) for text in TEXTS], X)[0]
    there = np.frombuffer(bytes.fromhex(printed)).reshape(here.shape)
    np.testing.assert_allclose(there, here, rtol=32 * ULP, atol=32 * ULP)


LISTING = Path("/proc/cpuinfo")
LEVELS = {  # the instructions of each set, as Linux names them
    "avx2": {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe", "abm"},
    "avx512": {"avx512f", "avx512dq", "avx512cd", "avx512bw", "avx512vl"},
}


@pytest.mark.skipif("flags\t" not in (LISTING.read_text() if LISTING.exists() else ""), reason="not listed")
def test_the_sets_are_those_that_the_system_lists() -> None:
    line = next(line for line in LISTING.read_text().splitlines() if line.startswith("flags\t"))
    flags = set(line.partition(":")[2].split())
    expected = ["baseline", *(name for name, needed in LEVELS.items() if needed <= flags)]
    compiled = set(_core.instruction_sets()) | {"baseline"}
    assert _core.instruction_sets() == [name for name in expected if name in compiled]
    if len(compiled) > 1:  # a compiler that knows one set knows both
        assert _core.instruction_sets() == expected


def test_the_fastest_kernels_are_used_unless_others_are_named() -> None:
    code = "from ddsr import _core; print(_core.instruction_set())"
    assert run_python(code, DDSR_KERNELS="").stdout.strip() == _core.instruction_sets()[-1]


def test_an_unknown_name_is_an_error_that_lists_the_known() -> None:
    done = run_python("import ddsr._core", DDSR_KERNELS="mmx")
    assert done.returncode != 0
    assert "DDSR_KERNELS=mmx" in done.stderr
    assert ", ".join(_core.instruction_sets()) in done.stderr


@pytest.mark.parametrize("vector_math", _core.vector_math_choices())
@pytest.mark.parametrize("kernels", _core.instruction_sets())
def test_every_vector_math_agrees_with_numpy(kernels: str, vector_math: str) -> None:
    """Also without libmvec, whose functions are replaced by scalar ones, lane by lane."""
    done = run_python(PRINT_VALUES % TEXTS, DDSR_KERNELS=kernels, DDSR_VECTOR_MATH=vector_math)
    assert done.returncode == 0, done.stderr
    x, y = np.random.default_rng(0).uniform(0.5, 2.0, size=(50, 2)).T
    with np.errstate(invalid="ignore"):  # log(x) ^ 1.7 below 1
        power = np.log(x) ** 1.7
    rows = [np.sin(x), np.exp(x) + y, np.tanh(x * y), power, np.arctan(x) / np.cosh(y), x * y - 0.3]
    expected = np.array(rows)
    found = np.frombuffer(bytes.fromhex(done.stdout.split()[1])).reshape(len(TEXTS), -1)
    is_real = np.isfinite(expected)
    assert not np.isfinite(found[~is_real]).any()
    np.testing.assert_allclose(found[is_real], expected[is_real], rtol=64 * ULP, atol=64 * ULP)


def test_the_c_librarys_vector_math_is_used_unless_the_other_is_named() -> None:
    code = "from ddsr import _core; print(_core.vector_math())"
    assert run_python(code, DDSR_VECTOR_MATH="").stdout.strip() == _core.vector_math_choices()[-1]
    assert run_python(code, DDSR_VECTOR_MATH="scalar").stdout.strip() == "scalar"


def test_unknown_vector_math_is_an_error_that_lists_the_known() -> None:
    done = run_python("import ddsr._core", DDSR_VECTOR_MATH="svml")
    assert done.returncode != 0
    assert "DDSR_VECTOR_MATH=svml" in done.stderr
    assert ", ".join(_core.vector_math_choices()) in done.stderr


def test_values_are_within_rounding_of_numpy_and_repeat_themselves() -> None:
    """Also in a perturbed build, results differ only in the last bit and are reproducible."""
    x = np.random.default_rng(1).uniform(0.1, 3.0, size=(1000, 1))
    expression = Expression.parse("sin(x)", Vocabulary(["x"]))
    first, again = (values([expression], x)[0][0] for _ in range(2))
    np.testing.assert_array_equal(first, again)
    np.testing.assert_allclose(first, np.sin(x[:, 0]), rtol=8 * ULP)


@pytest.mark.skipif(_core.perturbation() == 0, reason="a usual build: make test-perturbed builds the other")
def test_a_perturbed_build_differs_in_last_bits_but_keeps_whole_numbers() -> None:
    x = np.random.default_rng(1).uniform(0.1, 3.0, size=(1000, 1))
    vocabulary = Vocabulary(["x"])
    sine = values([Expression.parse("sin(x)", vocabulary)], x)[0][0]
    assert 0.3 < np.mean(sine != np.sin(x[:, 0])) < 1.0
    one = values([Expression.parse("exp(x - x)", vocabulary)], x)[0][0]
    np.testing.assert_array_equal(one, 1.0)
