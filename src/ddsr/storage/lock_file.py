"""Lock files: held by one process at a time, which writes its name into the file."""

from __future__ import annotations

import errno
import os
import platform
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from ddsr.storage.file_locks import locked

SIGNATURE = "process "
LONGEST_HOLDER = 300


class HeldError(Exception):
    """Another process holds the lock; the message names it."""


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Hold the lock; raise `HeldError` if another process has it, `OSError` if the file cannot be locked.

    The system releases the lock whenever the process ends. The file stays: if it were removed,
    one process could lock the old file while another locks a new one. A symbolic link is refused, and the
    content of a file that ddsr did not sign is left as it is.
    """
    with _open(path) as file:
        if not locked(file.fileno()):
            raise HeldError(_content(file) or "another process")
        content = _content(file)
        if not content or content.startswith(SIGNATURE):
            with suppress(OSError):  # the name only informs people; the lock works without it
                file.seek(0)
                file.truncate()
                file.write(f"{SIGNATURE}{os.getpid()} on {platform.node()}")
                file.flush()
        yield


def is_signed(path: Path) -> bool:
    """Return whether there is a lock file that ddsr has signed."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return False
        with path.open("rb") as file:
            return file.read(len(SIGNATURE)) == SIGNATURE.encode()
    except OSError:
        return False


def _open(path: Path) -> TextIO:
    flags = os.O_RDWR | os.O_CREAT
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC"):  # Windows has none of them
        flags |= getattr(os, name, 0)
    try:
        if not hasattr(os, "O_NOFOLLOW") and path.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, f"{path.name} is a symbolic link, not a lock") from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, f"{path.name} is not a regular file")
    return os.fdopen(descriptor, "r+", encoding="utf-8", errors="replace")


def _content(file: TextIO) -> str:
    file.seek(0)
    return file.read(LONGEST_HOLDER).strip()
