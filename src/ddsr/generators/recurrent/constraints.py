"""Legal next tokens in prefix order: DSR's priors, for a whole batch at once.

The hard priors are the grammar's own rules (`ddsr.grammar`) and a minimum length:

- an expression has between `min_length` and `max_length` tokens, and at most `max_constants` constants;
- sin, cos and tan are not nested, at any depth;
- no operator is directly below the one that it inverts;
- not all operands of an operator are constant-like, and neither is the root. The constant is constant-like,
  and so is the literal 1, unless there is no constant: `1 + 1` is legal for `constants=False`.

No choice is a dead end. A variable can only break the minimum length, and only in the last open slot. There a
binary operator is legal, since it can only break the maximum length, which is above the minimum. So the
vocabulary needs a binary operator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ddsr.errors import GrammarError
from ddsr.expression import PAD, Tokens
from ddsr.expression.operators import PERIODIC
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar import AtMost, Forbid, Grammar, MustAppear, Nesting

Ids = NDArray[np.int64]
Flags = NDArray[np.bool_]
Scalar = TypeVar("Scalar", bound=np.generic)


class PrefixRules:
    """The rules as tables over token ids; `empty`, the id after the last token, means no token."""

    def __init__(self, grammar: Grammar, min_length: int) -> None:
        vocabulary = grammar.vocabulary
        _refuse_unfit(grammar, min_length)
        self.min_length, self.max_length = min_length, grammar.max_length
        self.max_constants = grammar.max_constants
        self.vocab_size = self.empty = len(vocabulary)
        self.arities: Ids = np.array([*vocabulary.arities, 0])
        ids = range(self.vocab_size)
        self.is_operator: Flags = self.arities[:-1] > 0
        self.is_periodic: Flags = np.array([vocabulary.names[token] in PERIODIC for token in ids])
        self.is_periodic &= self.is_operator  # a variable may be called sin
        self.is_constant: Flags = np.array([vocabulary.is_constant(token) for token in ids])
        self.is_constant_like: Flags = self.is_constant.copy()
        if vocabulary.has_constant and vocabulary.one is not None:
            self.is_constant_like[vocabulary.one] = True
        self.is_legal_below = self._legal_below(vocabulary)

    def _legal_below(self, vocabulary: Vocabulary) -> Flags:
        """Return (V + 1, V): which tokens may be an operand of each parent, or the root, in any context."""
        table = np.ones((self.vocab_size + 1, self.vocab_size), dtype=bool)
        for parent in range(len(vocabulary.operators)):
            undone = vocabulary.operator(parent).undoes
            table[parent, : len(vocabulary.operators)] = [other != undone for other in vocabulary.operators]
            if vocabulary.arity(parent) == 1:
                table[parent] &= ~self.is_constant_like
        table[self.empty] = ~self.is_constant_like
        return table


def _refuse_unfit(grammar: Grammar, min_length: int) -> None:
    if any(isinstance(rule, (AtMost, Forbid, MustAppear, Nesting)) for rule in grammar.rules):
        raise GrammarError("DSR writes in prefix order and supports no token rules beyond the grammar's own")
    if grammar.vocabulary.template is not None:
        raise GrammarError("DSR writes whole equations in prefix order and cannot fill a template")
    if 2 not in grammar.vocabulary.arities:
        raise GrammarError("DSR needs a binary operator in its vocabulary")
    if grammar.max_length <= min_length:
        raise GrammarError(
            f"max_length is {grammar.max_length}; DSR needs more than its min_length, {min_length}"
        )


class PrefixWalk:
    """A batch of expressions being written, all at the same position.

    The open slots of an expression are a stack, with the next one to fill on top. A binary operator leaves
    two slots: that of its first operand above that of its second, whose sibling is then known.
    """

    def __init__(self, rules: PrefixRules, n_rows: int) -> None:
        self.rules = rules
        self.position = 0
        self.n_open: Ids = np.ones(n_rows, dtype=np.int64)
        self._n_constants: Ids = np.zeros(n_rows, dtype=np.int64)
        shape = (n_rows, rules.max_length)
        self._parents: Ids = np.full(shape, rules.empty)
        self._siblings: Ids = np.full(shape, rules.empty)
        self._is_below_periodic: Flags = np.zeros(shape, dtype=bool)

    @property
    def parent(self) -> Ids:
        """(B,) parents of the slots to fill; `empty` for the root, arbitrary after the end."""
        return self._top(self._parents)

    @property
    def sibling(self) -> Ids:
        """(B,) first operands if the slots are those of second operands, otherwise `empty`."""
        return self._top(self._siblings)

    def legal(self) -> Flags:
        """Return (B, V) tokens that may fill the slots; none after the end."""
        rules = self.rules
        length = self.position + 1
        n_open_then = self.n_open[:, None] - 1 + rules.arities[:-1]
        is_legal: Flags = rules.is_legal_below[self.parent]
        is_legal &= length + n_open_then <= rules.max_length
        is_legal &= (n_open_then > 0) | (length >= rules.min_length)
        is_legal &= ~(self._top(self._is_below_periodic)[:, None] & rules.is_periodic)
        is_beside_constant = np.append(rules.is_constant_like, False)[self.sibling]
        is_legal &= ~(is_beside_constant[:, None] & rules.is_constant_like)
        is_legal &= ~((self._n_constants >= rules.max_constants)[:, None] & rules.is_constant)
        return is_legal & (self.n_open > 0)[:, None]

    def advance(self, tokens: NDArray[np.integer]) -> None:
        """Write a token (B,) into each slot; tokens after the end of an expression are ignored."""
        rules = self.rules
        rows = np.flatnonzero(self.n_open)
        top, written = self.n_open[rows] - 1, tokens[rows]
        is_first = (rules.arities[self.parent[rows]] == 2) & (self.sibling[rows] == rules.empty)
        self._siblings[rows[is_first], top[is_first] - 1] = written[is_first]
        is_below_periodic = self._is_below_periodic[rows, top] | rules.is_periodic[written]
        arity = rules.arities[written]
        for operand in range(2):
            opens = arity > operand
            slots = rows[opens], top[opens] + operand
            self._parents[slots] = written[opens]
            self._siblings[slots] = rules.empty
            self._is_below_periodic[slots] = is_below_periodic[opens]
        self.n_open[rows] += arity - 1
        self._n_constants[rows] += rules.is_constant[written]
        self.position += 1

    def length_preference(self, preferred: float | None, scale: float) -> NDArray[np.float32]:
        """Return DSR's soft length prior (B, V), to be added to the logits: −(k − preferred)² / (2 scale).

        k is the position. Before the preferred length it applies to leaves that would end the expression,
        from there on to operators. It is 0 without a preferred length.
        """
        if preferred is None:
            return np.zeros((len(self.n_open), self.rules.vocab_size), dtype=np.float32)
        penalty = -((self.position - preferred) ** 2) / (2 * scale)
        if self.position < preferred:
            is_disliked = (self.n_open == 1)[:, None] & ~self.rules.is_operator
        else:
            is_disliked = np.broadcast_to(self.rules.is_operator, (len(self.n_open), self.rules.vocab_size))
        return np.where(is_disliked, penalty, 0.0).astype(np.float32)

    def _top(self, stacks: NDArray[Scalar]) -> NDArray[Scalar]:
        return stacks[np.arange(len(stacks)), np.maximum(self.n_open - 1, 0)]


@dataclass(frozen=True, eq=False)
class Traversal:
    """Written expressions and the network's input at each position: a view without noise."""

    clean_tokens: Tokens
    """(B, M) in prefix order"""
    parent: Ids
    sibling: Ids
    """(B, M) the network's input"""
    preference: NDArray[np.float32]
    """(B, M, V) the soft length prior"""
    is_legal: Flags
    """(B, M, V)"""

    @property
    def is_masked(self) -> Flags:
        """(B, M): every token, since each is predicted only from those before it."""
        return np.asarray(self.clean_tokens != PAD)


def retrace(rules: PrefixRules, tokens: Tokens, preferred: float | None, scale: float) -> Traversal:
    """Recover the network's input for known expressions."""
    walk = PrefixWalk(rules, len(tokens))
    seen = []
    for position in range(tokens.shape[1]):
        seen.append((walk.parent, walk.sibling, walk.length_preference(preferred, scale), walk.legal()))
        walk.advance(tokens[:, position])
    parent, sibling, preference, is_legal = (np.stack(part, axis=1) for part in zip(*seen, strict=True))
    return Traversal(tokens, parent, sibling, preference, is_legal)
