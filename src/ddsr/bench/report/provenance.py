"""Where the runs of a table come from: machines, commits, commands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ddsr.bench.starts import Start
from ddsr.bench.store import Row


def provenance(rows: Sequence[Row], starts: Sequence[Start] = ()) -> tuple[str, ...]:
    """A note on machines and versions; a machine of which nothing else is known has its name there."""
    machines = [machine for start in starts for machine in start.machines]
    places: dict[str, None] = {}
    for host in sorted({row.host for row in rows}):
        known = [str(machine) for machine in machines if machine.host == host]
        places |= dict.fromkeys(known or [f"host {host}"])  # two machines may have one name
    versions = ", ".join(sorted({row.version for row in rows}))
    commits = [start.commit or "of no checkout" for start in starts]
    of_commits = f" (commit {', '.join(dict.fromkeys(commits))})" if commits else ""
    return (f"Runs of here: {'; '.join(places)}; ddsr {versions}{of_commits}.",)


def commands(starts: Iterable[Start]) -> tuple[str, ...]:
    """A note on each command that was started, once."""
    return tuple(dict.fromkeys(f"Made by `{start.command}`." for start in starts))
