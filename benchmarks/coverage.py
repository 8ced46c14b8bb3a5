"""How many ground-truth formulas occur among the prior's training examples.

The recipe of the examples uses none of these formulas, but simple ones occur by chance. Formulas count as
equal if their standard forms are, whatever the names of variables and values of constants.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ddsr import _core
from ddsr.errors import ExpressionError
from ddsr.expression.batch import Batch
from ddsr.expression.expression import Expression
from ddsr.expression.signs import signs_of
from ddsr.expression.vocabulary import Vocabulary
from ddsr_bench.problems.suites import BenchmarkProblem, load_suite, positive_variables
from ddsr_pretraining.examples import ExampleMaker, ExampleOptions

AT_A_TIME = 20_000
FEW_ROWS = 32  # only formulas are counted, so the data can be small


@dataclass(frozen=True)
class Coverage:
    """The result of a count."""

    n_examples: int
    counts: Mapping[str, int]
    """number of occurrences of each formula that can be written with the operators"""
    unwritable: tuple[str, ...]
    """formulas that cannot be written"""
    n_matching: int
    """number of examples that are one of the formulas; several formulas may have one form"""

    @property
    def n_found(self) -> int:
        """Number of formulas that occurred."""
        return sum(count > 0 for count in self.counts.values())


def standard_forms(
    batch: Batch, positive: Iterable[str] = (), nonnegative: Iterable[str] = (), n_threads: int = 1
) -> tuple[Batch, NDArray[np.bool_]]:
    """Return the standard forms of expressions, as in the examples, and which expressions have one.

    Ways to write `a * f(x) + b` with free a and b have one form, as far as the rules go. Rows without a form
    are empty.
    """
    signs = signs_of(batch.vocabulary, positive, nonnegative)
    try:
        tokens, constants, has_form = _core.standard_forms(
            batch.vocabulary.core, batch.tokens, batch.constants, signs, n_threads
        )
    except ValueError as error:
        raise ExpressionError(str(error)) from None
    return Batch(batch.vocabulary, tokens, constants), has_form.view(np.bool_)


def signature_of(problem: BenchmarkProblem, options: ExampleOptions) -> int | None:
    """Return the structure of a problem's standard form; None if the operators cannot write it."""
    vocabulary = Vocabulary(problem.variables, options.operators)
    text = re.sub(r"\bpi\b", repr(math.pi), problem.formula or "").replace("**", "^")
    text = re.sub(r"\bcot\((\w+)\)", r"(cos(\1) / sin(\1))", text)
    try:
        formula = Batch.of([Expression.parse(text, vocabulary)])
    except ExpressionError:
        return None
    positive = positive_variables(problem)
    form, has_form = standard_forms(formula, positive)
    if not has_form[0]:
        return None
    return int(_core.structure_signatures(vocabulary.core, form.tokens, 1)[0])


def count_ground_truth(n: int, options: ExampleOptions, seed: int = 0, n_threads: int = 1) -> Coverage:
    """Make `n` examples and count the ground-truth formulas among them."""
    signatures = {problem.name: signature_of(problem, options) for problem in load_suite("ground-truth")}
    wanted = {signature for signature in signatures.values() if signature is not None}
    maker = ExampleMaker(
        replace(options, n_rows=FEW_ROWS, most_rows=max(FEW_ROWS, options.fewest_rows)), seed
    )
    found: Counter[int] = Counter()
    for first in range(0, n, AT_A_TIME):
        tokens = maker.make(min(AT_A_TIME, n - first), n_threads, first).tokens
        made = _core.structure_signatures(maker.vocabulary.core, tokens, n_threads).tolist()
        found.update(signature for signature in made if signature in wanted)
    return Coverage(
        n_examples=n,
        counts={name: found[key] for name, key in signatures.items() if key is not None},
        unwritable=tuple(name for name, key in signatures.items() if key is None),
        n_matching=found.total(),
    )
