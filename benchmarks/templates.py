"""How many laws are found of which about half is known, with 1 % noise: `python -m benchmarks.templates`.

The laws and what is known of each are in templates.csv. Data are drawn from the ranges there, with normal
noise of 1 % of the standard deviation of y. A law counts as found if the chosen equation, with its constants
fitted to rows without noise, is exact to 0.01 % of the standard deviation.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.small_laws import Answer, Law, in_processes, read_rows, share
from ddsr import DDSRRegressor

LAWS = Path(__file__).parent / "templates.csv"
N_ROWS, NOISE = 200, 0.01


def read_laws(path: Path = LAWS) -> list[tuple[Law, str]]:
    """Read the laws and their templates."""
    return [(law, row["template"].replace(";", ",")) for row, law in read_rows(path)]


def run(task: tuple[tuple[Law, str], int], seconds: float, has_template: bool) -> Answer:
    """Search for a law on one core."""
    (law, template), seed = task
    X = law.rows(N_ROWS, seed)
    y = law.values(X)
    y = y + NOISE * y.std() * np.random.default_rng(seed).normal(size=N_ROWS)
    known = template if has_template else None
    model = DDSRRegressor(template=known, max_time=seconds, n_jobs=1, random_state=seed)
    equation = model.fit(law.table(X), y).best_.equation.expanded
    return Answer(law.name, law.is_form_of(equation), equation.text(4))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all laws and print each answer and the share that was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--time", type=float, default=20.0, metavar="SECONDS", help="time limit of each search"
    )
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="searches of each law")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="searches at a time")
    parser.add_argument("--without", action="store_true", help="search for whole laws, without templates")
    given = parser.parse_args(arguments)
    tasks = [(law, seed) for seed in range(given.seeds) for law in read_laws()]
    search = partial(run, seconds=given.time, has_template=not given.without)
    answers = in_processes(search, tasks, given.jobs)
    print(*answers, sep="\n")
    print(f"{share(answers)} in {given.time:g} s each")


if __name__ == "__main__":
    main()
