"""Names of the package's own contributors in learning curves and saved states."""

from __future__ import annotations

REFINER, GENERATOR, PRIOR, SYMMETRIES = "refiner", "generator", "prior", "symmetries"
TIMED_AS = {REFINER: "refine", GENERATOR: "propose", PRIOR: "prime", SYMMETRIES: "reduce"}
"""names of their times in learning curves; other contributors use their own name"""


def timed_as(name: str) -> str:
    """Return the name of a contributor's time in learning curves."""
    return TIMED_AS.get(name, name)
