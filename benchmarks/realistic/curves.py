"""Typical measured curves and surfaces: few rows, noise of a few per cent, from fourteen fields.

Half of them are for development, the other half for reported results. They alternate within each field, in
the order of the table.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Literal

Spacing = Literal["even", "geometric"]
Noise = Literal["relative", "absolute"]
Half = Literal["develop", "report"]


@dataclass(frozen=True)
class Input:
    """A quantity that varies from row to row."""

    name: str
    least: float
    largest: float
    spacing: Spacing = "even"


@dataclass(frozen=True)
class Curve:
    """A law with its constants, and how it is measured."""

    name: str
    field: str
    formula: str
    inputs: tuple[Input, ...]
    n_rows: int
    noise: float
    """standard deviation as a share of the value (relative) or of the spread of all values (absolute)"""
    kind: Noise
    half: Half


# One line per curve: name | formula | inputs | rows | noise. An input is `x 1..10`, or `x 1~10` if it is
# geometric. The noise is in per cent of the value (`%`) or of the spread of the curve (`% abs`).
TABLE = {
    "mechanics": """
free fall | 4.905*t^2 | t 0.2..2.4 | 12 | 2%
pendulum | 2.006*sqrt(l) | l 0.1..2.5 | 10 | 3%
damped oscillation | 3.1*exp(-0.22*t)*cos(2.4*t) | t 0..10 | 50 | 4% abs
drag | 0.61*A*v^3 | A 0.4..2.5, v 3..20 | 24 | 5%
orifice flow | 0.031*sqrt(h - 0.12) | h 0.2..2 | 14 | 2%
spring in series | 420*k/(420 + k) | k 40~4000 | 16 | 3%
rolling with friction | 0.31*g*cos(a) + 1.2*sin(a) | g 5..15, a 0.1..1.3 | 30 | 3% abs
Poiseuille flow | 0.39*p*r^4/(m*l) | p 1..9, r 0.5..2, m 0.5..3, l 1..6 | 48 | 5%
""",
    "electricity": """
charging capacitor | 5*(1 - exp(-t/1.9)) | t 0.2..9 | 16 | 3%
Ohm with contact | 0.47*I + 0.06 | I 0.1..3 | 12 | 3% abs
diode | 0.0021*(exp(7.4*V) - 1) | V 0.05..0.8 | 18 | 5%
low-pass gain | 1/sqrt(1 + (f/160)^2) | f 10~3000 | 20 | 3%
resonance | 2.4/sqrt((w - 5/w)^2 + 0.4) | w 0.6..6 | 40 | 3%
Coulomb force | 8.99*p*q/r^2 | p 1..6, q 1..6, r 0.5..4 | 36 | 4%
""",
    "optics": """
Beer-Lambert | 0.98*exp(-0.83*c) | c 0.1..4 | 12 | 3%
Malus | 2.2*cos(a)^2 + 0.15 | a 0..3.1 | 24 | 3% abs
thin lens | 12*u/(u - 12) | u 15..80 | 12 | 3%
Cauchy dispersion | 1.48 + 0.0052/w^2 | w 0.35..0.9 | 10 | 0.1%
Gaussian beam | 0.3*sqrt(1 + (z/4.1)^2) | z 0.5..25 | 16 | 3%
Lorentz line | 1.9/((f - 4.2)^2 + 0.5) | f 1..8 | 35 | 4% abs
""",
    "thermodynamics": """
Newton cooling | 21 + 62*exp(-0.043*t) | t 0..90 | 18 | 1%
Arrhenius rate | 4e6*exp(-4300/T) | T 280..420 | 12 | 6%
radiation | 5.1e-8*(T^4 - 7.4e9) | T 310..900 | 15 | 3%
vapour pressure | exp(16.9 - 3600/(T - 50)) | T 290..390 | 14 | 2%
ideal gas | 8.31*n*T/V | n 0.5..4, T 250..450, V 5..40 | 30 | 3%
barometric | 1013*exp(-h/8.2) | h 0..12 | 12 | 2%
""",
    "chemistry": """
first-order decay | 12.4*exp(-0.37*t) | t 0..9 | 10 | 5%
second-order decay | 1.8/(1 + 0.42*t) | t 0..15 | 14 | 4%
Langmuir isotherm | 3.2*p/(0.8 + p) | p 0.1~20 | 12 | 4%
Freundlich isotherm | 2.7*c^0.43 | c 0.05~30 | 12 | 6%
consecutive reaction | 2.1*(exp(-0.3*t) - exp(-1.1*t)) | t 0.2..12 | 24 | 4%
Nernst | 0.34 + 0.0128*log(c) | c 0.001~2 | 12 | 1%
rate law | 0.52*a*sqrt(b) | a 0.2..3, b 0.2..3 | 24 | 5%
bimolecular with saturation | 3.1*a*b/(1 + 0.8*a) | a 0.1..6, b 0.1..4 | 36 | 4%
""",
    "pharmacology": """
Michaelis-Menten | 7.3*S/(1.9 + S) | S 0.2..15 | 12 | 4%
Hill | 8.2*x^2/(11 + x^2) | x 0.4~25 | 14 | 4%
oral absorption | 14*(exp(-0.12*t) - exp(-0.9*t)) | t 0.5..30 | 16 | 5%
two compartments | 9*exp(-1.1*t) + 2.6*exp(-0.11*t) | t 0.1..24 | 20 | 4%
competitive inhibition | 6.4*S/(1.5*(1 + I/2.2) + S) | S 0.3..12, I 0..8 | 36 | 4%
clearance by weight | 0.38*w^0.75 | w 3~110 | 16 | 8%
""",
    "biology": """
logistic growth | 9.4/(1 + 21*exp(-0.62*t)) | t 0..14 | 18 | 4%
metabolic rate | 3.4*m^0.75 | m 0.02~3000 | 20 | 8%
photosynthesis light | 18*L/(140 + L) - 1.3 | L 5..900 | 16 | 3% abs
Gompertz growth | 7.9*exp(-4.1*exp(-0.35*t)) | t 0..16 | 18 | 4%
substrate inhibition | 5.5*S/(1.2 + S + S^2/9) | S 0.1..30 | 20 | 4%
membrane potential | 58*log(K/120)/log(10) | K 2~100 | 10 | 3%
circadian rhythm | 36.8 + 0.42*cos(0.2618*t - 4.4) | t 0..47 | 24 | 5% abs
growth rate over temperature | 0.024*(T - 4.5)^2 | T 8..30 | 12 | 5%
""",
    "ecology": """
Holling functional response | 0.9*N/(1 + 0.9*0.14*N) | N 1..80 | 14 | 6%
species-area | 22*A^0.27 | A 0.1~5000 | 14 | 6%
Ricker stock | 3.1*S*exp(-0.06*S) | S 1..60 | 20 | 8%
self-thinning | 8500*d^(-1.5) | d 5..40 | 14 | 6%
predator interference | 1.3*N/(2.4 + N + 0.7*P) | N 1..25, P 0.5..10 | 40 | 5%
light in a canopy | 1600*exp(-0.52*L) | L 0..7 | 12 | 5%
""",
    "earth": """
Manning velocity | 28*R^0.6667*sqrt(s) | R 0.3..4, s 0.0005~0.02 | 30 | 4%
saturation vapour | 6.11*exp(17.3*T/(T + 237)) | T -10..40 | 16 | 2%
wind profile | 0.41*log(z/0.03) | z 0.5~60 | 12 | 3%
aftershocks | 310/(t + 0.7) | t 0.2~80 | 16 | 8%
infiltration | 1.2 + 6.5*exp(-1.4*t) | t 0..4 | 14 | 4%
Stokes settling | 0.92*d^2*(r - 1) | d 0.1..1.2, r 1.2..3 | 24 | 4%
""",
    "astronomy": """
Kepler period | 0.917*a^1.5 | a 0.3~40 | 9 | 1%
Hubble flow | 71*d | d 2..200 | 30 | 10% abs
mass-luminosity | 1.1*M^3.6 | M 0.4~12 | 16 | 8%
distance modulus | 5*log(d)/log(10) - 5 | d 20~2000 | 14 | 2%
King profile | 44/(1 + (r/3.1)^2) | r 0.2~30 | 18 | 5%
light curve dip | 1 - 0.21*exp(-(t - 3.1)^2/0.8) | t 0..6 | 40 | 3% abs
""",
    "materials": """
Hall-Petch | 72 + 410/sqrt(d) | d 2~200 | 12 | 3%
power-law creep | 0.0034*s^4.2 | s 2..9 | 12 | 8%
shear thinning | 3.4*g^(-0.58) | g 0.1~500 | 14 | 5%
stretched relaxation | 2.2*exp(-(t/5.1)^0.6) | t 0.1~60 | 20 | 3%
Curie-Weiss | 1.7/(T - 112) | T 130..320 | 14 | 3%
conduction through a wall | 0.8*A*(a - b)/d | A 1..9, a 40..90, b 5..30, d 0.1..0.6 | 48 | 4%
""",
    "statistics": """
bell curve | 0.62*exp(-(x - 1.4)^2/1.9) | x -2..5 | 24 | 4% abs
logit | 1/(1 + exp(1.7 - 0.9*x)) | x -3..7 | 20 | 4% abs
standard error | 3.3/sqrt(n) | n 4~400 | 12 | 5%
Weibull hazard | 0.34*t^0.8 | t 0.2..9 | 14 | 6%
""",
    "economics": """
Cobb-Douglas | 1.9*L^0.7*K^0.3 | L 1..30, K 1..30 | 40 | 4%
demand curve | 240*p^(-1.3) | p 1..12 | 14 | 6%
learning curve of cost | 85*n^(-0.32) | n 1~500 | 14 | 5%
total cost | 120 + 3.1*q + 0.08*q^2 | q 1..60 | 16 | 3%
trade gravity | 0.8*a*b/d | a 1..20, b 1..20, d 2..50 | 40 | 10%
profit | 4.2*q - 0.05*q^2 - 12 | q 1..70 | 18 | 4% abs
""",
    "finance": """
compound growth | 100*exp(0.061*t) | t 0..25 | 14 | 4%
annuity value | 50*(1 - exp(-0.07*t))/0.07 | t 1..40 | 14 | 2%
yield curve | 4.4 - 2.1*exp(-0.35*m) | m 0.25..20 | 14 | 2%
square-root risk | 1.6*s*sqrt(t) | s 0.1..0.6, t 0.1..5 | 24 | 5%
""",
}


@cache
def curves(half: Half | None = None) -> tuple[Curve, ...]:
    """Return all curves, or those of one half."""
    every = []
    n_of_field: Counter[str] = Counter()
    for field, lines in TABLE.items():
        for line in lines.strip().splitlines():
            every.append(_read(line, field, "develop" if n_of_field[field] % 2 == 0 else "report"))
            n_of_field[field] += 1
    return tuple(curve for curve in every if half in (None, curve.half))


def curve_of(name: str) -> Curve:
    """Return the curve of that name."""
    return next(curve for curve in curves() if curve.name == name)


def _read(line: str, field: str, half: Half) -> Curve:
    name, formula, inputs, n_rows, noise = (cell.strip() for cell in line.split("|"))
    percent, _, kind = noise.partition("%")
    return Curve(
        name=name,
        field=field,
        formula=formula,
        inputs=tuple(_read_input(text) for text in inputs.split(",")),
        n_rows=int(n_rows),
        noise=float(percent) / 100.0,
        kind="absolute" if kind.strip() == "abs" else "relative",
        half=half,
    )


def _read_input(text: str) -> Input:
    name, _, limits = text.strip().partition(" ")
    is_geometric = "~" in limits
    least, _, largest = limits.partition("~" if is_geometric else "..")
    return Input(name, float(least), float(largest), "geometric" if is_geometric else "even")
