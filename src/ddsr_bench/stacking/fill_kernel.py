"""Triton kernels for the backward process of a stack of problems: begin, and fill one step.

The fill is that of core/grammar/fill.cpp. A program fills a block of rows of one problem from left to right,
all rows at the same position. Its random numbers are those of core/random.hpp, so it draws the same tokens as
the native fill, up to rounding.

A slot is one integer: the context of the nesting rules, 1 + the operator above it (0 for the root) and its
place among the operands of that operator.
"""

import triton
import triton.language as tl
from torch import Tensor

from ddsr_bench.stacking.support import Launch

PAD, MASK = tl.constexpr(-1), tl.constexpr(-2)
FIRST_ORDER_STREAM = tl.constexpr(1 << 62)
"""first stream of random numbers for orders; the streams below are for `fill`"""
# How a slot is packed.
PARENT_SHIFT, CONTEXT_SHIFT, PARENT_BITS = tl.constexpr(2), tl.constexpr(9), tl.constexpr(127)
SINGLE, FIRST, SECOND = tl.constexpr(0), tl.constexpr(1), tl.constexpr(2)
# The numbers of remaining uses of all rules share one word, a byte each.
USE_BITS, USE_MASK = tl.constexpr(8), tl.constexpr(255)


@triton.jit
def _random_bits(seed, stream, row, position):
    """Return 32 random bits for each position; four positions share a block."""
    zero = row * 0 + position * 0
    block = (zero + (position >> 2)).to(tl.uint32)
    low = (zero + (stream & 0xFFFFFFFF)).to(tl.uint32)
    high = (zero + (stream >> 32)).to(tl.uint32)
    a, b, c, d = tl.philox(seed, block, (zero + row).to(tl.uint32), low, high)
    which = position & 3
    return tl.where(which == 0, a, tl.where(which == 1, b, tl.where(which == 2, c, d)))


@triton.jit
def _begin_kernel(
    tokens,
    drawn,
    order,
    rows,
    n_rows,
    asked,
    max_rows,
    n_positions,
    ROWS: tl.constexpr,
    LENGTH: tl.constexpr,
):
    problem = tl.program_id(1).to(tl.int64)
    seed = tl.load(asked + problem * 3)
    stream = FIRST_ORDER_STREAM + tl.load(asked + problem * 3 + 1)
    is_active = tl.load(asked + problem * 3 + 2)
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    position = tl.arange(0, LENGTH)[None, :]
    is_row = row < max_rows
    is_place = is_row[:, None] & (position < n_positions)
    base = ((problem * max_rows + row) * n_positions)[:, None]
    tl.store(tokens + base + position, tl.full((ROWS, LENGTH), MASK, tl.int16), mask=is_place)
    tl.store(drawn + base + position, tl.full((ROWS, LENGTH), PAD, tl.int16), mask=is_place)
    tl.store(rows + problem * max_rows + row, row, mask=is_row)
    if tl.program_id(0) == 0:
        step = tl.arange(0, 2 * LENGTH)
        count = tl.where(step == n_positions, max_rows * is_active, 0).to(tl.int32)
        tl.store(n_rows + problem * (n_positions + 1) + step, count, mask=step <= n_positions)
    # The rank of a position is the number of smaller random keys; all keys differ.
    bits = _random_bits(seed, stream, row.to(tl.int64)[:, None], position.to(tl.int64))
    key = (bits.to(tl.int64) << 8) + position
    rank = tl.zeros((ROWS, LENGTH), tl.int32)
    for other in range(n_positions):
        other_key = tl.sum(tl.where(position == other, key, 0), axis=1)
        rank += (other_key[:, None] < key).to(tl.int32)
    tl.store(order + base + rank, (rank * 0 + position).to(tl.int8), mask=is_place)


@triton.jit
def _draw(logits, legal, uniform, ids):
    """Return the token for a random number in (0, 1), like MaskedSoftmax; −1 if nothing is legal."""
    is_legal = ((legal[:, None] >> ids[None, :]) & 1) == 1
    shown = tl.where(is_legal, logits, float("-inf"))
    weights = tl.where(is_legal, tl.exp(shown - tl.max(shown, axis=1)[:, None]), 0.0)
    total = tl.sum(weights, axis=1)
    # With a NaN, +inf or only -inf among the legal logits, all legal tokens are equally likely.
    is_sound = (total > 0.0) & (total < float("inf"))
    weights = tl.where(is_sound[:, None], weights, is_legal.to(tl.float32))
    sums = tl.cumsum(weights, axis=1)
    wanted = uniform * tl.max(sums, axis=1)
    is_candidate = weights > 0.0
    last = tl.max(tl.where(is_candidate, ids[None, :], -1), axis=1)
    first = tl.min(tl.where(is_candidate & (sums > wanted[:, None]), ids[None, :], 64), axis=1)
    return tl.minimum(first, last).to(tl.int32)


@triton.jit(do_not_specialize=["step", "is_alike"])
def _fill_kernel(
    logits,
    tokens,
    next_tokens,
    drawn,
    order,
    rows,
    next_rows,
    n_rows,
    asked,
    allowed,
    below,
    directly_below,
    of_arity_at_most,
    constant_like,
    use_sets,
    use_limits,
    use_steps,
    step,
    is_alike,
    max_rows,
    n_positions,
    vocab_size,
    max_contexts,
    max_uses,
    ROWS: tl.constexpr,
    LENGTH: tl.constexpr,
    VOCABULARY: tl.constexpr,
    USES: tl.constexpr,
):
    problem = tl.program_id(1).to(tl.int64)
    n_rows += problem * (n_positions + 1)
    n_here = tl.load(n_rows + step)
    begin = tl.program_id(0) * ROWS
    if begin < n_here:
        is_row = begin + tl.arange(0, ROWS) < n_here
        row = tl.load(rows + problem * max_rows + begin + tl.arange(0, ROWS), mask=is_row, other=0)
        base = (problem * max_rows + row) * n_positions
        # If all rows are the same, only the first has logits.
        source = (problem * max_rows + tl.where(is_alike != 0, 0, row)) * n_positions * vocab_size
        seed = tl.load(asked + problem * 3)
        stream = tl.load(asked + problem * 3 + 1) * n_positions + step - 1
        chosen = tl.load(order + base + n_positions - step, mask=is_row, other=0).to(tl.int32)
        leaves = tl.load(of_arity_at_most + problem * 3)
        up_to_one = tl.load(of_arity_at_most + problem * 3 + 1)
        up_to_two = tl.load(of_arity_at_most + problem * 3 + 2)
        constants = tl.load(constant_like + problem)
        allowed += problem * max_contexts
        below += problem * max_contexts * vocab_size
        directly_below += problem * (vocab_size + 1)
        use_sets += problem * max_uses
        use_steps += problem * vocab_size

        ids = tl.arange(0, VOCABULARY)
        logits_here = logits + source[:, None] + ids[None, :]
        is_logit = is_row[:, None] & (ids < vocab_size)[None, :]
        columns = tl.arange(0, LENGTH)[None, :]
        slots = tl.zeros((ROWS, LENGTH), tl.int32)
        n_open = is_row.to(tl.int32)
        uses_left = tl.zeros((ROWS,), tl.int64) + tl.load(use_limits + problem)
        previous = tl.zeros((ROWS,), tl.int32)
        is_whole = n_open
        next_logits = tl.load(logits_here, mask=is_logit, other=0.0)
        next_kept = tl.load(tokens + base, mask=is_row, other=MASK).to(tl.int32)
        i = 0
        while (i < n_positions) & (tl.max(n_open, axis=0) > 0):
            here, kept = next_logits, next_kept
            # loaded now for the next position
            has_next = is_row & (tl.zeros((ROWS,), tl.int32) + i + 1 < n_positions)
            next_logits = tl.load(
                logits_here + (i + 1) * vocab_size, mask=is_logit & has_next[:, None], other=0.0
            )
            next_kept = tl.load(tokens + base + i + 1, mask=has_next, other=MASK).to(tl.int32)

            is_open = n_open > 0
            slot = tl.sum(tl.where(columns == i, slots, 0), axis=1)
            context = slot >> CONTEXT_SHIFT
            place = slot & 3
            room = n_positions - i - n_open
            legal = tl.load(allowed + context, mask=is_open, other=0)
            legal &= tl.load(directly_below + ((slot >> PARENT_SHIFT) & PARENT_BITS), mask=is_open, other=0)
            legal &= tl.where(room >= 2, up_to_two, tl.where(room == 1, up_to_one, leaves))
            follows_constant = (place == SECOND) & (((constants >> previous) & 1) == 1)
            forbidden = tl.where((place == SINGLE) | follows_constant, constants, 0)
            for rule in tl.static_range(USES):
                left = (uses_left >> (USE_BITS * rule)) & USE_MASK
                forbidden |= tl.where(left == 0, tl.load(use_sets + rule), 0)
            legal &= ~forbidden

            stays = (kept >= 0) & (((legal >> tl.maximum(kept, 0)) & 1) == 1)
            bits = _random_bits(seed, stream, row.to(tl.int64), tl.zeros((ROWS,), tl.int64) + i)
            uniform = ((bits >> 9).to(tl.float32) + 0.5) * (1.0 / (1 << 23))
            token = tl.maximum(tl.where(stays, kept, _draw(here, legal, uniform, ids)), 0)

            is_shown = is_open & ((kept >= 0) | (chosen == i))
            tl.store(drawn + base + i, tl.where(is_open, token, PAD).to(tl.int16), mask=is_row)
            tl.store(next_tokens + base + i, tl.where(is_shown, token, MASK).to(tl.int16), mask=is_row)
            is_whole &= (is_shown | ~is_open).to(tl.int32)

            arity = (2 - ((up_to_one >> token) & 1) - ((leaves >> token) & 1)).to(tl.int32)
            context = tl.load(below + context * vocab_size + token, mask=is_open, other=0).to(tl.int32)
            operand = (context << CONTEXT_SHIFT) | ((token + 1) << PARENT_SHIFT)
            first = operand | tl.where(arity == 2, FIRST, SINGLE)
            free = (i + n_open)[:, None]
            slots = tl.where(columns == free, first[:, None], slots)
            slots = tl.where(columns == free + 1, (operand | SECOND)[:, None], slots)
            uses_left -= tl.load(use_steps + token, mask=is_open, other=0)
            n_open += tl.where(is_open, arity - 1, 0)
            previous = token
            i += 1

        is_behind = is_row[:, None] & (columns >= i) & (columns < n_positions)
        places = base[:, None] + columns
        tl.store(drawn + places, tl.full((ROWS, LENGTH), PAD, tl.int16), mask=is_behind)
        tl.store(next_tokens + places, tl.full((ROWS, LENGTH), MASK, tl.int16), mask=is_behind)
        # List the rows with masked positions for the next step; their order does not matter.
        goes_on = is_row.to(tl.int32) - is_whole
        start = tl.atomic_add(n_rows + step - 1, tl.sum(goes_on, axis=0))
        at = start + tl.cumsum(goes_on, axis=0) - goes_on
        tl.store(next_rows + problem * max_rows + at, row, mask=goes_on == 1)


def launch_begin(
    tokens: Tensor, drawn: Tensor, order: Tensor, rows: Tensor, n_rows: Tensor, asked: Tensor, launch: Launch
) -> None:
    """Mask all tokens (S, R, M), draw the orders (S, R, M), and list the rows of active problems.

    `asked` (S, 3) has the seed, the epoch and whether the problem is active. An order depends on seed, epoch
    and row.
    """
    n_problems, max_rows, n_positions = drawn.shape
    _begin_kernel[(triton.cdiv(max_rows, launch.fill_rows), n_problems)](
        tokens,
        drawn,
        order,
        rows,
        n_rows,
        asked,
        max_rows,
        n_positions,
        ROWS=launch.fill_rows,
        LENGTH=triton.next_power_of_2(n_positions),
    )


def launch_fill(
    logits: Tensor,
    tokens: tuple[Tensor, Tensor],
    drawn: Tensor,
    order: Tensor,
    rows: tuple[Tensor, Tensor],
    n_rows: Tensor,
    asked: Tensor,
    tables: tuple[Tensor, ...],
    n_uses: int,
    step: int,
    is_alike: bool,
    launch: Launch,
) -> None:
    """Fill the listed rows from the logits (S, R, M, V), and keep one more position of each.

    `tokens` and `rows` are those of this step and of the next. `tables` are those of `StackedTables`; of
    their rules on uses, the first `n_uses` apply.
    """
    n_problems, max_rows, n_positions, vocab_size = logits.shape
    allowed, use_sets = tables[0], tables[5]
    _fill_kernel[(triton.cdiv(max_rows, launch.fill_rows), n_problems)](
        logits,
        *tokens,
        drawn,
        order,
        *rows,
        n_rows,
        asked,
        *tables,
        step,
        int(is_alike),
        max_rows,
        n_positions,
        vocab_size,
        allowed.shape[1],
        use_sets.shape[1],
        ROWS=launch.fill_rows,
        LENGTH=triton.next_power_of_2(n_positions),
        VOCABULARY=max(16, triton.next_power_of_2(vocab_size)),
        USES=n_uses,
        num_warps=launch.fill_warps,
    )
