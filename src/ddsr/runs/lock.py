"""A lock that lets only one process at a time work in a run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ddsr.errors import RunError
from ddsr.runs.asked import LOCK
from ddsr.storage.files import reason_of
from ddsr.storage.lock_file import HeldError, holding

FILE = LOCK


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder against other processes."""
    with ExitStack() as stack:
        try:
            stack.enter_context(holding(folder / FILE))
        except HeldError as error:
            raise RunError(f"{folder} is in use by {error}: wait for it or stop it") from None
        except OSError as error:
            raise RunError(f"cannot lock {folder}: {reason_of(error)}") from error
        yield
