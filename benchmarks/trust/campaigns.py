"""All campaigns by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.trust import awkward, determinism, exports, faults, fuzz, kills, mutations, soak
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally


@dataclass(frozen=True)
class Campaign:
    """A campaign, and its share of the time in a short version."""

    run: Callable[[Plan], dict[str, Tally]]
    share: float
    promise: str
    """what it checks, as docs/trust.md states it"""


CAMPAIGNS = {
    "kills": Campaign(
        kills.run_campaign,
        0.25,
        "`ddsr fit` and `ddsr bench run` are killed at random moments, at saves and during the final choice, "
        "then resumed. The resumed run finishes. Without a time limit it finds the same front, bit for bit.",
    ),
    "faults": Campaign(
        faults.run_campaign,
        0.12,
        "A full disk, a read-only folder, too little memory or a killed worker ends in one line of error. "
        "Nothing that was saved is lost.",
    ),
    "awkward": Campaign(
        awkward.run_campaign,
        0.2,
        "Awkward data give a model with finite predictions on the training rows, or one of `ddsr.errors`, "
        "within the time limit plus 1 s and without warnings.",
    ),
    "fuzz": Campaign(
        fuzz.run_campaign,
        0.13,
        "Random token rows and random texts cause no memory error and no undefined behaviour: the core is "
        "built with AddressSanitizer and UBSan.",
    ),
    "mutations": Campaign(
        mutations.run_campaign,
        0.1,
        "Damaged model files, weights, run folders, state files and CSVs open, or are refused by one of "
        "`ddsr.errors`. None of them hangs.",
    ),
    "determinism": Campaign(
        determinism.run_campaign,
        0.07,
        "The front is the same, bit for bit, with 1, 2 and 4 threads and in new processes.",
    ),
    "soak": Campaign(
        soak.run_campaign,
        0.08,
        "Memory grows by less than 1 MB a minute while one process fits again and again.",
    ),
    "exports": Campaign(
        exports.run_campaign,
        0.05,
        "NumPy, Python, SymPy, torch, text and model files of random models agree to 1e-9, where the "
        "equation is well-conditioned.",
    ),
}
