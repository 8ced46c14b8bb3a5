"""Each gallery page's code prints what the page says, and its picture is drawn from that run."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from docs.gallery.make import GALLERY, PICTURES, draw

from docs_cases import is_same_equation, said, said_equations, search_little


def test_notations_of_one_equation_are_recognised() -> None:
    assert is_same_equation("2 * x * sqrt(x / y)", "2 * sqrt(x^3 / y)")
    assert not is_same_equation("2 * x * sqrt(x / y)", "2 * sqrt(x^2 / y)")


@pytest.mark.parametrize(
    ("page", "search"),
    [
        ("boyle", "little"),
        ("hubble", "little"),
        *(pytest.param(page, "as printed", marks=pytest.mark.slow) for page in PICTURES),
    ],
)
def test_code_prints_what_the_page_says(page: str, search: str, tmp_path: Path, monkeypatch) -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", (GALLERY / f"{page}.md").read_text(), re.DOTALL))
    if search == "little":
        search_little(monkeypatch, said_equations(code))
    printed, expected = draw(page, tmp_path).splitlines(), said(code)
    assert len(printed) == len(expected)
    for line, claim in zip(printed, expected, strict=True):
        assert line == claim or is_same_equation(line, claim)
    assert ElementTree.parse(tmp_path / f"{page}.svg").getroot().tag.endswith("svg")


def test_every_page_has_its_picture_and_its_data() -> None:
    pages = {path.stem for path in GALLERY.glob("*.md")} - {"index"}
    assert pages == set(PICTURES)
    for page in pages:
        text = (GALLERY / f"{page}.md").read_text()
        assert f"({page}.svg)" in text and (GALLERY / f"{page}.svg").is_file()
        assert f"({page}.csv)" in text and (GALLERY / f"{page}.csv").is_file()
