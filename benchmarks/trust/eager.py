"""`python -m benchmarks.trust.eager` is a `ddsr` that saves after every epoch."""

from __future__ import annotations

from functools import wraps
from typing import Any

from ddsr.cli.entry import main
from ddsr.runs.folder import RunFolder


def save_after_every_epoch() -> None:
    """Set the save interval of all runs in this process to 0."""
    for name in ("fit", "resume"):
        method = getattr(RunFolder, name)

        def eager(*arguments: Any, _method: Any = method, **named: Any) -> Any:
            return _method(*arguments, **{"interval": 0.0} | named)

        setattr(RunFolder, name, wraps(method)(eager))


if __name__ == "__main__":
    save_after_every_epoch()
    main(prog_name="ddsr")
