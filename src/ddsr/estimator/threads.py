"""The number of threads of a fit: `n_jobs` as in scikit-learn."""

from __future__ import annotations

from joblib import effective_n_jobs

from ddsr.data.checks import check_whole
from ddsr.engine import MOST_THREADS
from ddsr.errors import DataError

# In messages, which the command line shows too: there the option is called --jobs.
NAME = "the number of threads"


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads; None is 1 and -1 is all, unless a joblib context says otherwise."""
    if n_jobs is not None and check_whole(n_jobs, NAME, least=-MOST_THREADS, most=MOST_THREADS) == 0:
        raise DataError(f"{NAME} must not be 0: use -1 for all cores")
    return min(int(effective_n_jobs(n_jobs)), MOST_THREADS)
