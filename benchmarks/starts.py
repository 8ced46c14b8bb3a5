"""How often the fits of plain forms reach the law behind a table: `python -m benchmarks.starts`.

The tables are the curves of `benchmarks/realistic` for development, and laws whose inputs lie far from 0 or
whose constants are large or small. They have no noise. A law is reached if one of the plain forms fits its
table exactly. The errors count as constant or, if y has one sign, as relative; under the latter, small values
decide as much as large ones. A law that is too expensive to be among the plain forms is never reached.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import numpy as np

from benchmarks.realistic.curves import Curve, Input, curves
from benchmarks.realistic.tables import draw, truth_of
from ddsr import Engine, Vocabulary
from ddsr.price.code_in_use import code_in_use
from ddsr.price.enumeration import CheapForms
from ddsr.price.noise import may_be_relative, relative_weights

OPERATORS = ("add", "sub", "mul", "div", "pow", "sqrt", "exp", "log", "sin", "cos", "asin", "acos", "atan")
# name | formula | input, its least and largest value
FAR = """
rate constant | 4e9*exp(-6200/T) | T 290 360
rate constant in a furnace | 2e11*exp(-21000/T) | T 600 900
vapour pressure | exp(20.4 - 5100/T) | T 280 370
growth by years | 2.5*exp(0.018*(t - 1950)) | t 1950 2020
logistic growth by years | 9700/(1 + exp(-0.031*(t - 1985))) | t 1900 2020
decay that starts late | 5*exp(-0.3*(t - 100)) | t 100 115
cooling that starts late | 21 + 60*exp(-0.2*(t - 100)) | t 100 125
resonance at a high frequency | 2.4/(1 + ((f - 5000)/6)^2) | f 4975 5025
spectral line | 3.1*exp(-((w - 6563)/1.8)^2) | w 6558 6568
spectral line on a background | 0.7 + 3.1*exp(-((w - 6563)/1.8)^2) | w 6558 6568
yearly wave | 21 + 4.1*sin(0.57*t + 1) | t 2000 2030
parabola near room temperature | 3 + 0.2*(T - 298) - 0.004*(T - 298)^2 | T 280 330
power above a threshold | 0.7*(p - 1000)^1.5 | p 1010 1100
saturation at a low concentration | 7*S/(0.000002 + S) | S 0.0000001 0.00002
slow charging | 100000000*(1 - exp(-t/300000)) | t 10000 900000
"""
N_ROWS = 14
EXACT = 1e-5  # NRMSE
MOST_NATS, AT_A_TIME = 14.0, 200


def far_laws() -> list[Curve]:
    """Return the laws of `FAR` as curves."""
    found = []
    for line in FAR.strip().splitlines():
        name, formula, given = (each.strip() for each in line.split("|"))
        variable, least, largest = given.split()
        inputs = (Input(variable, float(least), float(largest)),)
        found.append(Curve(name, "far", formula, inputs, N_ROWS, 0.0, "relative", "develop"))
    return found


def engines_of(curve: Curve, seed: int) -> dict[str, Engine]:
    """Return the table of a curve without noise, by the kind of errors."""
    X = draw(curve, seed).X
    y = truth_of(replace(curve, noise=0.0)).to_callable()(X)
    engine = Engine(Vocabulary([each.name for each in curve.inputs], OPERATORS), X, y, seed=seed)
    found = {"constant": engine}
    if may_be_relative(y):
        found["relative"] = engine.reweighted(relative_weights(y))
    return found


def is_reached(engine: Engine, most: int, n_starts: int, max_steps: int) -> bool:
    """Return whether one of the cheapest structures fits exactly."""
    cheap = CheapForms(engine, code_in_use(), MOST_NATS, most)
    goal = (EXACT * engine.spread) ** 2
    found = cheap.fit(n_starts=n_starts, max_steps=max_steps, is_enough=lambda form: form.mean_square < goal)
    return any(form.mean_square < goal for form in found)


def main() -> None:
    """Print the laws that are not reached, and how many are."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int, default=2000, help="number of structures (default: 2000)")
    parser.add_argument("--seeds", type=int, default=2, help="tables of each curve (default: 2)")
    parser.add_argument("--starts", type=int, default=6, help="maximum number of fits of each structure")
    parser.add_argument("--steps", type=int, default=40, help="maximum number of steps of a fit")
    given = parser.parse_args()
    reached: list[bool] = []
    for curve in [*far_laws(), *curves("develop")]:
        for seed in range(given.seeds):
            for kind, engine in engines_of(curve, seed).items():
                with np.errstate(all="ignore"):
                    reached.append(is_reached(engine, given.most, given.starts, given.steps))
                if not reached[-1]:
                    print(
                        f"not reached: {curve.name}, seed {seed}, {kind} errors: {curve.formula}", flush=True
                    )
    print(f"{sum(reached)} of {len(reached)} laws reached")


if __name__ == "__main__":
    main()
