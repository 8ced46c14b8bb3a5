"""Triton kernel for the denoisers of a stack of problems: the whole network in one kernel.

A program predicts a few sequences of one problem, whose activations stay on the chip. Products have mantissas
of 10 bits: half precision in the feed-forward layers, TF32 elsewhere. Sums are in single precision.
"""

import triton
import triton.language as tl
from torch import Tensor

from ddsr_bench.stacking.support import Launch


@triton.jit
def _standardised(x, WIDTH: tl.constexpr):
    centred = x - (tl.sum(x, axis=1) / WIDTH)[:, None]
    variance = tl.sum(centred * centred, axis=1) / WIDTH
    return centred * tl.rsqrt(variance + 1e-5)[:, None]


@triton.jit
def _normed(x, at, WIDTH: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    scaled = _standardised(x, WIDTH) * tl.load(at + columns)[None, :]
    return scaled + tl.load(at + WIDTH + columns)[None, :]


@triton.jit
def _linear(x, at, WIDTH: tl.constexpr, PRECISION: tl.constexpr):
    columns = tl.arange(0, WIDTH)
    # the weight is (outputs, inputs), taken as (inputs, outputs)
    weight = tl.load(at + columns[None, :] * WIDTH + columns[:, None])
    bias = tl.load(at + WIDTH * WIDTH + columns)
    return tl.dot(x, weight, input_precision=PRECISION) + bias[None, :]


@triton.jit
def _attended(
    x,
    context,
    at,
    n_positions,
    SEQUENCES: tl.constexpr,
    LENGTH: tl.constexpr,
    WIDTH: tl.constexpr,
    PRECISION: tl.constexpr,
):
    """Attend from every position of `x` to every position of its sequence in `context`.

    Keys and values are the context itself: their weights are in those of query and output (network.py).
    """
    query = tl.reshape(_linear(x, at, WIDTH, PRECISION), (SEQUENCES, LENGTH, WIDTH))
    seen = tl.reshape(context, (SEQUENCES, LENGTH, WIDTH))
    scores = tl.dot(query, tl.permute(seen, (0, 2, 1)), input_precision=PRECISION)
    is_position = tl.arange(0, LENGTH) < n_positions
    scores = tl.where(is_position[None, None, :], scores, float("-inf"))
    shares = tl.exp(scores - tl.max(scores, axis=2)[:, :, None])
    mixed = tl.dot(shares, seen, input_precision=PRECISION) / tl.sum(shares, axis=2)[:, :, None]
    mixed = tl.reshape(mixed, (SEQUENCES * LENGTH, WIDTH))
    return _linear(mixed, at + WIDTH * WIDTH + WIDTH, WIDTH, PRECISION)


@triton.jit
def _rectified(x, HAS_PTX: tl.constexpr):
    """Return relu(x) in half precision."""
    if HAS_PTX:
        # One instruction for two numbers instead of three; most of the time is spent here.
        return tl.inline_asm_elementwise(
            "cvt.rn.relu.f16x2.f32 $0, $2, $1;", "=r,r,r", [x], dtype=tl.float16, is_pure=True, pack=2
        )
    else:
        return tl.maximum(x, 0.0).to(tl.float16)


@triton.jit
def _fed_forward(
    x,
    wide,
    bias,
    WIDTH: tl.constexpr,
    HIDDEN_WIDTH: tl.constexpr,
    HIDDEN_BLOCK: tl.constexpr,
    HAS_PTX: tl.constexpr,
):
    """Return x + W₂ relu(W₁ norm(x) + b₁) + b₂; the norm and b₁ are folded into W₁ (see network.py)."""
    columns = tl.arange(0, WIDTH)
    inputs = (_standardised(x, WIDTH) + 1.0).to(tl.float16)
    total = x + tl.load(bias + columns)[None, :]
    for start in range(0, HIDDEN_WIDTH, HIDDEN_BLOCK):
        hidden = start + tl.arange(0, HIDDEN_BLOCK)
        first = tl.load(wide + hidden[None, :] * WIDTH + columns[:, None])
        second = tl.load(wide + HIDDEN_WIDTH * WIDTH + columns[None, :] * HIDDEN_WIDTH + hidden[:, None])
        activated = _rectified(tl.dot(inputs, first), HAS_PTX)
        total = tl.dot(activated, second, total)
    return total


@triton.jit(do_not_specialize=["step", "most_rows"])
def _kernel(
    tokens,
    rows,
    n_rows,
    small,
    wide,
    position_codes,
    step_codes,
    vocab_sizes,
    logits,
    step,
    most_rows,
    max_rows,
    n_positions,
    small_size,
    vocab_size,
    WIDTH: tl.constexpr,
    HIDDEN_WIDTH: tl.constexpr,
    HIDDEN_BLOCK: tl.constexpr,
    SEQUENCES: tl.constexpr,
    LENGTH: tl.constexpr,
    VOCABULARY: tl.constexpr,
    PRECISION: tl.constexpr,
    HAS_PTX: tl.constexpr,
):
    problem = tl.program_id(1).to(tl.int64)
    n_here = tl.minimum(tl.load(n_rows + problem * (n_positions + 1) + step), most_rows)
    first = tl.program_id(0) * SEQUENCES
    if first < n_here:
        ATTENTION: tl.constexpr = 2 * (WIDTH * WIDTH + WIDTH)
        NORM: tl.constexpr = 2 * WIDTH
        HALF: tl.constexpr = WIDTH // 2
        FEED_FORWARD: tl.constexpr = 2 * HIDDEN_WIDTH * WIDTH
        columns = tl.arange(0, WIDTH)[None, :]
        places = tl.arange(0, SEQUENCES * LENGTH)
        position = places % LENGTH
        index = first + places // LENGTH
        row = tl.load(rows + problem * max_rows + index, mask=index < n_here, other=0)
        is_token = (index < n_here) & (position < n_positions)
        place = (problem * max_rows + row) * n_positions + position
        at = small + problem * small_size
        wide += problem * 2 * FEED_FORWARD

        # The weights of the layers are in the order of their use, those of the vocabulary come last.
        to_logits = at + 5 * NORM + 3 * ATTENTION + 2 * WIDTH
        embedding = to_logits + vocab_size * (WIDTH + 1)
        shown = tl.load(tokens + place, mask=is_token, other=-1).to(tl.int32)
        ids = tl.where(shown >= 0, shown, tl.load(vocab_sizes + problem))
        sequence = tl.load(embedding + ids[:, None] * WIDTH + columns)
        is_position_code = (columns < HALF) & (position < n_positions)[:, None]
        sequence += tl.load(
            position_codes + position[:, None] * HALF + columns, mask=is_position_code, other=0.0
        )
        sequence += tl.load(step_codes + step * HALF + columns - HALF, mask=columns >= HALF, other=0.0)

        normed = _normed(sequence, at, WIDTH)
        at += NORM
        encoded = sequence + _attended(normed, normed, at, n_positions, SEQUENCES, LENGTH, WIDTH, PRECISION)
        at += ATTENTION
        encoded = _fed_forward(encoded, wide, at, WIDTH, HIDDEN_WIDTH, HIDDEN_BLOCK, HAS_PTX)
        at += WIDTH
        encoded = _normed(encoded, at, WIDTH)
        at += NORM

        normed = _normed(sequence, at, WIDTH)
        at += NORM
        decoded = sequence + _attended(normed, normed, at, n_positions, SEQUENCES, LENGTH, WIDTH, PRECISION)
        at += ATTENTION
        normed = _normed(decoded, at, WIDTH)
        at += NORM
        decoded += _attended(normed, encoded, at, n_positions, SEQUENCES, LENGTH, WIDTH, PRECISION)
        at += ATTENTION
        decoded = _fed_forward(decoded, wide + FEED_FORWARD, at, WIDTH, HIDDEN_WIDTH, HIDDEN_BLOCK, HAS_PTX)
        at += WIDTH
        normed = _normed(decoded, at, WIDTH)

        ids = tl.arange(0, VOCABULARY)
        is_id = ids < vocab_size
        inputs = tl.arange(0, WIDTH)[:, None]
        weight = tl.load(to_logits + ids[None, :] * WIDTH + inputs, mask=is_id[None, :], other=0.0)
        bias = tl.load(to_logits + vocab_size * WIDTH + ids, mask=is_id, other=0.0)
        predicted = tl.dot(normed, weight, input_precision=PRECISION) + bias[None, :]
        tl.store(
            logits + place[:, None] * vocab_size + ids[None, :],
            predicted,
            mask=is_token[:, None] & is_id[None, :],
        )


def launch_forward(
    tokens: Tensor,
    rows: Tensor,
    n_rows: Tensor,
    weights: tuple[Tensor, Tensor, Tensor, Tensor, Tensor],
    logits: Tensor,
    step: int,
    most_rows: int,
    width: int,
    launch: Launch,
) -> None:
    """Write the logits (S, R, M, V) of the listed rows of tokens (S, R, M).

    These are the first `n_rows[s, step]` entries of `rows[s]`, but at most `most_rows`. `weights` are those
    of `KernelWeights.of_kernel`.
    """
    n_problems, max_rows, n_positions, vocab_size = logits.shape
    small, wide = weights[:2]
    length = max(16, triton.next_power_of_2(n_positions))
    # Wide activations need more memory on the chip.
    n_sequences = max(1, launch.n_tokens * 32 // max(width, 32) // length)
    _kernel[(triton.cdiv(min(most_rows, max_rows), n_sequences), n_problems)](
        tokens,
        rows,
        n_rows,
        *weights,
        logits,
        step,
        most_rows,
        max_rows,
        n_positions,
        small.shape[1],
        vocab_size,
        WIDTH=width,
        HIDDEN_WIDTH=wide.shape[1] // (4 * width),
        HIDDEN_BLOCK=launch.hidden_block,
        SEQUENCES=n_sequences,
        LENGTH=length,
        VOCABULARY=max(16, triton.next_power_of_2(vocab_size)),
        PRECISION=launch.precision,
        HAS_PTX=tokens.is_cuda,
        num_warps=launch.predict_warps,
        num_stages=launch.predict_stages,
        maxnreg=launch.max_registers,
    )
