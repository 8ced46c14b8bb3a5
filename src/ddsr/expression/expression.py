"""Expressions: immutable right-hand sides of equations over a vocabulary."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import isfinite
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ddsr import _core
from ddsr.errors import ExpressionError
from ddsr.expression import latex, numeric, printing, python_source, symbolic
from ddsr.expression.folded import used_operators
from ddsr.expression.operators import TEMPLATE, Operator
from ddsr.expression.own_operators import OwnOperator
from ddsr.expression.parser import parse
from ddsr.expression.printing import Precision
from ddsr.expression.signs import signs_of
from ddsr.expression.tree import Kind, Node
from ddsr.expression.vocabulary import Vocabulary

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

T = TypeVar("T")

LONGEST = _core.LONGEST
LEAST_NORMAL = 2.0**-1022  # its multiples mark constants, since no template has such numbers


@dataclass(frozen=True, init=False, repr=False)
class Expression:
    """An expression: tokens in breadth-first order, and the values of its constants in the same order.

    Expressions are equal if their vocabulary, tokens and constants are equal. To ignore the order of operands
    and the values of constants, compare `key`.
    """

    vocabulary: Vocabulary
    tokens: tuple[int, ...]
    constants: tuple[float, ...]

    def __init__(
        self,
        vocabulary: Vocabulary,
        tokens: Iterable[int],
        constants: Iterable[float] | None = None,
    ) -> None:
        """Create an expression from breadth-first tokens: the root, its operands, and so on.

        Tokens may be padded at the end. Constants are 1.0 unless given.
        """
        self._set(vocabulary, _checked_tokens(vocabulary, tokens), constants)

    def _set(
        self, vocabulary: Vocabulary, tokens: tuple[int, ...], constants: Iterable[float] | None
    ) -> None:
        object.__setattr__(self, "vocabulary", vocabulary)
        object.__setattr__(self, "tokens", tokens)
        object.__setattr__(self, "constants", _checked_constants(constants, _n_constants(vocabulary, tokens)))

    @classmethod
    def from_tree(cls, vocabulary: Vocabulary, root: Node) -> Expression:
        """Create an expression from a tree of nodes, checked against the vocabulary."""
        level_order = [root]
        for node in level_order:  # grows while it is walked
            if len(level_order) > LONGEST:
                raise ExpressionError(f"the expression has more than {LONGEST} tokens")
            level_order.extend(node.children)
        # a tree whose nodes have all operands is complete, so the tokens need no check
        tokens = tuple(_token_of(vocabulary, node) for node in level_order)
        expression = cls.__new__(cls)
        expression._set(
            vocabulary, tokens, [node.value for node in level_order if node.kind is Kind.CONSTANT]
        )
        return expression

    @classmethod
    def parse(cls, text: str, vocabulary: Vocabulary) -> Expression:
        """Parse infix text such as `2.5 * sin(x)^2 - 1 / y`; `?` is a constant of unknown value."""
        return cls.from_tree(vocabulary, parse(text, vocabulary))

    def __len__(self) -> int:
        return len(self.tokens)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Expression({str(self)!r})"

    def __reduce__(self) -> tuple[type[Expression], tuple[object, ...]]:
        return Expression, (self.vocabulary, self.tokens, self.constants)

    # Structure

    @cached_property
    def expanded(self) -> Expression:
        """The formula that a filled template stands for; without a template, the expression itself."""
        template = self.vocabulary.template
        if template is None or not self.is_filled:
            return self
        return Expression.from_tree(self.vocabulary.plain, template.filled(self.tree.children))

    @property
    def is_filled(self) -> bool:
        """Whether this is a filled template."""
        return self.vocabulary.template is not None and self.tree.operation == TEMPLATE

    @cached_property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that fill the template's holes; without a template, the expression itself."""
        if not self.is_filled:
            return (self,)
        return tuple(Expression.from_tree(self.vocabulary.of_parts, part) for part in self.tree.children)

    @property
    def functions(self) -> dict[str, Expression]:
        """The expression of each unknown function of the template, such as `f(t)`; empty without one."""
        template = self.vocabulary.template
        if template is None or not self.is_filled:
            return {}
        pairs = zip(template.holes, self.parts, strict=True)
        return {str(hole): part for hole, part in pairs if not hole.is_constant}

    def with_parts(self, parts: Iterable[Expression]) -> Expression:
        """Return the same template filled with other expressions, or the only one without a template."""
        trees = [part.tree for part in parts]
        root = Node.operator(TEMPLATE, *trees) if self.is_filled else trees[0]
        return Expression.from_tree(self.vocabulary, root)

    def fold(
        self,
        *,
        variable: Callable[[int], T],
        constant: Callable[[float], T],
        one: T,
        apply: Callable[[Operator, list[T]], T],
    ) -> T:
        """Evaluate the tree from the leaves to the root. All exports of an expression are folds.

        `variable` gets a column, `apply` gets an operator and the results of its operands.
        """
        vocabulary = self.vocabulary
        first_variable = vocabulary.first_variable
        constants = reversed(self.constants)
        # In reverse order, a node's operands are those that waited longest, with the last operand first.
        waiting: deque[T] = deque()
        for token in reversed(self.tokens):
            if token >= first_variable:
                waiting.append(variable(token - first_variable))
            elif token == vocabulary.constant:
                waiting.append(constant(next(constants)))
            elif token == vocabulary.one:
                waiting.append(one)
            else:
                row = vocabulary.operator(token)
                waiting.append(apply(row, [waiting.popleft() for _ in range(row.arity)][::-1]))
        return waiting.pop()

    @cached_property
    def tree(self) -> Node:
        """The expression as nodes."""
        names = self.vocabulary.variables
        return self.fold(
            variable=lambda column: Node.variable(names[column]),
            constant=Node.constant,
            one=Node.one(),
            apply=lambda row, operands: Node.operator(row.name, *operands),
        )

    @cached_property
    def prefix(self) -> tuple[int, ...]:
        """The tokens in prefix order."""
        order = _core.prefix_from_breadth_first(self.vocabulary.core, self._row)
        return tuple(self.tokens[k] for k in order)

    @property
    def _row(self) -> NDArray[np.int16]:
        return np.array(self.tokens, dtype=np.int16)

    @property
    def depth(self) -> int:
        """Number of levels of the tree: 1 for a single leaf."""
        return self.expanded.fold(
            variable=lambda column: 1,
            constant=lambda value: 1,
            one=1,
            apply=lambda row, operands: 1 + max(operands),
        )

    @property
    def n_constants(self) -> int:
        """Number of constants."""
        return len(self.constants)

    @cached_property
    def constant_names(self) -> tuple[str | None, ...]:
        """The name of each constant in the template; None for constants of its functions."""
        if self.vocabulary.template is None or not self.is_filled:
            return (None,) * self.n_constants
        # breadth-first, the root's operands come first, and constants are the first of these
        pairs = zip(self.vocabulary.template.constants, self.tree.children, strict=False)
        named = [hole.name for hole, part in pairs if part.kind is Kind.CONSTANT]
        return (*named, *[None] * (self.n_constants - len(named)))

    @property
    def variables_used(self) -> tuple[str, ...]:
        """Names of the variables that the expression uses, in column order."""
        first = self.expanded.vocabulary.first_variable
        columns = sorted({token - first for token in self.expanded.tokens if token >= first})
        return tuple(self.vocabulary.variables[column] for column in columns)

    @property
    def own_operators(self) -> tuple[OwnOperator, ...]:
        """User-defined operators in the expression."""
        return used_operators(self.expanded)

    def with_constants(self, values: Iterable[float]) -> Expression:
        """Return the same expression with other values of its constants, in breadth-first order."""
        expression = Expression.__new__(Expression)
        expression._set(self.vocabulary, self.tokens, values)
        return expression

    def canonical(self) -> Expression:
        """Return the same function with the operands of + and * in a fixed order, smallest first.

        A chain such as x + (y + z) is a sum of three operands, and is grouped to the left.
        """
        tokens, order = _core.canonical_form(self.vocabulary.core, self._row)
        holders = (k for k, token in enumerate(self.tokens) if self.vocabulary.is_constant(token))
        value_at = dict(zip(holders, self.constants, strict=True))
        return Expression(self.vocabulary, tokens, [value_at[k] for k in order if k in value_at])

    def simplified(self, positive: Iterable[str] = (), nonnegative: Iterable[str] = ()) -> Expression:
        """Return a shorter expression with the same values wherever this one is finite, up to rounding.

        An expression that cannot be shortened is returned unchanged. Constants are treated as exact numbers:
        1.0 * x becomes x. If variables are named as positive or nonnegative, values only stay the same for
        such data: sqrt(x^2) becomes x.
        """
        if self.is_filled:
            return self.with_parts(part.simplified(positive, nonnegative) for part in self.parts)
        signs = signs_of(self.vocabulary, positive, nonnegative)
        constants = np.array([self.constants], dtype=np.float64)
        tokens, values = _core.simplify(self.vocabulary.core, self._row[None], constants, signs, 1)
        shorter = tokens[0].tolist()
        n_constants = _n_constants(self.vocabulary, shorter)
        return Expression(self.vocabulary, shorter, values[0, :n_constants].tolist())

    @cached_property
    def key(self) -> bytes:
        """A key that ignores operand order and constants."""
        tokens, _ = _core.canonical_form(self.vocabulary.core, self._row)
        return np.array(tokens, dtype=np.int16).tobytes()

    def complexity(self) -> int:
        """Return the number of nodes of the SymPy form, as SRBench counts them."""
        return symbolic.complexity(self.expanded)

    # Exports

    def text(self, precision: Precision = None) -> str:
        """Return infix text with `precision` significant digits, or all digits, so that it parses back.

        A filled template is parsed back as the whole formula, so rounded text may simplify its signs.
        """
        return printing.to_text(
            self.expanded, self.precision_of_expanded(precision), self.is_filled and precision is not None
        )

    def skeleton(self, names: Sequence[str] | None = None) -> str:
        """Return infix text with `?` for every constant, or with given names in breadth-first order."""
        if not self.is_filled:
            return printing.to_skeleton(self, names)
        marks = ["?"] * self.n_constants if names is None else names
        numbers = zip(self._own_constants, self.expanded.constants, strict=True)
        texts = [printing.digits(value, None) if own is None else marks[own] for own, value in numbers]
        return printing.to_skeleton(self.expanded, texts)

    def precision_of_expanded(self, precision: Precision) -> Precision:
        """Return the precision of the constants of `expanded`, which has the numbers of the template, too."""
        if not isinstance(precision, Sequence) or not self.is_filled:
            return precision
        return [printing.SHORT_PRECISION if own is None else precision[own] for own in self._own_constants]

    @cached_property
    def _own_constants(self) -> tuple[int | None, ...]:
        """Index of each constant of the expanded form in `constants`; None for numbers of the template."""
        marks = {LEAST_NORMAL * (number + 1): number for number in range(self.n_constants)}
        return tuple(map(marks.get, self.with_constants(marks).expanded.constants))

    def to_latex(self, precision: Precision = None) -> str:
        """Return LaTeX for math mode, with the structure of the expression."""
        return latex.to_latex(self.expanded, self.precision_of_expanded(precision))

    def to_sympy(self) -> Any:
        """Return a SymPy expression, with SymPy's automatic simplifications."""
        return symbolic.to_sympy(self.expanded)

    def to_callable(self) -> Callable[[ArrayLike], NDArray[np.float64]]:
        """Return a function from X (n_rows, n_features) to (n_rows,), which can be pickled."""
        return partial(numeric.evaluate, self.expanded)

    def to_python(self, name: str = "equation") -> str:
        """Return the source of a NumPy function with this name and one argument per variable."""
        return python_source.to_python(self.expanded, name)

    def to_torch(self) -> Any:
        """Return a torch.nn.Module from X (n_rows, n_features) to (n_rows,) with trainable constants."""
        try:
            from ddsr.expression.torch_module import EquationModule
        except ModuleNotFoundError:
            raise ExpressionError("to_torch needs PyTorch: pip install 'ddsr[torch]'") from None
        return EquationModule(self.expanded)


def _checked_tokens(vocabulary: Vocabulary, tokens: Iterable[int]) -> tuple[int, ...]:
    try:
        ids = [index(token) for token in tokens]
    except TypeError:
        raise ExpressionError("tokens must be a sequence of integers") from None
    while ids and ids[-1] == _core.PAD:
        ids.pop()
    if len(ids) > LONGEST:
        raise ExpressionError(f"the expression has more than {LONGEST} tokens")
    n_known = len(vocabulary)
    for position, token in enumerate(ids):
        if not 0 <= token < n_known:
            raise ExpressionError(
                f"token {token} at position {position} is not in the vocabulary, "
                f"whose ids run from 0 to {n_known - 1}",
                position,
            )
    position, reason = _core.find_flaw(vocabulary.core, np.array(ids, dtype=np.int16))
    if position >= 0:
        raise ExpressionError(f"{reason} (position {position})", position)
    return tuple(ids)


def _n_constants(vocabulary: Vocabulary, tokens: Sequence[int]) -> int:
    return tokens.count(vocabulary.constant) if vocabulary.constant is not None else 0


def _checked_constants(constants: Iterable[float] | None, n_needed: int) -> tuple[float, ...]:
    if constants is None:
        return (1.0,) * n_needed
    try:
        values = tuple(float(value) for value in constants)
    except (TypeError, ValueError):
        raise ExpressionError("constants must be a sequence of numbers") from None
    if len(values) != n_needed:
        raise ExpressionError(f"the expression has {n_needed} constants, but {len(values)} values were given")
    for position, value in enumerate(values):
        if not isfinite(value):
            raise ExpressionError(f"constant {position} is {value}; all must be finite", position)
    return values


def _token_of(vocabulary: Vocabulary, node: Node) -> int:
    # leaves without a name in the vocabulary may carry their own
    is_named = node.kind is Kind.OPERATOR or node.kind is Kind.VARIABLE
    token = vocabulary.nodes.get((node.kind, node.name if is_named else ""))
    if token is not None and len(node.children) == vocabulary.arities[token]:
        return token
    called = f"{node.kind.value} {node.name!r}" if node.name else node.kind.value
    if token is None:
        raise ExpressionError(f"the vocabulary has no {called}; it has: {', '.join(vocabulary.names)}")
    raise ExpressionError(f"the {called} takes {vocabulary.arity(token)} operands, not {len(node.children)}")
