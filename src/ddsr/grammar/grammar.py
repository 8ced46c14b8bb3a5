"""Rules for expressions, and the legal completion of partly filled sequences.

An expression is filled in breadth-first order, from left to right: each token takes the next open slot and
opens one for each of its operands. A token is legal in a slot exactly if some complete expression that obeys
all rules continues that way. A fill therefore never gets stuck, and every expression that obeys the rules can
be produced. `core/grammar/completion.hpp` has the proof.

Every grammar has these rules:

- An expression has at most `max_length` tokens and `max_constants` constants.
- sin, cos and tan are not nested in one another, at any depth.
- No operator is applied directly to its inverse: no exp(log(x)), no neg(neg(x)).
- No operator is applied to constants only, and no expression is just a constant. The literal 1 counts as a
  constant, unless the vocabulary has no constant token: then `1 + 1` is the only way to write 2 and is legal.

Users can add `Forbid`, `Nesting`, `AtMost` and `MustAppear`, rules on the form (`ddsr.grammar.form_rules`),
and rules on the values (`ddsr.grammar.value_rules`), which a grammar only checks for consistency.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ddsr import _core
from ddsr.errors import GrammarError, VocabularyError, did_you_mean
from ddsr.expression.operators import OPERATORS, PERIODIC, SYMBOLS, TEMPLATE
from ddsr.expression.vocabulary import Vocabulary
from ddsr.grammar.consistency import check_consistent, check_depth, check_template
from ddsr.grammar.form_rules import FormRule, MaxDepth, OperandSize, form_rules
from ddsr.grammar.token_arrays import as_logits, as_row_numbers, as_tokens, as_word
from ddsr.grammar.value_rules import ValueRule, inputs_of

# Maximum number of columns that an error message lists.
MOST_LISTED = 20


@dataclass(frozen=True)
class Forbid:
    """Forbid an operator on anything that contains a variable: `Forbid("exp", on="mass")`."""

    operator: str
    on: str

    def __str__(self) -> str:
        return f"forbid {self.operator} on {self.on}"


@dataclass(frozen=True)
class Nesting:
    """Allow at most `at_most` tokens of `inner` on any path below an `outer` token.

    `Nesting("exp", ("exp", "pow"))` allows neither inside an exp. `Nesting("sqrt", "sqrt", 1)` allows a root
    within a root, but not a third one inside.
    """

    outer: str | tuple[str, ...]
    inner: str | tuple[str, ...]
    at_most: int = 0

    def __str__(self) -> str:
        limit = f"at most {self.at_most} of" if self.at_most else "no"
        return f"{limit} {_joined(self.inner)} below {_joined(self.outer)}"


@dataclass(frozen=True)
class AtMost:
    """Allow at most `n` uses of these tokens in an expression, counted together."""

    tokens: str | tuple[str, ...]
    n: int

    def __str__(self) -> str:
        return f"at most {self.n} of {_joined(self.tokens)}"


@dataclass(frozen=True, init=False)
class MustAppear:
    """Require that each of the variables is used at least once: `MustAppear("mass", "charge")`."""

    variables: tuple[str, ...]

    def __str__(self) -> str:
        return f"use {_joined(self.variables)}"

    def __init__(self, *variables: str) -> None:
        object.__setattr__(self, "variables", variables)

    def __repr__(self) -> str:
        return f"MustAppear({', '.join(map(repr, self.variables))})"


Rule = Forbid | Nesting | AtMost | MustAppear | FormRule | ValueRule


class GrammarTables(NamedTuple):
    """The rules of a grammar as arrays, for a fill outside the native code.

    A set of tokens is W words of 64 bits; bit k of word w stands for token 64 w + k. A context is the state
    of the nesting rules given the tokens above a slot; the context of the root is 0.
    """

    allowed: NDArray[np.uint64]
    """(contexts, W): tokens that the nesting rules allow"""
    below: NDArray[np.uint16]
    """(contexts, V): context of a token's operands; 0 for leaves and tokens that are not allowed"""
    directly_below: NDArray[np.uint64]
    """(1 + operators, W): tokens that do not undo the operator above them; row 0 is for the root"""
    of_arity_at_most: NDArray[np.uint64]
    """(3, W): tokens of arity 0, up to 1 and up to 2"""
    constant_like: NDArray[np.uint64]
    """(1, W): leaves that an operator may not have as its only operands"""
    use_sets: NDArray[np.uint64]
    """(rules, W): tokens that each rule counts together"""
    use_limits: NDArray[np.int32]
    """(rules,): maximum number of their uses"""
    needs_lookahead: bool
    """whether a token that these tables allow can still lead to a dead end"""


@dataclass(frozen=True)
class Grammar:
    """The rules of a search over one vocabulary.

    Raises `GrammarError` for names that the vocabulary does not have, and for rules that no expression can
    satisfy together. It is also raised for a few rules whose legal tokens cannot be computed exactly: a leaf
    in several `AtMost` rules if variables are limited or required (without constants also if `1` is limited),
    and several required variables if every binary operator has its own rules.
    """

    vocabulary: Vocabulary
    max_length: int = 32
    """maximum number of tokens of an expression"""
    max_constants: int = 10
    """maximum number of constants of an expression"""
    rules: Sequence[Rule] = ()
    units: _core.Units | None = None
    """units of the variables and of the target, which expressions must agree with; None: not known"""
    core: _core.Grammar = field(init=False, repr=False, compare=False)
    """the native grammar"""

    def __post_init__(self) -> None:
        if not isinstance(self.vocabulary, Vocabulary):
            raise GrammarError(f"vocabulary must be a Vocabulary, not {self.vocabulary!r}")
        if isinstance(self.rules, Rule) or not isinstance(self.rules, Iterable):
            raise GrammarError(f"rules must be a list of rules, not {self.rules!r}")
        object.__setattr__(self, "rules", tuple(self.rules))
        check_consistent(self.rules)
        self._check_required()
        object.__setattr__(self, "core", _build(self))

    def _check_required(self) -> None:
        """Refuse rules that leave no place for what must appear."""
        vocabulary, required = self.vocabulary, dict[str, None]()
        limits = []
        for rule in self.rules:
            if isinstance(rule, MustAppear):
                tokens = _columns_named(vocabulary, rule.variables, rule)
                first = vocabulary.first_variable
                required |= dict.fromkeys(vocabulary.variables[k - first] for k in tokens if k >= first)
            elif isinstance(rule, AtMost):
                has_constants = vocabulary.constant in _tokens_named(vocabulary, rule.tokens, rule)
                limits += [rule.n] * has_constants
        check_depth(self.rules, tuple(required))
        if vocabulary.template is not None:
            check_template(self.rules, tuple(required), vocabulary.template, min(limits, default=None))

    def __reduce__(self) -> tuple[type[Grammar], tuple[object, ...]]:
        return Grammar, (self.vocabulary, self.max_length, self.max_constants, self.rules, self.units)

    def legal_tokens(self, rows: ArrayLike, n_threads: int = 1) -> NDArray[np.bool_]:
        """Return which tokens are legal at each position given those before it, of shape (B, L, V).

        A row is a legal expression or the beginning of one, followed by PAD or MASK. Nothing is legal after
        the end of the tree, or after the first unknown position.
        """
        with _named_errors(self.vocabulary):
            return self.core.legal_tokens(as_tokens(rows, 2), n_threads).view(np.bool_)

    def is_legal(
        self, rows: ArrayLike, n_threads: int = 1, constants: ArrayLike | None = None
    ) -> NDArray[np.bool_]:
        """Return which rows, padded with PAD, are expressions that obey all rules, of shape (B,).

        With units, a power of something with a unit is illegal unless `constants` has its exponent.
        """
        numbers = None if constants is None else np.ascontiguousarray(constants, dtype=np.float64)
        with _named_errors(self.vocabulary):
            return self.core.is_legal(as_tokens(rows, 2), n_threads, numbers).view(np.bool_)

    def check(self, tokens: ArrayLike, constants: Sequence[float] = ()) -> str | None:
        """Describe which rule an expression breaks and where; None if it obeys them all."""
        with _named_errors(self.vocabulary):
            position, reason = self.core.check(as_tokens(tokens, 1), list(constants))
        return None if position < 0 else f"position {position}: {with_names(self.vocabulary, reason)}"

    def fill(
        self,
        logits: ArrayLike,
        kept: ArrayLike,
        seed: int,
        stream: int = 0,
        n_threads: int = 1,
    ) -> tuple[NDArray[np.int16], NDArray[np.float32]]:
        """Fill sequences from left to right with legal tokens: (tokens, log_probs), both (B, M).

        `kept` (B, M) holds tokens to keep if they are legal, and MASK where a token is drawn from
        softmax(logits) over the legal tokens; `logits` has the shape (B, M, V). `log_probs` are the log
        probabilities of all tokens in that distribution, including kept ones. After the end of the tree,
        they are 0 and the tokens are PAD. If the logits of legal tokens contain NaN or +inf, or are all
        -inf, all legal tokens are equally likely. Draws depend only on (seed, stream, row, position).
        """
        with _named_errors(self.vocabulary):
            return self.core.fill(
                as_logits(logits),
                as_tokens(kept, 2),
                as_word(seed, "seed"),
                as_word(stream, "stream"),
                n_threads,
            )

    def fill_tokens(
        self,
        logits: ArrayLike,
        kept: ArrayLike,
        seed: int,
        stream: int = 0,
        n_threads: int = 1,
        logits_of: ArrayLike | None = None,
    ) -> NDArray[np.int16]:
        """Return only the tokens of `fill`, of shape (B, M), in less time.

        Logits of kept tokens are never read, so this is faster the more tokens are kept. Rows can
        share logits: `logits_of` (B,) then holds the index of each row's logits.
        """
        numbers = None if logits_of is None else as_row_numbers(logits_of)
        with _named_errors(self.vocabulary):
            return self.core.fill_tokens(
                as_logits(logits),
                as_tokens(kept, 2),
                as_word(seed, "seed"),
                as_word(stream, "stream"),
                n_threads,
                numbers,
            )

    def sample(self, n: int, seed: int, stream: int = 0, n_threads: int = 1) -> NDArray[np.int16]:
        """Draw `n` legal expressions, each token uniformly from the legal ones, of shape (n, M), padded."""
        shape = (_count(n, "the number of samples"), self.max_length)
        logits = np.zeros((*shape, len(self.vocabulary)), np.float32)
        return self.fill_tokens(logits, np.full(shape, _core.MASK, np.int16), seed, stream, n_threads)

    def tables(self) -> GrammarTables:
        """Export the rules as arrays."""
        return GrammarTables(**self.core.tables())


def _build(grammar: Grammar) -> _core.Grammar:
    vocabulary = grammar.vocabulary
    tokens, columns = partial(_tokens_named, vocabulary), partial(_columns_named, vocabulary)
    nestings: list[tuple[list[int], list[int], int]] = []
    uses: list[tuple[list[int], int]] = []
    required: list[int] = []
    periodic = [vocabulary.token(name) for name in PERIODIC if name in vocabulary.operators]
    if periodic:
        nestings.append((periodic, periodic, 0))
    for rule in grammar.rules:
        match rule:
            case Forbid(operator, on):
                nestings.append((tokens(operator, rule), columns(on, rule), 0))
            case Nesting(outer, inner, at_most):
                limit = _count(at_most, f"the limit of {rule!r}")
                nestings.append((tokens(outer, rule), tokens(inner, rule), limit))
            case AtMost(limited, n):
                uses.append((tokens(limited, rule), _count(n, f"the limit of {rule!r}")))
            case MustAppear(variables):
                required += columns(variables, rule)
            case OperandSize(operator, _):
                _operators_named(vocabulary, operator, rule)
            case rule if isinstance(rule, ValueRule):
                _inputs_named(vocabulary, rule)
            case rule if not isinstance(rule, FormRule):
                raise GrammarError(f"{rule!r} is not a grammar rule")
    operators = [token for token, name in enumerate(vocabulary.operators) if name != TEMPLATE]
    depth = min((rule.n for rule in grammar.rules if isinstance(rule, MaxDepth)), default=None)
    if depth == 1:
        uses.append((operators, 0))
    elif depth is not None and len(set(required)) < 2:  # with more, legal tokens could not be found exactly
        nestings.append((operators, operators, depth - 2))
    with _named_errors(grammar.vocabulary):
        return _core.Grammar(
            grammar.vocabulary.core,
            _count(grammar.max_length, "max_length"),
            _count(grammar.max_constants, "max_constants"),
            nestings,
            uses,
            required,
            grammar.units,
            form_rules(vocabulary, grammar.rules),
        )


def _tokens_named(vocabulary: Vocabulary, given: str | Sequence[str], rule: Rule) -> list[int]:
    listed = (given,) if isinstance(given, str) else given
    try:
        return [vocabulary.token(name) for name in listed]
    except (VocabularyError, TypeError) as error:
        absent = [name for name in listed if SYMBOLS.get(name, name) in OPERATORS]
        if absent and absent[0] not in vocabulary.names:
            raise GrammarError(
                f"rule '{rule}': {absent[0]} is not one of the operators of the search, which are: "
                f"{', '.join(vocabulary.operators)}; drop the rule, or add the operator"
            ) from None
        raise GrammarError(f"rule '{rule}': {error}") from None


def _columns_named(vocabulary: Vocabulary, given: str | Sequence[str], rule: Rule) -> list[int]:
    """Return the tokens of names that may be columns."""
    known = {*vocabulary.names, *vocabulary.variables}
    for name in (given,) if isinstance(given, str) else given:
        if isinstance(name, str) and name not in known:
            hint = did_you_mean(name, vocabulary.variables)
            raise GrammarError(
                f"rule '{rule}': there is no column {name!r}{hint}; "
                f"the columns are: {_joined(vocabulary.variables[:MOST_LISTED])}"
                f"{', …' if len(vocabulary.variables) > MOST_LISTED else ''}"
            )
    return _tokens_named(vocabulary, given, rule)


def _operators_named(vocabulary: Vocabulary, name: str, rule: Rule) -> None:
    (token,) = _tokens_named(vocabulary, (name,), rule)
    if token >= len(vocabulary.operators):
        raise GrammarError(f"rule '{rule}': {name} is not an operator, so nothing stands below it")


def _inputs_named(vocabulary: Vocabulary, rule: ValueRule) -> None:
    for name in inputs_of(rule):
        (token,) = _columns_named(vocabulary, name, rule)
        if token < vocabulary.first_variable:
            raise GrammarError(f"rule '{rule}': {name} is not a column")


def with_names(vocabulary: Vocabulary, message: str) -> str:
    """Replace each #id in a message of the core by the name of the token."""
    return re.sub(r"#(\d+)", lambda match: vocabulary.names[int(match[1])], message)


@contextmanager
def _named_errors(vocabulary: Vocabulary) -> Iterator[None]:
    try:
        yield
    except GrammarError:
        raise
    except ValueError as error:
        raise GrammarError(with_names(vocabulary, str(error))) from None


def _joined(names: str | Sequence[str]) -> str:
    return names if isinstance(names, str) else ", ".join(map(str, names))


def _count(value: int, what: str) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 0:
        raise GrammarError(f"{what} must be an integer of at least 0, got {value!r}")
    return min(int(value), 2**31 - 1)
