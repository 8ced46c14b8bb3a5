"""The process behind `judge`: a line of JSON in, a verdict out, until its input ends."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Any, TextIO

from ddsr_bench.judge.rules import apply_rules, measure_size
from ddsr_bench.problems.suites import BenchmarkProblem


def read_problem(fields: dict[str, Any]) -> BenchmarkProblem:
    """A problem from its JSON, where tuples are lists."""
    ranges = tuple((low, high) for low, high in fields["ranges"])
    return BenchmarkProblem(**{**fields, "variables": tuple(fields["variables"]), "ranges": ranges})


def serve(requests: TextIO, answers: TextIO) -> None:
    """Judge line by line; the first line that goes out says that SymPy is loaded."""
    import sympy  # noqa: F401  (loaded before the first model, so that none pays for it)

    print("ready", file=answers, flush=True)
    for line in requests:
        request = json.loads(line)
        model, problem = request["model"], read_problem(request["problem"])
        if request["is_simplified"]:
            verdict = apply_rules(model, problem, request["r2_test"])
        else:
            verdict = measure_size(model, problem, is_simplified=False)
        print(json.dumps(asdict(verdict)), file=answers, flush=True)


if __name__ == "__main__":
    serve(sys.stdin, sys.stdout)
