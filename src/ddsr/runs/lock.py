"""One process at a time works in a run folder."""

from __future__ import annotations

import fcntl
import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ddsr.errors import RunError
from ddsr.files import reason_of

FILE = "lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep others out. The system forgets the lock of a process that is gone, however it ended.

    The file stays: were it removed, a process that waits for the old one and one that makes a new one could
    both believe to be alone.
    """
    path = folder / FILE
    try:
        file = path.open("a+")
    except OSError as error:
        raise RunError(f"cannot lock {folder}: {reason_of(error)}") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another process"
            raise RunError(f"{folder} is in use by {holder}: wait for it, or stop it") from None
        except OSError as error:
            raise RunError(f"cannot lock {folder}: {reason_of(error)}") from error
        with suppress(OSError):  # who holds it is for people to know: a full disk does not break the lock
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}")
            file.flush()
        yield
