"""Kill `ddsr fit` and `ddsr bench run` at random moments, then resume: the result must be the same.

A third of the moments are spread over the run, a third are during a save, a third during the final choice.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.trust.commands import (
    DDSR,
    EAGER,
    Ended,
    difference,
    front_of,
    run,
    wait_for_session,
)
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally
from ddsr.errors import DDSRError
from ddsr.runs import RunFolder
from ddsr.storage.files import ASIDE

N_KILLS = 50
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
AIMS = ("any", "save", "choice")
# Worker processes notice within this time that their runner is gone.
ORPHAN_S = 20.0
# Times in seconds, which vary from run to run.
CLOCKED = ("wall_s", "cpu_s", "judge_s")


@dataclass(frozen=True)
class Kind:
    """A kind of run to kill."""

    name: str
    options: tuple[str, ...]
    n_epochs: int
    is_timed: bool = False
    """limited by time: it must finish, but need not find the same"""


KINDS = (
    Kind("uniform", ("--preset", "uniform", "--selection", "description_length", "--epochs", "30"), 30),
    Kind("ddsr", ("--epochs", "2"), 2),
    Kind("timed", ("--time", "3"), 0, is_timed=True),
)
# The kinds of ten successive runs: cheap ones are killed most often.
MIX = (0, 0, 1, 0, 0, 2, 0, 0, 1, 0)


@dataclass(frozen=True)
class Uninterrupted:
    """The result and timing of an uninterrupted run."""

    front: Any
    seconds: float
    choice_at: float
    """seconds after the start at which the final choice began"""


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Kill fits and benchmarks by signals."""
    tallies = {f"{what} {number.name}": Tally() for what in ("fit", "bench run") for number in SIGNALS}
    write_data(plan.folder / "data.csv")
    wanted: dict[str, Uninterrupted] = {}
    chance = random.Random(plan.seed)
    for case in plan.part(0.6).cases(N_KILLS * len(SIGNALS), "kills of ddsr fit"):
        number = SIGNALS[case % len(SIGNALS)]
        kind, aim = KINDS[MIX[case // 3 % len(MIX)]], AIMS[case // 3 % len(AIMS)]
        if kind.name not in wanted:
            wanted[kind.name] = uninterrupted(kind, plan.folder)
        failures = kill_fit(kind, aim, number, wanted[kind.name], plan.folder, chance)
        tallies[f"fit {number.name}"].add(failures)
    bench = Bench(plan.folder)
    for case in plan.part(1.0).cases(N_KILLS * len(SIGNALS), "kills of ddsr bench run"):
        number = SIGNALS[case % len(SIGNALS)]
        tallies[f"bench run {number.name}"].add(bench.kill(number, chance))
    return tallies


def write_data(path: Path) -> None:
    """Write a table that no short search explains."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(30, 2))
    y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0]) / (0.3 + X[:, 1] ** 3)
    lines = [",".join(map(repr, map(float, row))) for row in np.column_stack([X, y])]
    path.write_text("\n".join(["a,b,y", *lines]) + "\n")


def fit_command(kind: Kind) -> list[str]:
    return ["fit", "data.csv", "-t", "y", *kind.options, "--out", "run", "--jobs", "1", "--quiet"]


def fresh(folder: Path) -> Path:
    """Remove the run of the previous case."""
    shutil.rmtree(folder / "run", ignore_errors=True)
    return folder / "run"


def uninterrupted(kind: Kind, folder: Path) -> Uninterrupted:
    """Do the run to compare with."""
    target = fresh(folder)
    began = time.monotonic()
    choice_at = [0.0]

    def watch(process: subprocess.Popen[str]) -> None:
        while process.poll() is None and n_lines(target) < kind.n_epochs:
            time.sleep(0.005)
        choice_at[0] = time.monotonic() - began

    ended = run(fit_command(kind), folder, watch, program=EAGER)
    if ended.code != 0:
        raise RuntimeError(f"an uninterrupted run fails: {ended.tail}")
    return Uninterrupted(front_of(target), time.monotonic() - began, choice_at[0])


def n_lines(target: Path) -> int:
    """Count the epochs in the log of a run."""
    try:
        return (target / "log.jsonl").read_bytes().count(b"\n")
    except OSError:
        return 0


class Killer:
    """Sends the signal at the chosen moment."""

    def __init__(self, aim: str, number: signal.Signals, target: Path, wanted: Uninterrupted, kind: Kind):
        self.aim, self.number, self.target, self.wanted, self.kind = aim, number, target, wanted, kind
        self.sent_at: float | None = None

    def __call__(self, process: subprocess.Popen[str], chance: random.Random) -> None:
        began = time.monotonic()
        if self.aim == "any":
            _wait(process, chance.uniform(0.2, 1.0) * self.wanted.seconds)
        elif self.aim == "save":
            skipped = chance.randrange(6)  # number of epochs; the first files are written before any
            while process.poll() is None and not (n_lines(self.target) >= skipped and is_saving(self.target)):
                time.sleep(0.0002)
        else:
            while process.poll() is None and n_lines(self.target) < max(1, self.kind.n_epochs):
                time.sleep(0.002)
            _wait(process, chance.uniform(0.0, 1.0) * (self.wanted.seconds - self.wanted.choice_at))
        if process.poll() is None:
            process.send_signal(self.number)
            self.sent_at = time.monotonic() - began


def _wait(process: subprocess.Popen[str], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def is_saving(target: Path) -> bool:
    """Whether a file is being written or the folder is being made."""
    try:
        names = [entry.name for entry in target.iterdir()]
    except OSError:
        return False
    return "run.json" not in names or any(name.endswith(ASIDE) for name in names)


def kill_fit(
    kind: Kind,
    aim: str,
    number: signal.Signals,
    wanted: Uninterrupted,
    folder: Path,
    chance: random.Random,
) -> list[str]:
    """Kill a fit once, resume it, and compare."""
    target = fresh(folder)
    killer = Killer(aim, number, target, wanted, kind)
    program = EAGER if aim == "save" else DDSR
    ended = run(fit_command(kind), folder, lambda process: killer(process, chance), program=program)
    when = "never" if killer.sent_at is None else f"after {killer.sent_at:.2f} s"
    called = f"{kind.name} run, {number.name} aimed at {aim} ({when})"
    flaw = flaw_of_interrupted(ended, number, was_sent=killer.sent_at is not None)
    flaw = flaw or flaw_of_resumed(kind, target, wanted, folder)
    return [f"{called}: {flaw}"] if flaw else []


def flaw_of_interrupted(ended: Ended, number: signal.Signals, was_sent: bool) -> str | None:
    """A process that gets a signal must end by it, end as an interrupted one, or have finished before."""
    if "Traceback" in ended.stderr:
        return f"traceback, {ended.tail}"
    allowed = {0} if not was_sent else {0, -number, 128 + number, 130}
    return None if ended.code in allowed else ended.tail


def flaw_of_resumed(kind: Kind, target: Path, wanted: Uninterrupted, folder: Path) -> str | None:
    """Resume, or start again if there is nothing to resume, and compare with the uninterrupted run."""
    if not is_over(target):
        had_state = any(target.glob("state-*.npz"))
        resumed = run(["resume", "run", "--quiet"], folder)
        if resumed.code != 0 and had_state:
            return f"resume refuses a saved run: {resumed.tail}"
        if resumed.code != 0:
            again = run(fit_command(kind), folder)
            if again.code != 0:
                return f"neither resume ({resumed.tail}) nor fit ({again.tail}) accepts the folder"
        if not is_over(target):
            return "the resumed run is not over"
    RunFolder.open(target).model()  # can be read
    return None if kind.is_timed else difference(front_of(target), wanted.front)


def is_over(target: Path) -> bool:
    """Whether the run is recorded as ended."""
    try:
        return RunFolder.open(target).stopped_by is not None
    except DDSRError:
        return False


class Bench:
    """A small benchmark that is killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, folder / "store"
        table = ["name,formula,ranges,n", "ohm,U/R,U:1:5;R:1:10,60", "wave,sin(U)*R+U,U:1:5;R:1:10,60"]
        (folder / "suite.csv").write_text("\n".join([*table, "root,sqrt(U+R)/U,U:1:5;R:1:10,60"]) + "\n")
        self.command = ["bench", "run", "--suite", "suite.csv", "--method", "uniform", "--epochs", "3"]
        self.command += ["--store", "store"]
        began = time.monotonic()
        ended = run(self.command, folder)
        if ended.code != 0:
            raise RuntimeError(f"an uninterrupted benchmark fails: {ended.tail}")
        self.seconds, self.wanted = time.monotonic() - began, self.rows()

    def rows(self) -> dict[str, Any]:
        """What does not depend on the clock, by problem."""
        found: dict[str, Any] = {}
        for line in (self.store / "results.jsonl").read_text().splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # cut off by a kill; the runner skips it too
            key = f"{row['problem']} {row['seed']}"
            if key in found:
                found[f"{key} again"] = row
            found[key] = {name: value for name, value in row.items() if name not in CLOCKED}
        return found

    def kill(self, number: signal.Signals, chance: random.Random) -> list[str]:
        """Kill it once, start it again, and compare the rows."""
        shutil.rmtree(self.store, ignore_errors=True)
        moment = chance.uniform(0.1, 1.0) * self.seconds
        left: list[int] = []

        def watch(process: subprocess.Popen[str]) -> None:
            _wait(process, moment)
            if process.poll() is None:
                process.send_signal(number)
                _wait(process, 60.0)
            left.extend(wait_for_session(process.pid, ORPHAN_S))

        ended = run(self.command, self.folder, watch)
        called = f"bench run, {number.name} after {moment:.2f} s"
        flaw = flaw_of_interrupted(ended, number, was_sent=True)
        if flaw is None and left:
            flaw = f"{len(left)} processes are left {ORPHAN_S:.0f} s later"
        if flaw is None:
            again = run(self.command, self.folder)
            flaw = again.tail if again.code != 0 else None
        if flaw is None and self.rows() != self.wanted:
            flaw = f"the rows differ: {self.rows()}"
        return [f"{called}: {flaw}"] if flaw else []
