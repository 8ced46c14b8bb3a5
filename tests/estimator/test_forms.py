"""All forms of a fitted equation agree, for one output and for several."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sympy

from ddsr import DataError, DDSRRegressor

rng = np.random.default_rng(0)
X = pd.DataFrame(rng.uniform(0.5, 3.0, size=(60, 2)), columns=["a-b", "I"])
ONE = X["a-b"] * np.log(X["I"]) + 0.1 * rng.normal(size=60)
SEVERAL = pd.DataFrame({"first": ONE, "second": X["a-b"] * X["I"]})


def fitted(y):
    config = {"batch_size": 500, "max_length": 9}
    return DDSRRegressor("uniform", max_epochs=6, random_state=0, config=config).fit(X, y)


@pytest.fixture(scope="module")
def one():
    return fitted(ONE)


@pytest.fixture(scope="module")
def several():
    return fitted(SEVERAL)


def computed(source, name="equation"):
    namespace: dict = {}
    exec(source, namespace)
    return namespace[name](*X.to_numpy().T)


@pytest.mark.parametrize("index", [None, 0, 2, -1])
def test_all_forms_agree(one, index):
    torch = pytest.importorskip("torch")
    index = len(one.equations_) - 1 if index == -1 else index
    expected = one.predict(X, index)
    np.testing.assert_allclose(computed(one.to_python(index)), expected, rtol=1e-9)
    np.testing.assert_allclose(computed(one.to_python(index, name="f"), "f"), expected, rtol=1e-9)
    function = pickle.loads(pickle.dumps(one.to_numpy(index)))
    np.testing.assert_allclose(function(X), expected, rtol=1e-9)
    module = one.to_torch(index)
    np.testing.assert_allclose(module(torch.tensor(X.to_numpy())).detach(), expected, rtol=1e-9)
    symbols = [sympy.Symbol("a-b"), sympy.Symbol("I")]
    by_sympy = sympy.lambdify(symbols, one.sympy(index), "numpy")(*X.to_numpy().T)
    np.testing.assert_allclose(np.broadcast_to(by_sympy, 60), expected, rtol=1e-6)


def test_latex_has_the_precision_asked_for(one):
    row = len(one.equations_) - 1
    assert len(one.latex(row, precision=2)) < len(one.latex(row))
    assert one.latex() == one.best_.equation.to_latex()


def test_the_latex_table_has_a_row_an_equation(one):
    text = one.latex_table()
    assert text.startswith("\\begin{tabular}{lrrr}\n\\toprule\nEquation & Complexity & Loss & $R^2$ \\\\\n")
    assert text.endswith("\\bottomrule\n\\end{tabular}\n")
    assert text.count(r"\\" + "\n") == len(one.equations_) + 1
    assert f"${one.latex(1, precision=3)}$ & ${one.equations_['complexity'][1]}$" in text
    short = one.latex_table(indices=[1], precision=5, columns=["complexity", "is_best", "equation"])
    assert short.splitlines()[4] == (
        f"${one.equations_['complexity'][1]}$ &  & ${one.latex(1, precision=5)}$ \\\\"
    )
    chosen = one.latex_table(indices=[one.equations_["is_best"].argmax()], columns=["is_best"])
    assert chosen.splitlines()[4] == r"$\ast$ \\"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": ["size"]}, "unknown column 'size'; choose from: equation"),
        ({"indices": [100]}, "an index must be"),
        ({"precision": 0}, "precision must be"),
    ],
)
def test_a_bad_latex_table_is_refused(one, options, message):
    with pytest.raises(DataError, match=message):
        one.latex_table(**options)


def test_several_outputs_have_a_list_of_each(several):
    assert several.n_outputs_ == 2
    for listed in (
        *(several.equations_, several.front_, several.best_, several.curves_, several.stopped_by_),
        *(several.get_best(), several.sympy(), several.latex(), several.latex_table()),
        *(several.to_python(), several.to_numpy(), several.to_torch(), several.confidence_intervals()),
    ):
        assert isinstance(listed, list) and len(listed) == 2
    assert several.stopped_by_[1] == "exact" and several.sympy()[1].free_symbols == set(
        map(sympy.Symbol, X.columns)
    )


def test_several_outputs_predict_a_column_each(several):
    predicted = several.predict(X)
    assert predicted.shape == (60, 2)
    np.testing.assert_allclose(predicted[:, 1], SEVERAL["second"], rtol=1e-9)
    for k, function in enumerate(several.to_numpy()):
        np.testing.assert_allclose(function(X), predicted[:, k])
    assert several.score(X, SEVERAL) == pytest.approx(
        np.mean([table.loc[table["is_best"], "r2"].item() for table in several.equations_])
    )


def test_an_index_is_one_row_for_all_or_a_row_for_each(several):
    assert (several.predict(X, 0) == several.predict(X, [0, 0])).all()
    mixed = several.predict(X, [1, 0])
    assert (mixed[:, 0] == several.predict(X, 1)[:, 0]).all()
    assert (mixed[:, 1] == several.predict(X, 0)[:, 1]).all()
    for index in ([0], [0, 0, 0]):
        with pytest.raises(DataError, match=r"index has \d row\(s\), but there are 2 output\(s\)"):
            several.predict(X, index)
    with pytest.raises(DataError, match="index"):
        several.sympy([0, 1000])
