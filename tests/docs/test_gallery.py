"""The gallery: each page's code prints what the page says, and its picture is drawn from that run."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from docs.gallery.make import GALLERY, PICTURES, draw


@pytest.mark.parametrize("page", PICTURES)
def test_code_prints_what_the_page_says(page: str, tmp_path: Path) -> None:
    printed = draw(page, tmp_path).splitlines()
    expected = re.findall(r"^print\(.*\)  # (.+)$", (GALLERY / f"{page}.md").read_text(), re.MULTILINE)
    assert printed == expected
    assert ElementTree.parse(tmp_path / f"{page}.svg").getroot().tag.endswith("svg")


def test_every_page_has_its_picture_and_its_data() -> None:
    pages = {path.stem for path in GALLERY.glob("*.md")} - {"index"}
    assert pages == set(PICTURES)
    for page in pages:
        text = (GALLERY / f"{page}.md").read_text()
        assert f"({page}.svg)" in text and (GALLERY / f"{page}.svg").is_file()
        assert f"({page}.csv)" in text and (GALLERY / f"{page}.csv").is_file()
