"""Handmade stores with easily counted answers."""

import json
from dataclasses import asdict
from pathlib import Path

from curve_cases import curve
from ddsr_bench.report.results import Results, read_results
from ddsr_bench.runner.curves import FOLDER, curve_path, write_curve
from ddsr_bench.runner.store import Row

OUTSIDE_SRBENCH = "feynman_I_26_2"
FEYNMAN = ("feynman_I_6_2", "feynman_I_12_1", OUTSIDE_SRBENCH)
STROGATZ = "strogatz_vdp2"


def run(problem: str, method: str = "a", *, is_solved: bool = False, **fields) -> Row:
    """A run; fields that a test does not need have defaults."""
    settings = {"noise": 0.0, "seed": 0, "wall_s": 2.0, "threads": 1, "host": "h", "version": "1"}
    verdict = {"solved_srbench": is_solved, "solved_paper": is_solved, "r2_test": 1.0 if is_solved else 0.5}
    model = {"expression": "x", "simplified": "x", "complexity": 5, "r2_train": 1.0, "cpu_s": 2.0}
    return Row(problem=problem, method=method, **settings | verdict | model | fields)


def failed(problem: str, method: str = "a", **fields) -> Row:
    return Row(
        **{"problem": problem, "method": method, "noise": 0.0, "seed": 0, "wall_s": 9.0, "threads": 1}
        | {"host": "h", "version": "1", "error": "killed by signal 9"}
        | fields
    )


def write_store(folder: Path, rows) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.jsonl").write_text("".join(json.dumps(asdict(row)) + "\n" for row in rows))
    return str(folder)


def results_of(rows) -> Results:
    return Results(list(rows))


def full_store(folder: Path) -> str:
    """Two methods on ground truth, at two noise levels, and on the black box, with curves."""
    rows = [
        run(problem, method, noise=noise, seed=seed, is_solved=(seed + len(problem) + len(method)) % 2 == 0)
        for method in ("paper", "paper:memory=short")
        for noise in (0.0, 0.1)
        for problem in (*FEYNMAN, STROGATZ)
        for seed in (0, 1)
    ]
    rows += [
        run(problem, method, r2_test=0.7 + len(method) / 100, complexity=10)
        for method in ("paper", "paper:memory=short")
        for problem in ("1027_ESL", "banana")
    ]
    rows.append(failed("1027_ESL", "paper", seed=1))
    for row in rows:
        if row.problem == STROGATZ:
            write_curve(curve_path(folder / FOLDER, row.key), curve(10 + row.seed))
    return write_store(folder, rows)


def full_results(folder: Path) -> Results:
    return read_results([full_store(folder)])
