"""Device of the networks: CPU or GPU, and whether a batch fits into its memory."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ddsr.config import PaperConfig, SearchConfig
from ddsr.errors import DeviceError, MethodError, did_you_mean

if TYPE_CHECKING:
    import torch

DEVICES = ("auto", "cpu", "cuda")
BYTES_OF_A_FLOAT = 4
# On a GPU, the inner layer of a feed-forward block is held before and after its activation.
WIDE_COPIES = 2
# On the CPU, draws are predicted in small chunks. Only logits are held for the whole batch: once per distinct
# row, and as passed to the grammar. A training step holds each block's inner layer, and gradients' copies.
LOGITS_COPIES, BACKWARD_COPIES = 2, 4
# Tokens, their parents, siblings and log-probabilities; constants before and after a fit; masks and odds.
ROW_COPIES = 4


def has_torch() -> bool:
    """Return whether torch, which trains networks, is installed."""
    return find_spec("torch") is not None


def check_torch(what: str) -> None:
    """Raise an error that says how to install torch, unless it is installed."""
    if not has_torch():
        raise MethodError(f"{what} needs PyTorch: pip install 'ddsr[torch]'")


def check_device(device: str) -> None:
    """Raise an error for unknown devices and unusable GPUs; torch is imported only for a GPU."""
    if device not in DEVICES:
        hint = did_you_mean(device, DEVICES)
        raise MethodError(f"unknown device {device!r}{hint}; choose from: {', '.join(DEVICES)}")
    if device == "cuda":
        check_torch("the device 'cuda'")
        import torch

        if not torch.cuda.is_available():
            raise MethodError(
                "torch finds no CUDA GPU: use the device 'cpu' or 'auto', or install a CUDA build of torch"
            )
        try:
            torch.zeros(1, device=device)
        except torch.OutOfMemoryError:
            pass  # check_memory reports how much memory is missing
        except RuntimeError as error:
            reason = str(error).splitlines()[0]
            raise DeviceError(
                f"the CUDA GPU cannot be used now: {reason}. "
                "Check with nvidia-smi which processes use the GPU, or use the device 'cpu'."
            ) from error


def find_device(device: str) -> torch.device:
    """Return the torch device of a checked name; `auto` is the GPU if there is one."""
    check_torch("this method")
    import torch

    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(device)


def check_memory(config: PaperConfig, device: str, vocab_size: int) -> None:
    """Raise an error if a batch does not fit into the free memory.

    Torch is imported only if a GPU may be used.
    """
    kind = find_device(device).type if device == "auto" else device
    needed = forward_bytes(config) if kind == "cuda" else chunked_bytes(config, vocab_size)
    free = free_bytes(kind)
    if free is not None and needed > free:
        raise MethodError(
            f"a batch of {config.batch_size} drawn {config.oversampling} times over takes about "
            f"{needed / 2**30:.1f} GiB, but {kind} has {free / 2**30:.1f} GiB free: "
            "lower batch_size, oversampling, elite_fraction, max_length or denoiser.feed_forward_width"
        )


def check_rows(config: SearchConfig, vocab_size: int) -> None:
    """Check the memory that rows need, for methods without a network or that draw token by token."""
    needed, free = rows_bytes(config, vocab_size), free_bytes("cpu")
    if free is not None and needed > free:
        raise MethodError(
            f"a batch of {config.batch_size} takes about {needed / 2**30:.1f} GiB, but there are "
            f"{free / 2**30:.1f} GiB free: lower batch_size, max_length or max_constants"
        )


def rows_bytes(config: SearchConfig, vocab_size: int) -> int:
    """Estimate the bytes of drawn expressions: data per position, constants, and odds of one token."""
    n_floats = ROW_COPIES * (config.max_length + 2 * config.max_constants + vocab_size)
    return config.batch_size * n_floats * BYTES_OF_A_FLOAT


def forward_bytes(config: PaperConfig) -> int:
    """Estimate the peak bytes of a forward pass on a GPU: the inner layer for all drawn expressions."""
    n_positions = config.oversampling * config.batch_size * config.max_length
    return n_positions * config.denoiser.feed_forward_width * BYTES_OF_A_FLOAT * WIDE_COPIES


def chunked_bytes(config: PaperConfig, vocab_size: int) -> int:
    """Estimate the peak bytes of an epoch on the CPU: all logits, or a step on the whole pool."""
    n_drawn, denoiser = config.oversampling * config.batch_size, config.denoiser
    logits = n_drawn * vocab_size * LOGITS_COPIES
    n_copies = denoiser.n_encoder_layers + denoiser.n_decoder_layers + BACKWARD_COPIES
    step = 2 * config.n_elites * denoiser.feed_forward_width * n_copies
    return max(logits, step) * config.max_length * BYTES_OF_A_FLOAT


def free_bytes(kind: str) -> int | None:
    """Return the free bytes of a `cpu` or `cuda` device; None if the system does not report them."""
    if kind == "cpu":
        return _free_ram()
    import torch

    free, _ = torch.cuda.mem_get_info()
    # Memory that torch holds from earlier work can be reused.
    return free + torch.cuda.memory_reserved() - torch.cuda.memory_allocated()


def _free_ram() -> int | None:
    try:
        with open("/proc/meminfo") as lines:  # unlike sysconf, this counts caches that the kernel can free
            kibibytes = dict(line.split(":") for line in lines)["MemAvailable"].split()[0]
        return int(kibibytes) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
