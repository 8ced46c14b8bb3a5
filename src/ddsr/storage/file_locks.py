"""Locks of open files, which the system releases when the process ends, also on Windows."""

from __future__ import annotations

import errno
import os
from importlib import import_module
from typing import Any

# Windows locks bytes, and no other process can read a locked byte. This one is far behind any content.
LOCKED_BYTE = 2**30
HELD = (errno.EACCES, errno.EDEADLK)


def locked(descriptor: int) -> bool:
    """Lock the file until it is closed; return False if another process has locked it."""
    try:
        import fcntl
    except ImportError:  # Windows
        return _locked_byte(descriptor, import_module("msvcrt"))
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _locked_byte(descriptor: int, msvcrt: Any) -> bool:
    position = os.lseek(descriptor, 0, os.SEEK_CUR)
    os.lseek(descriptor, LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        if error.errno in HELD:
            return False
        raise
    finally:
        os.lseek(descriptor, position, os.SEEK_SET)
    return True
