"""Atomic file writes: a file is written under another name, synced, and renamed."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

from ddsr.errors import RunError

# Suffix of files that are being written. It identifies leftovers of a killed process.
ASIDE = ".being-written"
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def write_whole(path: Path, data: bytes) -> None:
    """Write the file, or keep the old one if the disk is full or the process is killed."""
    aside = path.with_name(f".{path.name}.{os.getpid()}{ASIDE}")
    try:
        aside.unlink(missing_ok=True)
        with aside.open("xb") as file:  # never follow an existing link
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, path)
        _wait_for_folder(path.parent)
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError) and not path.parent.exists()
        reason = f"there is no folder {path.parent}" if is_missing else reason_of(error)
        raise RunError(f"cannot write {path}: {reason}") from error
    finally:
        with suppress(OSError):
            aside.unlink(missing_ok=True)


def parse_json(text: str | bytes) -> Any:
    """Parse JSON; also raise `ValueError` if it is nested too deeply or has text that cannot be written."""
    try:
        parsed = json.loads(text)
        if SURROGATE.search(text if isinstance(text, bytes) else text.encode()):
            json.dumps(parsed, ensure_ascii=False).encode()
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    except UnicodeEncodeError:
        raise ValueError("it contains a lone surrogate, which is not text") from None
    return parsed


def read_regular(path: Path) -> bytes:
    """Return the bytes of a regular file; raise `OSError` for anything else, such as a pipe."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is not a regular file", str(path))
        with open(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def read_whole(path: Path, what: str) -> bytes:
    """Return the bytes of a file; `what` names it in the error if it does not exist."""
    try:
        return read_regular(path)
    except FileNotFoundError:
        raise RunError(f"there is no {what} at {path}") from None
    except OSError as error:
        raise RunError(f"cannot read {path}: {reason_of(error)}") from error


def clear_leftovers(folder: Path) -> None:
    """Remove the leftovers of killed processes."""
    for leftover in folder.glob(f".*{ASIDE}"):
        with suppress(OSError):
            leftover.unlink()


def is_leftover(name: str) -> bool:
    """Return whether a file of this name is a leftover of a killed process."""
    return name.startswith(".") and name.endswith(ASIDE)


def reason_of(error: OSError) -> str:
    """Return the system's message without the path, which our message already names."""
    return error.strerror or str(error) or type(error).__name__


def _wait_for_folder(folder: Path) -> None:
    """Sync the folder, so that the new name is on disk; not every system needs or allows this."""
    with suppress(PermissionError, NotImplementedError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
