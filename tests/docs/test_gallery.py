"""The gallery: each page's code prints what the page says, and its picture is drawn from that run."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from docs.gallery.make import GALLERY, PICTURES, draw

from ddsr.expression import OPERATORS, Expression, Vocabulary


def is_same_equation(line: str, said: str) -> bool:
    """Whether they are one function of positive numbers: another machine may find another writing."""
    names = sorted(set(re.findall(r"[a-z_]\w*", line + said)) - set(OPERATORS))
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (50, len(names)))
    one, other = (Expression.parse(text, vocabulary).to_callable()(rows) for text in (line, said))
    return bool(np.allclose(one, other, rtol=1e-3))


def test_one_equation_in_two_writings_is_told_from_two() -> None:
    assert is_same_equation("2 * x * sqrt(x / y)", "2 * sqrt(x^3 / y)")
    assert not is_same_equation("2 * x * sqrt(x / y)", "2 * sqrt(x^2 / y)")


@pytest.mark.parametrize("page", PICTURES)
def test_code_prints_what_the_page_says(page: str, tmp_path: Path) -> None:
    printed = draw(page, tmp_path).splitlines()
    expected = re.findall(r"^print\(.*\)  # (.+)$", (GALLERY / f"{page}.md").read_text(), re.MULTILINE)
    assert len(printed) == len(expected)
    for line, said in zip(printed, expected, strict=True):
        assert line == said or is_same_equation(line, said)
    assert ElementTree.parse(tmp_path / f"{page}.svg").getroot().tag.endswith("svg")


def test_every_page_has_its_picture_and_its_data() -> None:
    pages = {path.stem for path in GALLERY.glob("*.md")} - {"index"}
    assert pages == set(PICTURES)
    for page in pages:
        text = (GALLERY / f"{page}.md").read_text()
        assert f"({page}.svg)" in text and (GALLERY / f"{page}.svg").is_file()
        assert f"({page}.csv)" in text and (GALLERY / f"{page}.csv").is_file()
