"""Vocabularies and inputs shared by the tests of the grammar."""

import numpy as np

from ddsr import _core
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import Grammar

PLAIN = Vocabulary(("x", "y"), ("add", "mul", "sin", "exp", "log"))
SMALL = Vocabulary(("x", "y"), ("add", "exp"))
WITHOUT = Vocabulary(("x", "y"), ("add", "exp"), has_constant=False)
THREE = Vocabulary(("x", "y", "z"), ("add", "sin"), has_one=False)
BARE = Vocabulary(("x", "y"), ("add", "exp"), has_one=False, has_constant=False)
UNARY = Vocabulary(("x", "y"), ("sin", "cos", "exp", "log", "neg", "sqrt", "square"))
WIDE = Vocabulary([f"x{i}" for i in range(150)], ("add", "sub", "mul", "sin", "cos", "exp", "log", "neg"))
USUAL = Vocabulary(
    [f"x{i}" for i in range(5)],
    [
        "add",
        "sub",
        "mul",
        "div",
        "pow",
        "sin",
        "cos",
        "log",
        "sqrt",
        "exp",
        "tanh",
        "neg",
        "inverse",
    ],
)


def ids(vocabulary: Vocabulary, *names: str) -> np.ndarray:
    return np.array([vocabulary.token(name) for name in names], np.int16)


def nothing_kept(grammar: Grammar, n: int) -> np.ndarray:
    return np.full((n, grammar.max_length), _core.MASK, np.int16)


def normal_logits(grammar: Grammar, n: int, seed: int = 0) -> np.ndarray:
    shape = (n, grammar.max_length, len(grammar.vocabulary))
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
