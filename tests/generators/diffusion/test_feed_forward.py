import pytest
import torch

from ddsr.generators.diffusion.feed_forward import CPU_HIDDEN_BLOCK, CPU_ROW_BLOCK, FeedForward


@pytest.mark.parametrize("hidden", [1, 16, CPU_HIDDEN_BLOCK, 2 * CPU_HIDDEN_BLOCK + 5])
@pytest.mark.parametrize("shape", [(3, 5), (2, CPU_ROW_BLOCK // 2, 1), (5, CPU_ROW_BLOCK // 4 + 3), (0, 4)])
def test_blocks_agree_with_the_plain_layer(hidden, shape):
    torch.manual_seed(0)
    layer = FeedForward(8, hidden)
    x = torch.randn(*shape, 8)
    expected = layer.narrow(torch.relu(layer.widen(x)))
    assert expected.requires_grad and torch.equal(layer(x), expected)  # in training mode
    for mode in (torch.no_grad, torch.inference_mode):
        with mode():
            torch.testing.assert_close(layer(x), expected)


def test_blocks_leave_input_and_weights_alone():
    layer, x = FeedForward(8, 300), torch.randn(4, 6, 8)
    before = [x.clone(), *(weight.detach().clone() for weight in layer.parameters())]
    with torch.no_grad():
        layer(x)
    after = [x, *layer.parameters()]
    assert all(torch.equal(left, right) for left, right in zip(before, after, strict=True))


def test_the_gradient_is_that_of_the_formula():
    layer = FeedForward(4, 20).double()
    assert torch.autograd.gradcheck(layer, torch.randn(3, 4, dtype=torch.float64, requires_grad=True))
