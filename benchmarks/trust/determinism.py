"""Checks that fronts are equal, bit for bit, with 1, 2 and 4 threads and in new processes."""

from __future__ import annotations

import shutil

import numpy as np

from benchmarks.trust.commands import difference, front_of, run
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally

N_PROBLEMS = 20
JOBS = (1, 2, 4, 1)
"""the last one is a new process with as many threads as the first"""
PRESETS = (("ddsr", 2), ("uniform", 20), ("ddsr", 1), ("ddsr:generator=none", 1))
FORMULAS = (
    lambda a, b, c: np.sin(3 * a) * b + np.exp(c / a),
    lambda a, b, c: a * b / (1.5 + c) + 0.1 * np.sin(40 * a),
    lambda a, b, c: np.sqrt(a**2 + b**2) - np.log(c) + 0.1 * np.cos(31 * b),
    lambda a, b, c: a**2.3 * np.exp(-b) + 0.01 * np.sin(99 * c),
)


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Run each problem in as many processes as `JOBS` has, and compare with the first."""
    tally = Tally()
    for case in plan.cases(N_PROBLEMS, "determinism"):
        rng = np.random.default_rng([plan.seed, case])
        X = rng.uniform(0.5, 3.0, size=(int(rng.choice([25, 200, 3000])), 3))
        y = FORMULAS[case % len(FORMULAS)](*X.T)
        lines = [",".join(map(repr, row)) for row in np.column_stack([X, y]).tolist()]
        (plan.folder / "data.csv").write_text("\n".join(["a,b,c,y", *lines]) + "\n")
        preset, n_epochs = PRESETS[case % len(PRESETS)]
        fronts = []
        for jobs in JOBS:
            shutil.rmtree(plan.folder / "run", ignore_errors=True)
            command = ["fit", "data.csv", "-t", "y", "--preset", preset, "--epochs", str(n_epochs)]
            command += ["--out", "run", "--seed", str(case), "--jobs", str(jobs), "--quiet"]
            ended = run(command, plan.folder)
            called = f"{preset}, case {case} (seed {plan.seed}), --jobs {jobs}"
            if ended.code != 0:
                tally.add([f"{called}: {ended.tail}"])
                break
            fronts.append(front_of(plan.folder / "run"))
            if len(fronts) > 1:
                flaw = difference(fronts[-1], fronts[0])
                tally.add([f"{called}: {flaw}"] if flaw else [])
            if plan.seconds_left <= 0.0 and len(fronts) > 1:
                break
    return {"fronts": tally}
