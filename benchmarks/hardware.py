"""The hardware on which a figure was measured; no figure is kept without it."""

from __future__ import annotations

from ddsr_bench.runner.starts import describe_commit, describe_machine


def describe_run() -> dict[str, object]:
    """Return the commit and hardware of this run."""
    hardware = describe_machine()._asdict()
    del hardware["host"]
    return {"commit": describe_commit() or "", "hardware": hardware}
