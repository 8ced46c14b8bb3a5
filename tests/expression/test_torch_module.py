"""The torch module computes the expression's values, and its constants can be trained."""

import io

import numpy as np
import pytest
from hypothesis import given

from ddsr import Expression, Vocabulary
from ddsr.expression import OPERATORS
from strategies import FULL, data, examples, expressions, mild_floats

torch = pytest.importorskip("torch")


def subtrees(node):
    yield node
    for child in node.children:
        yield from subtrees(child)


@examples(100)
@given(expressions(FULL, 12, mild_floats))
def test_agrees_with_numpy(expression):
    X = data()
    found = expression.to_torch()(torch.tensor(X)).detach().numpy()
    values = expression.to_callable()(X)
    assert found.shape == values.shape
    # where any part is huge, its last bits decide the sine above it
    parts = [Expression.from_tree(FULL, part).to_callable()(X) for part in subtrees(expression.tree)]
    is_tame = (np.abs(parts) < 1e6).all(axis=0)
    np.testing.assert_allclose(found[is_tame], values[is_tame], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_its_function(name):
    text = f"{name}(x, y)" if OPERATORS[name].arity == 2 else f"{name}(x)"
    expression = Expression.parse(text, FULL)
    X = np.array([[0.3, 0.7, 0.0], [0.9, 0.2, 0.0]])
    found = expression.to_torch()(torch.tensor(X)).detach().numpy()
    np.testing.assert_allclose(found, expression.to_callable()(X), rtol=1e-14)


def test_constants_are_trained():
    X = torch.linspace(0.5, 3.0, 50, dtype=torch.float64)[:, None]
    module = Expression.parse("2.0 * sin(1.1 * x)", Vocabulary(("x",))).to_torch()
    optimizer = torch.optim.LBFGS(module.parameters(), max_iter=100)
    target = 3.0 * torch.sin(1.3 * X[:, 0])

    def loss():
        optimizer.zero_grad()
        error = ((module(X) - target) ** 2).mean()
        error.backward()
        return error

    optimizer.step(loss)
    assert sorted(module.constants.tolist()) == pytest.approx([1.3, 3.0], rel=1e-4)
    assert "sin(1." in repr(module)


def test_gradients_reach_the_data_and_a_state_can_be_loaded():
    expression = Expression.parse("2.5 * x^2 + y", Vocabulary(("x", "y")))
    X = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64, requires_grad=True)
    module = expression.to_torch()
    module(X).sum().backward()
    torch.testing.assert_close(X.grad[:, 0], 5.0 * X.detach()[:, 0])
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    twin = expression.with_constants([0.0] * expression.n_constants).to_torch()
    twin.load_state_dict(torch.load(io.BytesIO(file.getvalue())))
    torch.testing.assert_close(twin(X), module(X))


def test_a_number_alone_has_one_value_per_row():
    module = Expression.parse("2.5", Vocabulary(("x",))).to_torch()
    assert module(torch.zeros(3, 1, dtype=torch.float64)).tolist() == [2.5] * 3
    assert module.float()(torch.zeros(3, 1)).dtype == torch.float32


def test_the_shape_of_X_is_checked():
    with pytest.raises(ValueError, match=r"\(n_rows, 2\), not \(3, 1\)"):
        Expression.parse("x", Vocabulary(("x", "y"))).to_torch()(torch.zeros(3, 1))
