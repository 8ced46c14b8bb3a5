"""Equations as vector graphics: an expression in matplotlib's mathtext, its glyphs as SVG paths.

Paths look the same in every browser, on paper and without any font installed, and take the colour of the text
around them. A page draws each glyph once (`GlyphSheet`) and places it wherever an equation has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# matplotlib lays text out at this size; coordinates below are in thousandths of an em.
LAYOUT_SIZE = 100.0
UNITS_PER_EM = 1000.0
PADDING = 30.0
# The same glyph has the same name on every page: several in one document, as in a notebook, agree.
PREFIX = "ddsr-"
# Nothing of the user's own matplotlib settings may change how a report looks.
STYLE: Any = {"mathtext.default": "it", "mathtext.fallback": "stix"}
FONT_FAMILY = "stix"
PATH_COMMANDS = {1: "M", 2: "L", 3: "Q", 4: "C", 79: "Z"}
N_POINTS = {1: 1, 2: 1, 3: 2, 4: 3, 79: 1}


class Drawing(NamedTuple):
    """An equation laid out, in thousandths of an em, y upwards from the baseline."""

    width: float
    height: float
    """above the baseline"""
    depth: float
    """below it"""
    glyphs: tuple[tuple[str, float, float, float], ...]
    """name, x, y and scale"""
    outlines: dict[str, str]
    """path data of each glyph"""
    bars: tuple[tuple[float, float, float, float], ...]
    """x, y, width and height of rules: of fractions and roots"""


class GlyphSheet:
    """The glyphs of all equations on one page, each drawn once."""

    def __init__(self) -> None:
        self._outlines: dict[str, str] = {}

    def place(self, drawing: Drawing, label: str) -> str:
        """An `svg` element as high as the text around it makes it; `label` is for who cannot see it."""
        self._outlines |= drawing.outlines
        top, bottom = drawing.height + PADDING, drawing.depth + PADDING
        width = drawing.width + 2 * PADDING
        parts = [
            f'<use href="#{PREFIX}{name}" '
            f'transform="translate({x + PADDING:.0f} {top - y:.0f}) scale({scale:.3g} {-scale:.3g})"/>'
            for name, x, y, scale in drawing.glyphs
        ]
        parts += [
            f'<rect x="{x + PADDING:.0f}" y="{top - y - high:.0f}" width="{wide:.0f}" height="{high:.0f}"/>'
            for x, y, wide, high in drawing.bars
        ]
        size = f"width:{width / UNITS_PER_EM:.3f}em;height:{(top + bottom) / UNITS_PER_EM:.3f}em"
        return (
            f'<svg class="equation" role="img" aria-label="{escape(label)}" fill="currentColor" '
            f'viewBox="0 0 {width:.0f} {top + bottom:.0f}" '
            f'style="{size};vertical-align:{-bottom / UNITS_PER_EM:.3f}em">{"".join(parts)}</svg>'
        )

    def definitions(self) -> str:
        """The `svg` element that the others refer to; it takes no room."""
        symbols = "".join(f'<path id="{PREFIX}{name}" d="{data}"/>' for name, data in self._outlines.items())
        no_room = 'width="0" height="0" style="position:absolute" aria-hidden="true"'
        return f"<svg {no_room}><defs>{symbols}</defs></svg>"


def draw(mathtext: str) -> Drawing:
    """Lay out what stands between the dollar signs of mathtext."""
    from matplotlib import rc_context
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    font = FontProperties(size=LAYOUT_SIZE, math_fontfamily=FONT_FAMILY)
    layout = TextToPath()
    with rc_context(STYLE):
        source = f"${mathtext}$"
        width, height, depth = layout.get_text_width_height_descent(source, font, ismath=True)
        glyphs, outlines, bars = layout.get_glyphs_mathtext(font, source)
    unit = UNITS_PER_EM / LAYOUT_SIZE
    return Drawing(
        width * unit,
        (height - depth) * unit,
        depth * unit,
        tuple((name, x * unit, y * unit, scale) for name, x, y, scale in glyphs),
        {name: _path_data(*outline, unit) for name, outline in outlines.items()},
        tuple(_bar(vertices, unit) for vertices, _ in bars),
    )


def _path_data(vertices: NDArray[np.float64], codes: NDArray[np.uint8], unit: float) -> str:
    pieces: list[str] = []
    place = 0
    while place < len(codes):
        code = int(codes[place])
        points = np.asarray(vertices[place : place + N_POINTS[code]]) * unit
        numbers = "" if code == 79 else " ".join(f"{x:.0f} {y:.0f}" for x, y in points)
        pieces.append(PATH_COMMANDS[code] + numbers)
        place += N_POINTS[code]
    return "".join(pieces)


def _bar(vertices: Sequence[Sequence[float]], unit: float) -> tuple[float, float, float, float]:
    corners = np.asarray(vertices[:4], dtype=np.float64) * unit
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(bottom), float(right - left), float(top - bottom)


def has_glyphs(text: str) -> bool:
    """Whether the font has every letter; mathtext would else draw a sign that means nothing."""
    from matplotlib.font_manager import findfont, get_font

    charmap = get_font(findfont("STIXGeneral")).get_charmap()
    return all(character.isspace() or ord(character) in charmap for character in text)
