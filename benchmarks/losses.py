"""How many laws are found with other losses than squares: `python -m benchmarks.losses`.

The laws are in losses.csv. Half of them are rates, from which Poisson counts are drawn. The others are log-
odds, from which outcomes 0 and 1 are drawn. For the Huber loss, all laws have 1 % noise, and one row in
twenty is multiplied by 10; the laws that squared errors find without these outliers are the reference. A
law counts as found if the chosen equation, with its constants fitted to rows without noise, is exact to
0.01 % of the standard deviation.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from scipy.special import expit

from benchmarks.small_laws import Answer, Law, in_processes, read_rows, share
from ddsr import DDSRRegressor
from ddsr.data.arrays import Floats

LAWS = Path(__file__).parent / "losses.csv"
N_ROWS, N_OUTCOMES, NOISE, OUTLIERS = 200, 1000, 0.01, 0.05
KINDS = {"poisson": "counts", "logistic": "classes"}
CASES = ("poisson", "logistic", "squared", "huber")


def read_laws(path: Path = LAWS) -> list[tuple[str, Law]]:
    """Read the laws and their kinds."""
    return [(row["kind"], law) for row, law in read_rows(path)]


def drawn(law: Law, loss: str, seed: int) -> tuple[Floats, Floats]:
    """Draw rows and a target with the errors of a loss."""
    random = np.random.default_rng(seed)
    X = law.rows(N_OUTCOMES if loss == "logistic" else N_ROWS, seed)
    y = law.values(X)
    if loss == "poisson":
        return X, random.poisson(y).astype(float)
    if loss == "logistic":
        return X, (random.random(len(y)) < expit(y)).astype(float)
    y = y + NOISE * y.std() * random.normal(size=len(y))
    if loss == "huber":
        y[random.permutation(len(y))[: round(OUTLIERS * len(y))]] *= 10.0
    return X, y


def run(task: tuple[str, Law], seed: int, seconds: float) -> Answer:
    """Search for a law on one core."""
    loss, law = task
    X, y = drawn(law, loss, seed)
    model = DDSRRegressor(loss=loss, max_time=seconds, n_jobs=1, random_state=seed)
    equation = model.fit(law.table(X), y).best_.equation
    return Answer(f"{law.name} ({loss})", law.is_form_of(equation), equation.text(4))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run all laws with all losses and print each answer and the shares that were found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--time", type=float, default=20.0, metavar="SECONDS", help="time limit of each search"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the data and the searches")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="searches at a time")
    given = parser.parse_args(arguments)
    tasks = [(loss, law) for loss in CASES for kind, law in read_laws() if KINDS.get(loss, kind) == kind]
    answers = in_processes(partial(run, seed=given.seed, seconds=given.time), tasks, given.jobs)
    print(*answers, sep="\n")
    for case in CASES:
        of_case = [answer for (loss, _), answer in zip(tasks, answers, strict=True) if loss == case]
        print(f"{case}: {share(of_case)} in {given.time:g} s each")
    by_name = {answer.name: answer for answer in answers}
    reference = [
        law.name for loss, law in tasks if loss == "squared" and by_name[f"{law.name} (squared)"].is_found
    ]
    kept = share([by_name[f"{name} (huber)"] for name in reference])
    print(f"of those that squared errors find without outliers, huber {kept} with them")


if __name__ == "__main__":
    main()
