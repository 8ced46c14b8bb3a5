import numpy as np
import pytest
from benchmarks.coverage import standard_forms

from ddsr.engine import values
from ddsr.errors import DataError
from ddsr.expression import Batch
from ddsr_pretraining.examples import ExampleMaker, ExampleOptions, Examples

N = 1500
ARRAYS = ("tokens", "constants", "x", "y", "y_clean", "n_variables", "n_rows", "noise")


@pytest.fixture(scope="module")
def maker() -> ExampleMaker:
    return ExampleMaker(ExampleOptions(n_rows=100), seed=3)


@pytest.fixture(scope="module")
def examples(maker: ExampleMaker) -> Examples:
    return maker.make(N, n_threads=2, with_clean=True)


def variables_used(examples: Examples, row: int) -> set[int]:
    first = examples.vocabulary.first_variable
    return {int(token) - first for token in examples.tokens[row] if token >= first}


def test_shapes(examples: Examples) -> None:
    assert examples.tokens.shape == (N, 32) and examples.tokens.dtype == np.int16
    assert examples.constants.shape == (N, 10)
    assert examples.x.shape == (N, 100, 10) and examples.x.dtype == np.float32
    assert examples.y.shape == (N, 100) and examples.y.dtype == np.float32
    assert examples.y_clean is not None and examples.y_clean.shape == (N, 100)
    assert examples.n_rows.shape == examples.n_variables.shape == examples.noise.shape == (N,)
    assert len(examples) == N


def test_padding_is_zero(examples: Examples) -> None:
    for row in range(200):
        assert not examples.x[row, examples.n_rows[row] :].any()
        assert not examples.x[row, :, examples.n_variables[row] :].any()
        assert not examples.y[row, examples.n_rows[row] :].any()
        assert max(variables_used(examples, row)) < examples.n_variables[row]


def test_an_example_depends_on_seed_and_index_alone(maker: ExampleMaker, examples: Examples) -> None:
    some = maker.make(40, n_threads=1, first_index=100, with_clean=True)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(some, name), getattr(examples, name)[100:140])
    other = ExampleMaker(maker.options, seed=4).make(40, first_index=100)
    assert (other.tokens != some.tokens).any(axis=1).mean() > 0.9
    assert other.y_clean is None


def test_indices_beyond_32_bits_are_examples_of_their_own(maker: ExampleMaker) -> None:
    far = maker.make(20, first_index=2**32)
    assert (far.tokens != maker.make(20).tokens).any(axis=1).mean() > 0.9
    np.testing.assert_array_equal(maker.make(1, first_index=2**32 + 19).x[0], far.x[19])


def test_every_expression_obeys_the_grammar(maker: ExampleMaker, examples: Examples) -> None:
    assert maker.grammar.is_legal(examples.tokens).all()


def test_y_is_the_value_of_the_expression(examples: Examples) -> None:
    assert examples.y_clean is not None
    for row in range(300):
        n_rows = examples.n_rows[row]
        expected, is_finite = values([examples.batch[row]], examples.x[row, :n_rows].astype(np.float64))
        assert is_finite.all()
        np.testing.assert_allclose(examples.y_clean[row, :n_rows], expected[0], rtol=1e-6, atol=1e-30)


def test_noise_is_as_large_as_it_is_said_to_be(examples: Examples) -> None:
    assert examples.y_clean is not None
    is_noisy = examples.noise > 0
    np.testing.assert_array_equal(examples.y[~is_noisy], examples.y_clean[~is_noisy])
    many = np.flatnonzero((examples.noise > 0.01) & (examples.n_rows == 100))
    added = examples.y[many].astype(float) - examples.y_clean[many]
    rms = np.sqrt((examples.y_clean[many].astype(float) ** 2).mean(axis=1))
    ratio = added.std(axis=1) / rms / examples.noise[many]
    assert len(many) > 50
    assert abs(ratio.mean() - 1) < 0.03 and (np.abs(ratio - 1) < 0.4).all()


def test_a_standard_form_stays_as_it_is(examples: Examples) -> None:
    names = examples.vocabulary.variables
    for row in range(400):
        seen = examples.x[row, : examples.n_rows[row], : examples.n_variables[row]]
        positive = [names[column] for column in np.flatnonzero((seen > 0).all(axis=0))]
        given = Batch.of([examples.batch[row]])
        again, has_form = standard_forms(given, positive)
        assert has_form.all()
        assert again[0].tokens == given[0].tokens, (str(given[0]), str(again[0]))


def test_every_variable_and_constant_shows(examples: Examples) -> None:
    """Shuffling a variable of the formula changes y, and few data sets look like a straight line."""
    rng = np.random.default_rng(0)
    for row in range(150):
        x = examples.x[row, : examples.n_rows[row]].astype(np.float64)
        base = values([examples.batch[row]], x)[0][0]
        for column in variables_used(examples, row):
            moved = x.copy()
            moved[:, column] = rng.permutation(moved[:, column])
            with np.errstate(invalid="ignore"):
                change = np.sqrt(np.mean((values([examples.batch[row]], moved)[0][0] - base) ** 2))
            assert not change < 1e-3 * base.std()


def test_shares_are_those_of_the_recipe(maker: ExampleMaker, examples: Examples) -> None:
    n_used = np.array([len(variables_used(examples, row)) for row in range(N)])
    assert 0.5 < (n_used <= 3).mean() < 0.72
    assert (n_used <= 6).mean() > 0.9 and (n_used > 6).mean() > 0.02
    assert abs((examples.noise == 0).mean() - 0.5) < 0.06
    assert examples.noise[examples.noise > 0].min() >= 1e-4 and examples.noise.max() <= 0.1
    assert 0.2 < (examples.n_variables > n_used).mean() < 0.4
    assert examples.n_rows.min() >= 20 and (examples.n_rows == 100).mean() > 0.4
    sizes = examples.batch.sizes
    assert (sizes == 1).mean() < 0.01 and (sizes <= 3).mean() < 0.08 and (sizes > 15).mean() > 0.1
    n_positive = sum(bool((examples.x[row, : examples.n_rows[row], 0] > 0).all()) for row in range(N))
    assert 0.5 < n_positive / N < 0.85


def test_operators_all_appear_and_keys_are_many(examples: Examples) -> None:
    counts = np.bincount(examples.tokens[examples.tokens >= 0], minlength=len(examples.vocabulary))
    assert (counts[: len(examples.vocabulary.operators)] > N / 40).all()
    assert len(set(examples.batch.keys())) > 0.8 * N


def test_other_options() -> None:
    options = ExampleOptions(
        max_variables=2,
        max_length=9,
        max_constants=1,
        n_rows=16,
        noisy_share=0.0,
        operators=("add", "sub", "mul", "div", "pow", "tanh", "exp"),
    )
    maker = ExampleMaker(options, seed=1)
    made = maker.make(300)
    assert made.x.shape == (300, 16, 2) and (made.n_rows == 16).all() and not made.noise.any()
    assert maker.grammar.is_legal(made.tokens).all()
    assert (made.tokens == maker.vocabulary.token("tanh")).any()
    assert (made.batch.sizes <= 9).all()


def test_options_are_checked() -> None:
    with pytest.raises(DataError, match="noisy_share"):
        ExampleOptions(noisy_share=1.5)
    with pytest.raises(DataError, match="need these operators: div"):
        ExampleOptions(operators=("add", "sub", "mul", "pow"))
    with pytest.raises(DataError, match="least_noise"):
        ExampleOptions(least_noise=0.2)
