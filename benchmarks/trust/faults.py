"""Full disks, read-only folders, little memory, killed workers: one line of error, nothing saved is lost."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.trust.commands import EAGER, Ended, difference, flaw_of_error, front_of, run, session_of
from benchmarks.trust.kills import (
    KINDS,
    Bench,
    Uninterrupted,
    fit_command,
    is_over,
    uninterrupted,
    write_data,
)
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally

N_DISKS, N_WORKERS = 30, 12
MEMORY_MB = tuple(range(250, 1000, 50)) + (1000, 1250, 1500, 2000, 3000, 4000)
UNIFORM = KINDS[0]
# A command that lacks memory and runs longer than this hangs.
MEMORY_LIMIT_S = 90.0


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Run each fault in turn."""
    write_data(plan.folder / "data.csv")
    wanted = uninterrupted(UNIFORM, plan.folder)
    shutil.move(plan.folder / "run", plan.folder / "done")
    return {
        "full disk": full_disks(plan.part(0.3), wanted),
        "read-only folder": read_only_folders(plan.part(0.25), wanted),
        "memory limit": memory_limits(plan.part(0.5)),
        "killed worker": killed_workers(plan.part(1.0)),
    }


# Full disk


def full_disks(plan: Plan, wanted: Uninterrupted) -> Tally:
    """Runs on a disk that fills up (a small tmpfs, or a limit on file sizes), resumed where there is room."""
    tally, chance = Tally(), random.Random(plan.seed)
    tally.notes["by"] = "tmpfs" if can_mount(plan.folder) else "RLIMIT_FSIZE"
    for case in plan.cases(N_DISKS, "full disk"):
        limit_kb = chance.randrange(4, 120)
        if case % 3 == 2 or tally.notes["by"] != "tmpfs":
            flaw = _with_small_files(plan.folder, limit_kb * 1024 // 4, wanted)
        else:
            flaw = _on_small_disk(plan.folder, limit_kb, wanted)
        tally.add([f"disk of {limit_kb} KB: {flaw}"] if flaw else [])
    return tally


def _on_small_disk(folder: Path, size_kb: int, wanted: Uninterrupted) -> str | None:
    with mounted(folder / "disk", f"size={size_kb}k") as disk:
        write_data(disk.parent / "data.csv")
        command = [*fit_command(UNIFORM), "--out", "disk/run"]
        flaw = flaw_of_error(run(command, folder, program=EAGER))
        if flaw:
            return flaw
        _mount_again(disk, "size=64m")
        return _finish(disk / "run", "disk/run", folder, wanted)


def _with_small_files(folder: Path, size: int, wanted: Uninterrupted) -> str | None:
    shutil.rmtree(folder / "run", ignore_errors=True)
    limited = [sys.executable, "-m", "benchmarks.trust.limited", "fsize", str(size), "benchmarks.trust.eager"]
    flaw = flaw_of_error(run(fit_command(UNIFORM), folder, program=limited))
    return flaw or _finish(folder / "run", "run", folder, wanted)


def _finish(target: Path, name: str, folder: Path, wanted: Uninterrupted) -> str | None:
    """Resume without the fault; the saved state must be used, and the front must be the usual one."""
    had_state = any(target.glob("state-*.npz"))
    if not is_over(target):
        resumed = run(["resume", name, "--quiet"], folder)
        if resumed.code != 0 and had_state:
            return f"resume refuses a saved run: {resumed.tail}"
        if resumed.code != 0:
            again = run([*fit_command(UNIFORM), "--out", name], folder)
            if again.code != 0:
                return f"neither resume ({resumed.tail}) nor fit ({again.tail}) accepts the folder"
    return difference(front_of(target), wanted.front)


# Read-only folder


def read_only_folders(plan: Plan, wanted: Uninterrupted) -> Tally:
    """Commands on a folder that becomes read-only, before they start or while they run."""
    tally = Tally()
    if os.geteuid() == 0 and not can_mount(plan.folder):
        tally.skipped = "root writes into any folder, and this machine allows no mounts"
        return tally
    commands = (
        [
            "fit",
            "data.csv",
            "-t",
            "y",
            "--epochs",
            "1",
            "--preset",
            "uniform",
            "--out",
            "fixed/new",
            "--quiet",
        ],
        ["resume", "fixed/run", "--epochs", "1", "--quiet"],
        ["show", "fixed/run"],
        ["predict", "fixed/run", "data.csv", "--out", "fixed/predicted.csv"],
        ["report", "fixed/run"],
        [
            "bench",
            "run",
            "--suite",
            "nguyen",
            "--method",
            "uniform",
            "--epochs",
            "1",
            "--store",
            "fixed/store",
        ],
    )
    for case in plan.cases(len(commands), "read-only folder"):
        command = commands[case]
        with read_only(plan.folder) as fixed:
            ended = run(command, plan.folder)
            flaw = flaw_of_error(ended)
            if flaw is None and (ended.code == 0) != (command[0] == "show"):
                flaw = f"it should {'work' if command[0] == 'show' else 'fail'}: {ended.tail}"
            flaw = flaw or difference(front_of(fixed / "run"), wanted.front)
        tally.add([f"ddsr {' '.join(command)}: {flaw}"] if flaw else [])
    return tally


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """A copy of the finished run in a folder that nobody can write to."""
    fixed = folder / "fixed"
    if os.geteuid() == 0:
        with mounted(fixed, "size=64m"):
            shutil.copytree(folder / "done", fixed / "run")
            _mount_again(fixed, "ro")
            yield fixed
        return
    shutil.copytree(folder / "done", fixed / "run")
    for path in (fixed, fixed / "run"):
        path.chmod(0o555)
    try:
        yield fixed
    finally:
        for path in (fixed, fixed / "run"):
            path.chmod(0o755)
        shutil.rmtree(fixed)


# Little memory


def memory_limits(plan: Plan) -> Tally:
    """Commands under a limit on their address space, `ulimit -v`."""
    tally = Tally()
    commands = (
        ["fit", "data.csv", "-t", "y", "--epochs", "1", "--no-save", "--quiet"],
        ["show", "done"],
        ["predict", "done", "data.csv"],
    )
    cases = [(limit, command) for limit in MEMORY_MB for command in commands]
    random.Random(plan.seed).shuffle(cases)
    for case in plan.cases(len(cases), "memory limit"):
        limit, command = cases[case]
        limited = [sys.executable, "-m", "benchmarks.trust.limited", "memory", str(limit << 20), "ddsr"]
        flaw = flaw_of_error(run(command, plan.folder, program=limited, limit_s=MEMORY_LIMIT_S))
        tally.add([f"ulimit -v {limit << 10}; ddsr {' '.join(command)}: {flaw}"] if flaw else [])
    return tally


# Killed worker


def killed_workers(plan: Plan) -> Tally:
    """A worker dies: its run is repeated or becomes a row with a reason; the others are as usual."""
    tally, chance, bench = Tally(), random.Random(plan.seed), Bench(plan.folder)
    for _ in plan.cases(N_WORKERS, "killed worker"):
        shutil.rmtree(bench.store, ignore_errors=True)
        moment = chance.uniform(0.3, 1.0) * bench.seconds

        def watch(process: subprocess.Popen[str], moment: float = moment) -> None:
            time.sleep(moment)
            workers = [each for each in session_of(process.pid) if each != process.pid]
            if workers:
                os.kill(chance.choice(workers), signal.SIGKILL)

        ended = run(bench.command, plan.folder, watch)
        flaw = flaw_of_error(ended) or _flaw_of_rows(bench, ended)
        tally.add([f"worker killed after {moment:.2f} s: {flaw}"] if flaw else [])
    return tally


def _flaw_of_rows(bench: Bench, ended: Ended) -> str | None:
    rows = bench.rows()
    if ended.code == 0 and rows.keys() != bench.wanted.keys():
        return f"rows of {sorted(rows)} in place of {sorted(bench.wanted)}"
    for key, row in rows.items():
        if row["error"] is None and row != bench.wanted.get(key):
            return f"the row of {key} differs: {row}"
    return None


# Mounts


@contextmanager
def mounted(place: Path, options: str) -> Iterator[Path]:
    """Mount a file system in memory."""
    place.mkdir()
    try:
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True, capture_output=True
        )
        try:
            yield place
        finally:
            subprocess.run(["umount", "-l", str(place)], check=True, capture_output=True)
    finally:
        place.rmdir()


def _mount_again(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(place)], check=True, capture_output=True)


def can_mount(folder: Path) -> bool:
    """Whether this user can mount a file system."""
    try:
        with mounted(folder / "probe", "size=64k"):
            return True
    except (OSError, subprocess.SubprocessError):
        return False
