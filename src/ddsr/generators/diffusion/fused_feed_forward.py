"""W₂ relu(W₁ x + b₁) + b₂ on a GPU without storing the hidden layer, in Triton."""

import triton
import triton.language as tl
from torch import Tensor, empty_like, nn

ROW_BLOCK = 128


@triton.jit
def _kernel(
    x, w1, b1, w2, b2, out, n_rows, n_hidden, WIDTH: tl.constexpr, ROWS: tl.constexpr, HIDDEN: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    columns = tl.arange(0, WIDTH)
    is_row = rows[:, None] < n_rows
    places = rows[:, None] * WIDTH + columns[None, :]
    inputs = tl.load(x + places, mask=is_row, other=0.0)
    total = tl.zeros((ROWS, WIDTH), dtype=tl.float32) + tl.load(b2 + columns)[None, :]
    for start in range(0, n_hidden, HIDDEN):
        hidden = start + tl.arange(0, HIDDEN)
        # W₁ is (hidden, width), taken as (width, hidden); W₂ is (width, hidden), taken as (hidden, width)
        first = tl.load(w1 + hidden[None, :] * WIDTH + columns[:, None])
        second = tl.load(w2 + columns[None, :] * n_hidden + hidden[:, None])
        wide = tl.dot(inputs, first) + tl.load(b1 + hidden)[None, :]
        total += tl.dot(tl.maximum(wide, 0.0), second)
    tl.store(out + places, total, mask=is_row)


def fused_feed_forward(x: Tensor, widen: nn.Linear, narrow: nn.Linear, hidden_block: int) -> Tensor:
    """Apply `widen`, relu and `narrow`, with products in TF32 and sums in single precision."""
    rows = x.reshape(-1, x.shape[-1]).contiguous()
    out = empty_like(rows)
    n_rows, width = rows.shape
    _kernel[(-(-n_rows // ROW_BLOCK),)](
        rows,
        widen.weight,
        widen.bias,
        narrow.weight,
        narrow.bias,
        out,
        n_rows,
        widen.out_features,
        WIDTH=width,
        ROWS=ROW_BLOCK,
        HIDDEN=hidden_block,
    )
    return out.reshape(x.shape)
