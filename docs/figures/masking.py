"""The backward process on one expression: what each step keeps, and the tree that its fill draws."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from docs.drawing import BLUE, GREY, LIGHT, ORANGE, drawn
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from ddsr import Expression, Grammar, Vocabulary
from ddsr._core import MASK
from ddsr.generators.diffusion.generator import is_complete, keep_more
from ddsr.generators.diffusion.masking import draw_unmask_order

LEARNED = "? * sin(x) + y"
MAX_LENGTH = 9
SEED, ORDER_SEED = 22, 1
LEAN = 2.8  # by how much the logits of the learned tokens exceed the others
SYMBOLS = {"add": "+", "sub": "−", "mul": "×", "div": "÷", "pow": "^", "?": "c"}
PANELS = 5


@dataclass(frozen=True)
class Step:
    """One step: the tokens kept before it, and the expression that its fill drew."""

    kept: NDArray[np.int16]
    filled: NDArray[np.int16]


def backward(grammar: Grammar) -> list[Step]:
    """Go from all masked to an expression, with logits that favour the learned one at every position."""
    tokens = Expression.parse(LEARNED, grammar.vocabulary).tokens
    logits = np.zeros((1, MAX_LENGTH, len(grammar.vocabulary)), np.float32)
    logits[0, np.arange(len(tokens)), tokens] = LEAN
    order = draw_unmask_order(1, MAX_LENGTH, np.random.default_rng(ORDER_SEED))[0]
    kept = np.full((1, MAX_LENGTH), MASK, np.int16)
    steps = []
    for number, position in enumerate(order):
        filled = grammar.fill_tokens(logits, kept, SEED, stream=number)
        steps.append(Step(kept[0], filled[0]))
        kept = keep_more(kept, filled, np.array([[position]]))
        if is_complete(kept, filled).all():
            break
    return [*steps, Step(kept[0], filled[0])]


def draw_masking(folder: Path) -> None:
    """Draw some of the steps side by side: the tree above, the sequence below."""
    vocabulary = Vocabulary(["x", "y"], ["+", "-", "*", "/", "sin", "cos", "exp"], has_constant=True)
    steps = backward(Grammar(vocabulary, max_length=MAX_LENGTH))
    chosen = [*_distinct(steps)[: PANELS - 1], steps[-1]]
    with drawn(folder / "masking.svg", 11, 3.4) as figure:
        for number, (axes, step) in enumerate(zip(figure.subplots(1, PANELS), chosen, strict=True)):
            titles = {0: "all masked", PANELS - 1: "done"}
            n_kept = int((step.kept != MASK).sum())
            axes.set_title(titles.get(number, f"{n_kept} kept"))
            _draw_tree(axes, step, vocabulary)
            _draw_sequence(axes, step, vocabulary)


def _distinct(steps: list[Step]) -> list[Step]:
    """Steps that keep more than those before them. A position after the end reveals nothing."""
    firsts: dict[int, Step] = {}
    for step in steps[:-1]:
        firsts.setdefault(int((step.kept != MASK).sum()), step)
    return [*firsts.values(), steps[-1]]


def _symbol(vocabulary: Vocabulary, token: int) -> str:
    name = vocabulary.names[token]
    return SYMBOLS.get(name, name)


def _draw_tree(axes: Axes, step: Step, vocabulary: Vocabulary) -> None:
    places = _places([vocabulary.arity(int(token)) for token in step.filled if token >= 0])
    for child, (x, y, parent) in enumerate(places):
        if parent is not None:
            axes.plot([x, places[parent][0]], [y, places[parent][1]], color=GREY, linewidth=1, zorder=1)
        _draw_node(axes, x, y, _symbol(vocabulary, int(step.filled[child])), step.kept[child] != MASK)
    axes.set(xlim=(-0.05, 1.05), ylim=(-0.45, 1.12))
    axes.axis("off")


def _draw_node(axes: Axes, x: float, y: float, text: str, is_kept: bool) -> None:
    colour, ink = (BLUE, "white") if is_kept else ("white", ORANGE)
    axes.text(
        x,
        y,
        text,
        color=ink,
        ha="center",
        va="center",
        zorder=2,
        bbox={"boxstyle": "circle,pad=0.3", "facecolor": colour, "edgecolor": BLUE if is_kept else ORANGE},
    )


def _draw_sequence(axes: Axes, step: Step, vocabulary: Vocabulary) -> None:
    width = 1 / MAX_LENGTH
    for position, token in enumerate(step.kept):
        is_kept = token >= 0
        left = position * width
        colour = BLUE if is_kept else LIGHT
        axes.add_patch(_cell(left, width, colour))
        text = _symbol(vocabulary, int(token)) if is_kept else "?"
        size = 8 if len(text) == 1 else 6
        ink = "white" if is_kept else GREY
        axes.text(left + width / 2, -0.34, text, color=ink, ha="center", va="center", fontsize=size)


def _cell(left: float, width: float, colour: str) -> Rectangle:
    return Rectangle((left, -0.4), width * 0.92, 0.12, facecolor=colour, edgecolor="none")


def _places(arities: list[int]) -> list[tuple[float, float, int | None]]:
    """The position of each node of a breadth-first sequence, in the unit square, and its parent."""
    parents: list[int | None] = [None]
    for node, arity in enumerate(arities):
        parents += [node] * arity
    depths = [0]
    for parent in parents[1:]:
        depths.append(depths[parent or 0] + 1)
    nodes = range(len(arities))
    children = {node: [child for child in nodes if parents[child] == node] for node in nodes}
    columns: dict[int, float] = {}

    def place(node: int) -> None:
        for child in children[node]:
            place(child)
        below = [columns[child] for child in children[node]]
        n_leaves = sum(1 for other in columns if not children[other])
        columns[node] = sum(below) / len(below) if below else float(n_leaves)

    place(0)
    n_leaves, deepest = max(1, sum(not own for own in children.values())), max(max(depths), 1)
    return [((columns[node] + 0.5) / n_leaves, 1 - depths[node] / deepest, parents[node]) for node in nodes]
