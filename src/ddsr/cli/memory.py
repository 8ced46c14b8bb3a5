"""Report lack of memory in one line, whichever library runs out of it."""

from __future__ import annotations

import errno
import os

from ddsr.errors import DDSRError

NO_MEMORY = "there is not enough memory"
# NumPy, pandas and scikit-learn alone need more address space than this. Under tighter limits (`ulimit -v`)
# their imports do not always fail: some wait forever.
LEAST_ADDRESS_SPACE = 640 * 2**20
# Under a limit below this, libraries must not reserve address space in advance: OpenBLAS ends the process if
# it has no room for its threads, and Arrow, which pandas uses, reserves a gigabyte at once.
ROOM_FOR_RESERVES = 4 * 2**30
MODEST = {"OPENBLAS_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
# Messages of libraries that raise something other than a MemoryError.
WORDS = (
    "failed to map segment from shared object",  # the dynamic linker, as an ImportError
    "cannot allocate memory",
    "can't allocate memory",  # torch
    "can't start new thread",
    "bad_alloc",
    "resource temporarily unavailable",  # std::thread
    "error return without exception set",  # CPython, if there is no memory for the exception
)


class MemoryLimitError(DDSRError):
    """The memory limit of the process is too low for any command."""


def check_memory() -> None:
    """Raise `MemoryLimitError` if the process may use too little address space for any command."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit < 0:
        return
    if limit < ROOM_FOR_RESERVES:
        for name, value in MODEST.items():
            os.environ.setdefault(name, value)
    if limit < LEAST_ADDRESS_SPACE:
        raise MemoryLimitError(
            f"{NO_MEMORY}: this process may use {limit // 2**20} MiB of address space, but ddsr needs at "
            f"least {LEAST_ADDRESS_SPACE // 2**20} MiB. Raise the limit (`ulimit -v`)."
        )


def is_lack_of_memory(error: BaseException) -> bool:
    """Return whether an exception, or one that led to it, says that memory ran out."""
    seen: set[int] = set()
    each: BaseException | None = error
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        if isinstance(each, MemoryError) or (isinstance(each, OSError) and each.errno == errno.ENOMEM):
            return True
        if isinstance(each, (ImportError, OSError, RuntimeError, SystemError)):
            text = str(each).lower()
            if any(word in text for word in WORDS):
                return True
        each = each.__cause__ or each.__context__
    return False
