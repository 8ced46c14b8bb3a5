"""Pages of which a part is written from kept runs, between two marks."""

from __future__ import annotations

from pathlib import Path

from ddsr.errors import BenchError

ROOT = Path(__file__).resolve().parent.parent


def marks(name: str) -> tuple[str, str]:
    """The marks around text on a page that is written from runs."""
    return f"<!-- {name}: written by `make results` -->", f"<!-- end of {name} -->"


def with_tables(page: str, text: str, name: str = "results") -> str:
    """Return the page with the text between its marks."""
    begin_mark, end_mark = marks(name)
    before, begin, rest = page.partition(begin_mark)
    _, end, after = rest.partition(end_mark)
    if not (begin and end):
        raise BenchError(f"no place for the {name}: the page lacks {begin_mark} and {end_mark}")
    return f"{before}{begin}\n\n{text}\n{end}{after}"
