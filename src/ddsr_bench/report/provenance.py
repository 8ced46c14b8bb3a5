"""Where the runs of a table come from: machines, commits, commands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddsr.storage.version import UNKNOWN
from ddsr_bench.runner.starts import Start
from ddsr_bench.runner.store import Key, Row


@dataclass(frozen=True)
class Origin:
    """A store: how the runner was started in it, as far as it tells, and for which runs."""

    starts: tuple[Start, ...]
    runs: frozenset[Key]


def provenance(rows: Sequence[Row], origins: Sequence[Origin] = ()) -> tuple[str, ...]:
    """A note on machines and versions; a machine of which nothing else is known has its name there."""
    starts = _starts_of(rows, origins)
    machines = [machine for start in starts for machine in start.machines]
    places: dict[str, None] = {}
    for host in sorted({row.host for row in rows}):
        known = [str(machine) for machine in machines if machine.host == host]
        places |= dict.fromkeys(known or [f"host {host}"])  # two machines may have one name
    known_versions = sorted({row.version for row in rows} - {UNKNOWN})  # else the commit says it
    versions = f" {', '.join(known_versions)}" if known_versions else ""
    commits = [start.commit or "of no checkout" for start in starts]
    of_commits = f" (commit {', '.join(dict.fromkeys(commits))})" if commits else ""
    return (f"Runs of here: {'; '.join(places)}; ddsr{versions}{of_commits}.",)


def commands(rows: Sequence[Row], origins: Sequence[Origin]) -> tuple[str, ...]:
    """A note on each command that was started for these, once."""
    return tuple(dict.fromkeys(f"Made by `{start.command}`." for start in _starts_of(rows, origins)))


def _starts_of(rows: Sequence[Row], origins: Sequence[Origin]) -> list[Start]:
    """In the stores that hold any of these runs."""
    keys = {row.key for row in rows}
    return [start for origin in origins if not keys.isdisjoint(origin.runs) for start in origin.starts]
