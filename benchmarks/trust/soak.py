"""Fit after fit in one process: its memory must not grow."""

from __future__ import annotations

import gc
import os
import time
from pathlib import Path

import numpy as np

from benchmarks.trust.child import Part, Result, run_part
from benchmarks.trust.plan import Plan
from benchmarks.trust.tally import Tally
from ddsr.estimator.regressor import DDSRRegressor

HOUR_S = 3600.0
MOST_MB_PER_MINUTE = 1.0
# Caches fill up first: for about 60 fits, and a share of the time.
WARM_UP_FITS, WARM_UP_SHARE = 60, 0.4
LEAST_POINTS = 20
HERE = "benchmarks.trust.soak"


def run_campaign(plan: Plan) -> dict[str, Tally]:
    """Run for an hour, or for the time available."""
    tally = Tally()
    part = plan.part(1.0)
    part.seconds = min(HOUR_S, part.seconds if part.seconds is not None else HOUR_S)
    run_part(part, tally, f"{HERE}:fits", 1_000_000)
    series = tally.notes.pop("series", [])
    growth = growth_of(series)
    tally.notes |= {"minutes": round(part.seconds / 60, 1), "fits": tally.tried}
    tally.notes["MB a minute"] = None if growth is None else round(growth, 3)
    if growth is None:
        tally.notes["too short"] = f"growth is not judged: it needs {WARM_UP_FITS} fits to warm up, and more"
    if growth is not None and growth >= MOST_MB_PER_MINUTE:
        tally.add([f"memory grows by {growth:.2f} MB a minute"], tried=0)
    return {"memory": tally}


def growth_of(series: list[list[float]]) -> float | None:
    """MB per minute after the warm-up, as the slope through (seconds, MB); None for too few points."""
    points = np.array(series, float).reshape(-1, 2)
    points = points[points[:, 0] >= WARM_UP_SHARE * points[-1:, 0].sum()]
    if len(points) < LEAST_POINTS or np.ptp(points[:, 0]) == 0.0:
        return None
    return float(np.polyfit(points[:, 0] / 60.0, points[:, 1], 1)[0])


def resident_mb() -> float:
    """Resident memory of this process."""
    n_pages = int(Path("/proc/self/statm").read_text().split()[1])
    return n_pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def fits(seed: int, folder: Path) -> Part:
    """Run small fits of all kinds; after the warm-up each records the memory."""
    began, series = time.monotonic(), []
    config = {"evaluations_per_epoch": 2000}

    def case(number: int) -> Result:
        rng = np.random.default_rng([seed, number])
        X = rng.uniform(0.5, 3.0, size=(int(rng.choice([20, 300, 2000])), int(rng.integers(1, 5))))
        y = np.sin(2 * X[:, 0]) * X[:, -1] + 0.1 * rng.normal(size=len(X))
        preset = ("ddsr", "ddsr", "uniform")[number % 3]
        options = {"config": config, "max_time": 3.0} if preset == "ddsr" else {}
        model = DDSRRegressor(preset, max_epochs=2, random_state=number, **options).fit(X, y)
        model.predict(X)
        path = folder / "soak.json"
        model.save(path)
        DDSRRegressor.load(path).equations_.to_csv()
        del model
        gc.collect()
        if number >= WARM_UP_FITS:
            series.append([round(time.monotonic() - began, 2), round(resident_mb(), 3)])
        every = -(-len(series) // 500) or 1
        return Result(notes={"series": series[::every]})

    return case
