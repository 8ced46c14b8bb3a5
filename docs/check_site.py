"""Checks that the built site is self-contained: `python -m docs.check_site site`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

# What a browser fetches by itself, unlike links that a reader may follow.
FETCHED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
    "link": "href",
}
# Links that a browser does not fetch.
NOTED = {"canonical", "next", "prev", "alternate", "author", "license"}
ELSEWHERE = re.compile(r"(https?:)?//", re.IGNORECASE)
FETCHED_BY_CSS = re.compile(r"""(?:@import\s*|url\(\s*)["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


class Fetches(HTMLParser):
    """Collects what a page fetches from other servers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Check one element of the page."""
        attributes = {name: value or "" for name, value in attrs}
        target = attributes.get(FETCHED.get(tag, ""), "")
        is_noted = tag == "link" and attributes.get("rel", "") in NOTED
        if ELSEWHERE.match(target) and not is_noted:
            self.found.append(target)
        self.found += FETCHED_BY_CSS.findall(attributes.get("style", ""))


def fetched_from_elsewhere(site: Path) -> Iterator[tuple[Path, str]]:
    """Yield each file of the site with an address that it would load from another server."""
    for page in sorted(site.rglob("*.html")):
        text = page.read_text(encoding="utf-8")
        fetches = Fetches()
        fetches.feed(text)
        styles = "\n".join(re.findall(r"<style[^>]*>(.*?)</style>", text, re.DOTALL))
        yield from ((page, address) for address in [*fetches.found, *FETCHED_BY_CSS.findall(styles)])
    for sheet in sorted(site.rglob("*.css")):
        found = FETCHED_BY_CSS.findall(sheet.read_text(encoding="utf-8"))
        yield from ((sheet, address) for address in found)


def main(site: Path) -> int:
    """Return exit status 0 if the site is self-contained."""
    if not (site / "index.html").is_file():
        print(f"{site} has no index.html: build it first, by make docs", file=sys.stderr)
        return 1
    found = list(fetched_from_elsewhere(site))
    for path, address in found:
        print(f"{path} loads {address}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
