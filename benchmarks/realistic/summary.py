"""Tables of a run in Markdown: rates by time limit, calibration, and the real sets."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, TypeVar

from benchmarks.realistic.calibration import LEAST_FITS, bins
from benchmarks.realistic.lines import CURVES, DDSR, REAL, Row, Task

Key = TypeVar("Key", bound=tuple[Any, ...])
LEFT_OUT = "ddsr, own form left out"
CEILING = "ddsr, true form as a guess"
DECIMAL = re.compile(r"\d+\.\d+(e[+-]?\d+)?")
NOTHING = "No fit is there yet.\n"


def summarize(rows: Sequence[Row], n_draws: int | None = None) -> str:
    """Format all tables. Rates use the first `n_draws` draws of each curve, calibration uses all."""
    of_curves = [row for row in rows if row.task.suite == CURVES]
    counted = [row for row in of_curves if n_draws is None or row.task.draw < n_draws]
    real = [row for row in rows if row.task.suite == REAL]
    parts = [rates(counted), left_out(counted), became_wrong(counted), calibration(of_curves)]
    parts += [real_sets(real), failures(rows)]
    return "\n".join(part for part in parts if part) or NOTHING


def name_of(task: Task) -> str:
    """The name of a method in a table."""
    if task.method != DDSR:
        return task.method
    return CEILING if task.has_guess else LEFT_OUT if task.is_left_out else DDSR


def rates(rows: Sequence[Row]) -> str:
    """One row for each time limit and method."""
    if not rows:
        return ""
    lines = [
        "| time (s) | method | form right | equal (SymPy) | useful | swings "
        "| among three | if wrong | fits |",
        "| ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for (limit, name), some in grouped(rows, lambda row: (row.task.limit, _order(name_of(row.task)))):
        has_forms = some[0].task.method == DDSR
        wrong = [row for row in some if not row.is_form_right]
        cells = [
            f"{limit:g}",
            name[1],
            percent(row.is_form_right for row in some),
            percent(bool(row.is_equal) for row in some),
            percent(row.is_useful for row in some),
            percent(row.swings for row in some),
            percent(row.is_among_three for row in some) if has_forms else "–",
            percent(row.is_among_three for row in wrong) if has_forms else "–",
            str(len(some)),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    undecided = sum(row.is_equal is None and not row.error for row in rows)
    if undecided:
        lines += ["", f"SymPy could not compare {undecided} equations in time; they count as not equal."]
    return "\n".join(lines) + "\n"


def left_out(rows: Sequence[Row]) -> str:
    """The effect of leaving the form of a curve out of the corpus, over fits done both ways."""
    plain = {_table(row): row for row in rows if name_of(row.task) == DDSR}
    others = {_table(row): row for row in rows if name_of(row.task) == LEFT_OUT}
    lines = []
    for limit in sorted({limit for _, _, limit in plain.keys() & others.keys()}):
        pairs = [(plain[key], others[key]) for key in plain.keys() & others.keys() if key[2] == limit]
        lost = sum(one.is_form_right and not other.is_form_right for one, other in pairs)
        gained = sum(other.is_form_right and not one.is_form_right for one, other in pairs)
        lines.append(
            f"- {limit:g} s: {100.0 * (gained - lost) / len(pairs):+.1f} points "
            f"({lost} lost, {gained} gained of {len(pairs)})"
        )
    return "\n".join(["Form right without the own form in the corpus:\n", *lines, ""]) if lines else ""


def became_wrong(rows: Sequence[Row]) -> str:
    """Fits whose form was right at one time limit and wrong at a longer one."""
    lines = []
    plain = [row for row in rows if name_of(row.task) == DDSR]
    for (curve, draw), some in grouped(plain, lambda row: (row.task.curve, row.task.draw)):
        ordered = sorted(some, key=lambda row: row.task.limit)
        for before, after in zip(ordered, ordered[1:], strict=False):
            if before.is_form_right and not after.is_form_right:
                lines.append(
                    f"- {curve}, draw {draw}: `{_short(before.equation)}` at {before.task.limit:g} s, "
                    f"`{_short(after.equation)}` at {after.task.limit:g} s"
                )
    if len({row.task.limit for row in plain}) < 2:
        return ""
    return "\n".join([f"Right forms that became wrong with more time: {len(lines) or 'none'}.\n", *lines, ""])


def calibration(rows: Sequence[Row]) -> str:
    """Stated probability, share of right forms and count, over all fits of ddsr without help."""
    found = bins([row for row in rows if name_of(row.task) == DDSR and not row.error])
    if not found:
        return ""
    lines = ["| stated probability | mean stated | right | fits |", "| --- | ---: | ---: | ---: |"]
    lines += [
        f"| {100 * each.least:.1f}–{100 * each.largest:.1f} % | {100 * each.said:.1f} % "
        f"| {100 * each.right:.1f} % | {each.n_fits} |"
        for each in found
    ]
    if found[0].n_fits < LEAST_FITS:
        lines += ["", f"These are fewer than the {LEAST_FITS} fits that a bin should have."]
    return "\n".join(lines) + "\n"


def real_sets(rows: Sequence[Row]) -> str:
    """Laws found by time limit and method, and one row for each set."""
    if not rows:
        return ""
    lines = [
        "| time (s) | method | law found | equal (SymPy) | fits |",
        "| ---: | --- | ---: | ---: | ---: |",
    ]
    for (limit, name), some in grouped(rows, lambda row: (row.task.limit, _order(name_of(row.task)))):
        n_found, n_equal = sum(row.is_form_right for row in some), sum(bool(row.is_equal) for row in some)
        lines.append(f"| {limit:g} | {name[1]} | {n_found} | {n_equal} | {len(some)} |")
    lines += ["", "| set | time (s) | method | law found | equations |", "| --- | ---: | --- | ---: | --- |"]
    for (real_set, limit, method), some in grouped(
        rows, lambda row: (row.task.curve, row.task.limit, _order(name_of(row.task)))
    ):
        ordered = sorted(some, key=lambda row: row.task.draw)
        equations = "; ".join(f"`{_short(row.equation)}`" if row.equation else "–" for row in ordered)
        n_found = sum(row.is_form_right for row in some)
        lines.append(f"| {real_set} | {limit:g} | {method[1]} | {n_found} of {len(some)} | {equations} |")
    return "\n".join(lines) + "\n"


def failures(rows: Iterable[Row]) -> str:
    """Fits without an equation, with the reason."""
    lines = [
        f"- {name_of(row.task)}, {row.task.curve}, {row.task.limit:g} s: {row.error}"
        for row in rows
        if row.error
    ]
    return "\n".join([f"Fits that failed, counted as wrong: {len(lines)}.\n", *lines, ""]) if lines else ""


def percent(flags: Iterable[bool]) -> str:
    """Format a share."""
    each = list(flags)
    return f"{100.0 * sum(each) / len(each):.1f} %" if each else "–"


def grouped(rows: Iterable[Row], key: Callable[[Row], Key]) -> Iterator[tuple[Key, list[Row]]]:
    """Yield rows with equal keys, in rising order of the keys."""
    for value, some in groupby(sorted(rows, key=key), key):
        yield value, list(some)


def _order(name: str) -> tuple[int, str]:
    """ddsr first, then its variants, then the peers."""
    known = (DDSR, LEFT_OUT, CEILING)
    return known.index(name) if name in known else len(known), name


def _table(row: Row) -> tuple[str, int, float]:
    return row.task.curve, row.task.draw, row.task.limit


def _short(equation: str, most: int = 90) -> str:
    text = DECIMAL.sub(lambda found: f"{float(found[0]):.4g}", equation)
    return text if len(text) <= most else f"{text[: most - 1]}…"
