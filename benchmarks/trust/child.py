"""Cases in a separate process: a crash or a hang is a failed case, not the end of the campaign.

The child is `python -m benchmarks.trust.child MODULE:FUNCTION SEED FIRST LAST FOLDER`. The function makes the
part: a callable that takes the number of a case and returns a `Result`. Every case is one line of JSON on the
child's standard output. Output of the tested code goes to standard error.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally

ROOT = Path(__file__).resolve().parents[2]
# A child without output for this long hangs. The first case takes longer because it imports everything.
STALL_S, START_S = 60.0, 180.0
MOST_CRASHES = 20
TAIL = 500


@dataclass
class Result:
    """The outcome of one case."""

    failures: list[str] = field(default_factory=list)
    tried: int = 1
    notes: dict[str, Any] = field(default_factory=dict)


Part = Callable[[int], Result]


def run_part(
    plan: Plan,
    tallies: Tally | Sequence[Tally],
    target: str,
    n_cases: int,
    *,
    python: str = sys.executable,
    stall_s: float = STALL_S,
    environment: dict[str, str] | None = None,
) -> None:
    """Run cases 0 to n - 1 as far as time allows; after a crash or a hang, continue with the next case.

    With several tallies the cases count towards them in turn, as `in_turn` runs them.
    """
    tallies = [tallies] if isinstance(tallies, Tally) else tallies
    first = n_crashes = 0
    while first < n_cases and n_crashes < MOST_CRASHES and (first == 0 or plan.seconds_left > 0.0):
        errors = plan.folder / "stderr"
        command = [python, "-m", "benchmarks.trust.child", target]
        command += [str(plan.seed), str(first), str(n_cases), str(plan.folder)]
        with errors.open("wb") as stderr:
            process = subprocess.Popen(
                command,
                cwd=ROOT,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=os.environ | (environment or {}),
                start_new_session=True,
            )
            done, reason = _follow(process, plan, tallies, n_cases, stall_s, first, target)
        if reason is None:
            break
        n_crashes += 1
        tail = errors.read_bytes()[-TAIL:].decode(errors="replace")
        tallies[done % len(tallies)].add([f"{target} case {done} (seed {plan.seed}): {reason}: {tail}"])
        first = done + 1
    plan.clear()


def _follow(
    process: subprocess.Popen[bytes],
    plan: Plan,
    tallies: Sequence[Tally],
    n_cases: int,
    stall_s: float,
    first: int,
    target: str,
) -> tuple[int, str | None]:
    """Read results until the child ends or the time is up; return the current case and why it failed."""
    assert process.stdout is not None
    lines = _Lines(process.stdout)
    case, reason = first, None
    wait = START_S
    try:
        while True:
            if case > first and plan.seconds_left <= 0.0:
                break
            line = lines.next(wait)
            if line is None:
                reason = f"hangs: nothing for {wait:.0f} s"
                break
            if not line:
                code = process.wait()
                reason = None if code == 0 else f"ended by {_cause(code)}"
                break
            written = json.loads(line)
            tally = tallies[written["case"] % len(tallies)]
            tally.add(written["failures"], written["tried"])
            tally.notes.update(written["notes"])
            case, wait = written["case"] + 1, stall_s
            n_failed = sum(each.failed for each in tallies)
            plan.show(f"{target.rpartition('.')[2]}: {case} of {n_cases}, {n_failed} failed")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
    return case, reason


def _cause(code: int) -> str:
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class _Lines:
    """Reads lines of a pipe, each with a time limit."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._descriptor, self._rest = pipe.fileno(), b""

    def next(self, seconds: float) -> bytes | None:
        """Return the next line; empty at the end; None if there is none in time."""
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                return None
            data = os.read(self._descriptor, 1 << 16)
            if not data:
                return b""
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        return line


def in_turn(makers: Sequence[Callable[[int, Path], Part]], seed: int, folder: Path) -> Part:
    """Run parts by turns in one process, so that they share imports. Each is made at its first turn."""
    made: dict[int, Part] = {}

    def case(number: int) -> Result:
        turn = number % len(makers)
        if turn not in made:
            made[turn] = makers[turn](seed, folder)
        return made[turn](number // len(makers))

    return case


def find_part(target: str, seed: int, folder: Path) -> Part:
    """Find the part that a child runs, by MODULE:FUNCTION."""
    module, _, function = target.partition(":")
    part: Part = getattr(importlib.import_module(module), function)(seed, folder)
    return part


def main(arguments: list[str]) -> None:
    """Run cases and print a line for each."""
    faulthandler.enable()
    target, seed, first, last, folder = arguments
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # only results go to the parent
    part = find_part(target, int(seed), Path(folder))
    for case in range(int(first), int(last)):
        try:
            result = part(case)
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            text = f"{type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
            result = Result([f"{target} case {case} (seed {seed}): {text}"])
        written = {"case": case, "failures": result.failures, "tried": result.tried, "notes": result.notes}
        print(json.dumps(written), file=results, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
