"""Hypothesis strategies: random vocabularies, expressions and data for property tests."""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import count

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from ddsr import _core
from ddsr.expression import DEFAULT_OPERATORS, OPERATORS, Expression, Vocabulary

NASTY_NAMES = (
    *("I", "E", "beta", "lambda", "β", "x²", "été", "x_1", "_", "np", "None", "x y", " ", "\n"),
    *("sin", "exp", "add", "1", "2.5", "1e5", "?", "+", "**", "-x", "(", "a,b", "`", "``", "a`b"),
    *('"', "'", "\\", "#1", "{", '"""', "equation", "__debug__", "a.b", "\ud800"),
)
"""Variable names that mean something else in Python, SymPy, LaTeX or infix text."""

finite_floats = st.floats(allow_nan=False, allow_infinity=False)
mild_floats = st.floats(-5, 5).map(lambda value: round(value, 3))


def variable_names(max_size: int = 4) -> st.SearchStrategy[list[str]]:
    name = st.sampled_from(NASTY_NAMES) | st.text(min_size=1, max_size=5)
    return st.lists(name, min_size=1, max_size=max_size, unique=True)


@st.composite
def vocabularies(draw: st.DrawFn) -> Vocabulary:
    """Any variables, any choice of operators, with or without the literal 1 and the constant."""
    operators = draw(st.lists(st.sampled_from(sorted(OPERATORS)), unique=True))
    return Vocabulary(
        draw(variable_names()),
        operators,
        has_one=draw(st.booleans()),
        has_constant=draw(st.booleans()),
    )


PLAIN = Vocabulary(("x", "y", "z"), DEFAULT_OPERATORS)
FULL = Vocabulary(("x", "y", "z"), tuple(OPERATORS))


@cache
def tokens_for(vocabulary: Vocabulary, room: int) -> st.SearchStrategy[int]:
    """A token that takes at most `room` operands."""
    return st.sampled_from([k for k, arity in enumerate(vocabulary.arities) if arity <= room])


@st.composite
def prefix_tokens(draw: st.DrawFn, vocabulary: Vocabulary, max_size: int) -> list[int]:
    """Tokens of a random tree, root first, filling open places while there is room."""
    tokens: list[int] = []
    n_open = 1
    while n_open:
        room = max_size - len(tokens) - n_open
        tokens.append(draw(tokens_for(vocabulary, min(room, 2))))
        n_open += vocabulary.arity(tokens[-1]) - 1
    return tokens


@st.composite
def expressions(
    draw: st.DrawFn,
    vocabulary: Vocabulary | None = None,
    max_size: int = 20,
    constants: st.SearchStrategy[float] = finite_floats,
) -> Expression:
    """An expression of at most `max_size` tokens over a vocabulary, or over a random one."""
    vocabulary = draw(vocabularies()) if vocabulary is None else vocabulary
    tokens = draw(prefix_tokens(vocabulary, max_size))
    values = [draw(constants) for token in tokens if vocabulary.is_constant(token)]
    return from_prefix(vocabulary, tokens, values)


def from_prefix(
    vocabulary: Vocabulary, tokens: Sequence[int], constants: Iterable[float] | None = None
) -> Expression:
    """The expression with these tokens and constants in prefix order."""
    order = _core.breadth_first_from_prefix(vocabulary.core, np.array(tokens, np.int16))
    level_order = [tokens[k] for k in order]
    if constants is None:
        return Expression(vocabulary, level_order)
    holders = (k for k, token in enumerate(tokens) if vocabulary.is_constant(token))
    value_at = dict(zip(holders, constants, strict=True))
    return Expression(vocabulary, level_order, [value_at[k] for k in order if k in value_at])


def numbered(expression: Expression) -> Expression:
    """The expression with the constants 2, 3, 4, …, so that no two can be confused."""
    return expression.with_constants([float(k) for _, k in zip(expression.constants, count(2))])


def data(n_rows: int = 8, n_features: int = 3, seed: int = 0) -> np.ndarray:
    """Rows in (-3, 3), with both signs, because half of the operators depend on the sign."""
    return np.random.default_rng(seed).uniform(-3, 3, (n_rows, n_features))


def examples(n: int) -> settings:
    """Use `n` examples when Hypothesis explores, and a share of them otherwise (see conftest.py)."""
    return settings(max_examples=max(20, n * settings.default.max_examples // 100))
