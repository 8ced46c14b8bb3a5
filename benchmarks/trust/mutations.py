"""Damaged files: each opens or is refused by one of `ddsr.errors`, without a hang."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from click.testing import CliRunner

from benchmarks.trust.child import Part, Result, in_turn, run_part
from benchmarks.trust.mutators import mutate_archive, mutate_bytes, mutate_csv, mutate_json
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally
from ddsr.cli.entry import main
from ddsr.errors import DDSRError
from ddsr.estimator.regressor import DDSRRegressor
from ddsr.generators.prior.weights import find_weights
from ddsr.runs import RunFolder

N_MUTATIONS = 1000
ALARM_S, HANG_S = 15, 30.0
"""seconds after which a case is interrupted, and after which its process is killed"""
HERE = "benchmarks.trust.mutations"
PARTS = {
    "model files": "models",
    "weights": "weights",
    "run folders": "folders",
    "state files": "states",
    "CSVs": "tables",
}
CONFIG = {"evaluations_per_epoch": 200, "evolution": {"n_islands": 2, "island_size": 20}}


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Damage every kind of file."""
    tallies = {name: Tally() for name in PARTS}
    n_cases = len(PARTS) * N_MUTATIONS
    run_part(plan, list(tallies.values()), f"{HERE}:every_kind", n_cases, stall_s=HANG_S)
    return tallies


def every_kind(seed: int, folder: Path) -> Part:
    """Damage files of each kind in turn."""
    return in_turn([globals()[function] for function in PARTS.values()], seed, folder)


def make_run(path: Path, n_epochs: int = 2) -> None:
    """Make a small run that has ended, replacing one that a crashed child left."""
    shutil.rmtree(path, ignore_errors=True)
    rng = np.random.default_rng(0)
    X = rng.uniform(0.5, 3.0, size=(30, 2))
    y = np.sin(3 * X[:, 0]) * X[:, 1] + np.exp(X[:, 1] / X[:, 0])
    parameters = {"max_epochs": n_epochs, "random_state": 0, "config": CONFIG, "model_selection": "accuracy"}
    RunFolder.create(path, X, y, feature_names=["a", "b"], target="y", parameters=parameters).fit(
        interval=0.0
    )


class Hangs(BaseException):
    """Raised by the alarm. No handler in ddsr mistakes it for an error of the file."""


@contextmanager
def alarm(seconds: int = ALARM_S) -> Iterator[None]:
    """Raise `Hangs` inside the block after `seconds`: cheaper than killing and restarting a child."""

    def ring(number: int, frame: object) -> None:
        raise Hangs

    former = signal.signal(signal.SIGALRM, ring)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def opens(part: str, number: int, seed: int, use: Callable[[], object]) -> Result:
    """Check that a file is used, or refused as it should be."""
    called = f"{part} case {number} (seed {seed})"
    with warnings.catch_warnings(record=True) as caught, alarm():
        warnings.simplefilter("always")
        try:
            use()
        except Hangs:
            return Result([f"{called}: hangs for {ALARM_S} s"])
        except DDSRError as error:
            return Result([] if str(error).strip() else [f"{called}: an empty message"])
        except Exception as error:
            return Result([f"{called}: {type(error).__name__}: {str(error)[:200]}"])
    return Result([f"{called}: warning {each.message}" for each in caught[:1]])


def models(seed: int, folder: Path) -> Part:
    """Damage model files, also by changing values in their JSON."""
    make_run(folder / "model-run", 1)
    text, path = (folder / "model-run" / "model.json").read_bytes(), folder / "mutated.json"

    def case(number: int) -> Result:
        path.write_bytes(mutate_json(text, random.Random(f"{seed} {number}")))

        def use() -> None:
            model = DDSRRegressor.load(path)
            model.to_numpy()(np.ones((3, model.n_features_in_)))
            str(model.equations_)

        return opens("models", number, seed, use)

    return case


def weights(seed: int, folder: Path) -> Part:
    """Damage weights of the prior; half of them get a checksum that matches the damage."""
    data = find_weights("default").read_bytes()
    size = int.from_bytes(data[:8], "little")
    path = folder / "mutated.safetensors"

    def case(number: int) -> Result:
        from ddsr.generators.prior.weights import load_weights

        chance = random.Random(f"{seed} {number}")
        path.write_bytes(_mutated_weights(data, size, chance))

        def use() -> None:
            network, _ = load_weights(path)
            if not all(bool(each.isfinite().all()) for each in network.parameters()):
                raise FloatingPointError("weights that are not finite are accepted")

        return opens("weights", number, seed, use)

    return case


def _mutated_weights(data: bytes, size: int, chance: random.Random) -> bytes:
    header, numbers = data[8 : 8 + size], bytearray(data[8 + size :])
    kind = chance.randrange(4)
    if kind == 0:
        return mutate_bytes(data, chance)
    if kind == 1:
        header = mutate_json(header, chance)
        return len(header).to_bytes(8, "little") + header + bytes(numbers)
    table = json.loads(header)
    if kind == 2:  # numbers that are not finite
        place = 2 * chance.randrange(len(numbers) // 2)
        numbers[place : place + 2] = np.float16(chance.choice([np.nan, np.inf])).tobytes()
    else:
        named = [name for name in table if name != "__metadata__"]
        entry = table[chance.choice(named)]
        entry[chance.choice(list(entry))] = chance.choice([[], [0], [1, -1], "F64", None, [2**62, 2**62]])
    texts = table.pop("__metadata__")
    del texts["sha256"]
    described = json.dumps([table, texts], sort_keys=True).encode()
    texts["sha256"] = hashlib.sha256(described + bytes(numbers)).hexdigest()
    header = json.dumps({"__metadata__": texts, **table}).encode()
    return len(header).to_bytes(8, "little") + header + bytes(numbers)


def folders(seed: int, folder: Path) -> Part:
    """Damage run folders: one file is damaged, removed, or replaced by something that is not a file."""
    make_run(folder / "whole", 2)

    def case(number: int) -> Result:
        chance, copy = random.Random(f"{seed} {number}"), folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder / "whole", copy)
        _damage(copy, chance)

        def use() -> None:
            run = RunFolder.open(copy)
            assert run.stopped_by is None or isinstance(run.stopped_by, str)
            for look in (run.log, run.data, run.model):
                try:
                    look()
                except DDSRError:
                    continue
            run.resume(more_epochs=1)

        return opens("folders", number, seed, use)

    return case


def _damage(folder: Path, chance: random.Random) -> None:
    path = chance.choice(sorted(folder.iterdir()))
    kind = chance.randrange(9)
    if kind == 0:
        path.unlink()
    elif kind == 1:
        path.unlink()
        path.mkdir()
    elif kind == 2:
        path.unlink()
        os.mkfifo(path)
    elif kind == 3:
        path.unlink()
        path.symlink_to(chance.choice(["/nonexistent", path.name, "/dev/null", "run.json"]))
    elif path.suffix == ".npz":
        path.write_bytes(mutate_archive(path.read_bytes(), chance))
    elif path.suffix == ".json":
        path.write_bytes(mutate_json(path.read_bytes(), chance))
    elif path.suffix == ".jsonl":
        first, *rest = path.read_bytes().splitlines()
        path.write_bytes(b"\n".join([mutate_json(first, chance), *rest]))
    else:
        path.write_bytes(mutate_bytes(path.read_bytes(), chance))


def states(seed: int, folder: Path) -> Part:
    """Damage every saved state of a run, so that none can be used."""
    make_run(folder / "stateful", 2)

    def case(number: int) -> Result:
        chance, copy = random.Random(f"{seed} {number}"), folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder / "stateful", copy)
        newest, *older = sorted(copy.glob("state-*.npz"), reverse=True)
        for path in older:
            path.unlink()
        newest.write_bytes(mutate_archive(newest.read_bytes(), chance))
        return opens("states", number, seed, lambda: RunFolder.open(copy).resume(more_epochs=1))

    return case


def tables(seed: int, folder: Path) -> Part:
    """Damage CSV files and pass them to the command line."""
    rng = np.random.default_rng(0)
    rows = rng.uniform(0.5, 3.0, size=(12, 3)).round(3)
    data = "\n".join(["a,b,y", *(",".join(map(str, row)) for row in rows.tolist())]).encode()
    path = folder / "mutated.csv"

    def case(number: int) -> Result:
        chance = random.Random(f"{seed} {number}")
        path.write_bytes(mutate_csv(data, chance))
        options = ["-t", "y", "--epochs", "1", "--preset", "uniform", "--no-save", "--quiet", "--json"]
        options += ["--drop-missing"] * chance.randrange(2)
        done = CliRunner().invoke(main, ["fit", str(path), *options])
        flaw = flaw_of_invocation(done.exit_code, done.exception, done.stderr)
        return Result([f"tables case {number} (seed {seed}): {flaw}"] if flaw else [])

    return case


def flaw_of_invocation(code: int, error: BaseException | None, stderr: str) -> str | None:
    """A command run in this process must succeed or say in one line what is wrong."""
    if error is not None and not isinstance(error, SystemExit):
        return f"{type(error).__name__}: {str(error)[:200]}"
    if code == 0:
        return None
    lines = [line for line in stderr.splitlines() if line.startswith("Error: ")]
    return None if code == 1 and len(lines) == 1 else f"exit code {code}: {stderr[-200:]}"
