"""The figures of docs/how.md can still be drawn by the code and are all on the page."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest
from docs.figures.make import FIGURES, FOLDER
from docs.figures.masking import LEARNED, MAX_LENGTH, backward

from ddsr import Expression, Grammar, Vocabulary
from ddsr._core import MASK
from docs_cases import search_little


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn(name: str, tmp_path: Path, monkeypatch) -> None:
    search_little(monkeypatch, [])
    FIGURES[name](tmp_path)
    assert ElementTree.parse(tmp_path / f"{name}.svg").getroot().tag.endswith("svg")


def test_the_page_shows_all_of_them() -> None:
    page = (FOLDER.parent / "how.md").read_text()
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(FIGURES)
    assert all(f"(figures/{name}.svg)" in page for name in FIGURES)


def test_the_backward_process_ends_at_the_learned_expression() -> None:
    vocabulary = Vocabulary(["x", "y"], ["+", "-", "*", "/", "sin", "cos", "exp"], has_constant=True)
    steps = backward(Grammar(vocabulary, max_length=MAX_LENGTH))
    assert np.all(steps[0].kept == MASK)
    last = Expression(vocabulary, [int(token) for token in steps[-1].filled if token >= 0])
    assert last.skeleton() == Expression.parse(LEARNED, vocabulary).skeleton()
