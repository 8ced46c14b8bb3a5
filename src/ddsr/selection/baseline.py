"""What is known before any search: the simplest expressions, so that there is a model from the start."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ddsr.engine import Engine
from ddsr.expression import Batch, Vocabulary
from ddsr.grammar import Grammar
from ddsr.selection.front import ParetoFront


def baseline(engine: Engine, grammar: Grammar) -> ParetoFront:
    """The front of a number alone and of each variable alone, scaled, and scaled and shifted.

    A number alone is there whatever the grammar says, since it always has a finite error; the others where
    the grammar allows them.
    """
    vocabulary = engine.vocabulary
    numbers = np.array(_numbers(vocabulary), dtype=np.int16).reshape(-1, 1)
    # all variables at once: there may be thousands
    lines = [each[grammar.is_legal(each, engine.n_threads)] for each in _lines(vocabulary)]
    batches = [Batch.from_tokens(vocabulary, each) for each in (numbers, *lines) if len(each)]
    return ParetoFront().merge(engine.score(Batch.joined(batches))) if batches else ParetoFront()


def _numbers(vocabulary: Vocabulary) -> list[list[int]]:
    """1 and c, as far as there are such tokens."""
    return [[token] for token in (vocabulary.one, vocabulary.constant) if token is not None]


def _lines(vocabulary: Vocabulary) -> Iterator[NDArray[np.int16]]:
    """x, c x and c x + d for all variables x, as far as there are such tokens: (variables, tokens) each."""
    variables = vocabulary.first_variable + np.arange(len(vocabulary.variables), dtype=np.int16)
    forms: list[list[str]] = [[]]  # tokens before the variable, breadth-first
    if vocabulary.has_constant and "mul" in vocabulary.operators:
        forms.append(["mul", "?"])
        if "add" in vocabulary.operators:
            forms.append(["add", "mul", "?", "?"])
    for form in forms:
        before = np.array([vocabulary.token(name) for name in form], dtype=np.int16)
        yield np.column_stack([np.tile(before, (len(variables), 1)), variables])
