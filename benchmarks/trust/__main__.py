"""Runs the campaigns: `python -m benchmarks.trust --minutes 10`. Ctrl-C keeps the results so far."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.trust import page
from benchmarks.trust.campaigns import CAMPAIGNS
from benchmarks.trust.child import ROOT
from benchmarks.trust.plan import Plan
from benchmarks.trust.results import Results

OUT = ROOT / "benchmarks" / "results" / "trust.json"


def main(arguments: list[str] | None = None) -> int:
    """Return 0 if nothing failed, 1 if something did, 130 after Ctrl-C."""
    given = read_options(arguments)
    names = [name for name in CAMPAIGNS if not given.only or name in given.only]
    results = Results.begin(given.out, minutes=given.minutes, seed=given.seed, keeps=bool(given.only))
    until = None if given.minutes is None else time.monotonic() + 60.0 * given.minutes
    for name in names:
        shares = sum(CAMPAIGNS[each].share for each in names[names.index(name) :])
        seconds = None
        if until is not None:
            seconds = max(1.0, (until - time.monotonic()) * CAMPAIGNS[name].share / shares)
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="trust-", ignore_cleanup_errors=True) as folder:
            try:
                tallies = CAMPAIGNS[name].run(Plan(Path(folder), seconds, given.seed))
            except KeyboardInterrupt:
                print(f"\ninterrupted: {given.out} has the campaigns before {name}", file=sys.stderr)
                return 130
        results.add(name, tallies, time.monotonic() - began)
        results.write()
        for part, tally in tallies.items():
            skipped = f", skipped: {tally.skipped}" if tally.skipped else ""
            print(f"{name:<12} {part:<20} {tally.failed:>6} of {tally.tried:>9,} failed{skipped}", flush=True)
            for example in tally.examples[:3]:
                print(f"    {example[:300]}")
    if given.out.resolve() == OUT:
        page.write(OUT)
    return 1 if results.n_failed else 0


def read_options(arguments: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="make trust", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--minutes", type=float, help="time for all campaigns together (default: no limit, full counts)"
    )
    parser.add_argument("--out", type=Path, default=OUT, help="JSON file for the figures")
    parser.add_argument(
        "--only", action="append", choices=CAMPAIGNS, help="run this campaign; can be repeated"
    )
    parser.add_argument("--seed", type=int, default=0, help="random seed of all campaigns")
    given = parser.parse_args(arguments)
    if given.minutes is not None and not given.minutes > 0:
        parser.error("--minutes must be above 0")
    return given


if __name__ == "__main__":
    sys.exit(main())
