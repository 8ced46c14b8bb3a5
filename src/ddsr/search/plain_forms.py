"""Plain forms: all cheap structures, fitted to a small table, as candidates for the choice.

A search may miss a cheap structure. Here all are fitted, the cheapest first, until the time is up.
"""

from __future__ import annotations

from math import isclose

from ddsr.config import DefaultConfig
from ddsr.deadline import NEVER, Deadline
from ddsr.price.code_in_use import code_in_use
from ddsr.price.description_length import FEW_ROWS
from ddsr.price.enumeration import CheapForms, FittedForm
from ddsr.price.model import Model
from ddsr.search.front import N_SPARE_ROWS
from ddsr.search.problem import Problem

MOST_NATS = 14.0
MOST_VARIABLES = 4
N_STARTS, MAX_STEPS = 6, 40
N_KEPT = 24
TOKENS_OF_SCALE, CONSTANTS_OF_SCALE = 4, 2  # a * f + b: no limit of the search counts these
SAME_SQUARES = 1e-7  # relative difference of mean squares below which two forms are one function
SHARE = 0.25  # of the remaining time
# Structures per second of this share. Enumerating them takes time, too, so few different numbers are used.
A_SECOND, NUMBERS = 10_000, (2_500, 5_000, 10_000, 20_000)
# On a busy machine, little can be fitted in a share of the time. This number is always fitted: it covers the
# laws that many formulas have. The work on a fit grows with the rows.
FEWEST, MOST_FITTED_ROWS = 1_500, 60_000


def plain_forms(problem: Problem, end: Deadline, exact: float = 0.0) -> tuple[Model, ...]:
    """Return the plain forms of least description length; none for large tables or many columns.

    At most `max_evaluations` are fitted, and without a time limit at most one epoch's number. Fitting stops
    once a form has an NRMSE below `exact`.
    """
    engine, config = problem.engine, problem.config
    is_small = engine.n_rows <= FEW_ROWS and len(engine.vocabulary.inputs) <= MOST_VARIABLES
    has_template = engine.vocabulary.template is not None
    if has_template or not (isinstance(config, DefaultConfig) and config.constants and is_small):
        return ()
    most = config.evaluations_per_epoch
    if end != NEVER:
        wanted = A_SECOND * SHARE * end.seconds_left
        most = next((number for number in NUMBERS if number >= wanted), NUMBERS[-1])
    if config.max_evaluations is not None:
        most = min(most, config.max_evaluations)
    cheap = CheapForms(engine, code_in_use(), MOST_NATS, min(most, NUMBERS[-1]))
    deadline = NEVER if end == NEVER else Deadline(end.at - (1.0 - SHARE) * end.seconds_left)
    fewest = min(FEWEST, MOST_FITTED_ROWS // engine.n_rows)
    allows = problem.lister.listing.allows
    longest, most_constants = config.max_length + TOKENS_OF_SCALE, config.max_constants + CONSTANTS_OF_SCALE
    most_exact = (exact * engine.spread) ** 2

    def is_exact(form: FittedForm) -> bool:
        return form.mean_square < most_exact and form.n_free + N_SPARE_ROWS <= engine.n_observed

    def fits_limits(form: FittedForm) -> bool:
        return len(form.expression) <= longest and form.n_free <= most_constants

    found = cheap.fit(
        n_starts=N_STARTS, max_steps=MAX_STEPS, deadline=deadline, fewest=fewest, is_enough=is_exact
    )
    ranked = sorted(found, key=lambda form: form.length(engine.n_counted))
    kept: list[Model] = []
    mean_squares: list[float] = []
    for form in ranked:
        if len(kept) == N_KEPT:
            break
        is_known = any(isclose(form.mean_square, known, rel_tol=SAME_SQUARES) for known in mean_squares)
        is_open = not is_known and fits_limits(form) and allows(form.expression)
        if is_open and (engine.limits is None or engine.is_finite(form.expression)):
            mean_squares.append(form.mean_square)
            kept.append(Model(form.expression, tuple(not is_free for is_free in form.is_free)))
    return tuple(kept)
