"""The site's table of contents has every page; a missing one is a warning that fails the build."""

from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_every_page_is_in_the_navigation() -> None:
    contents = (DOCS.parent / "mkdocs.yml").read_text().partition("\nnav:\n")[2]
    listed = {line.split()[-1] for line in contents.splitlines() if line.endswith(".md")}
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert {page for page in pages if not page.startswith("lab/2")} <= listed
