"""Examples of the documentation: the output that they state, and a search small enough to run them all."""

import re

import numpy as np

from ddsr.estimator.symbolic import SymbolicEstimator
from ddsr.expression import OPERATORS, Expression, Vocabulary

SMALL = {"evaluations_per_epoch": 200, "max_length": 12}


def said(code: str) -> list[str]:
    """The lines that an example prints according to its comments."""
    return re.findall(r"^print\(.*\)  # (.+)$", code, re.MULTILINE)


def said_equations(code: str) -> list[str]:
    """The lines that are the chosen equation."""
    return re.findall(r"^print\(.*\bequation\b.*\)  # (.+)$", code, re.MULTILINE)


def is_same_equation(line: str, said: str) -> bool:
    """Whether they are the same function for positive numbers: another machine may find another notation."""
    names = sorted(set(re.findall(r"[a-z_]\w*", line + said)) - set(OPERATORS))
    vocabulary = Vocabulary(names, tuple(OPERATORS))
    rows = np.random.default_rng(0).uniform(0.5, 2.0, (50, len(names)))
    one, other = (Expression.parse(text, vocabulary).to_callable()(rows) for text in (line, said))
    return bool(np.allclose(one, other, rtol=1e-3))


def missing(code: str, printed: str) -> list[str]:
    """What an example says it prints but does not."""
    lines, equations = printed.splitlines(), said_equations(code)
    return [
        line
        for line in said(code)
        if line not in lines
        and not (line in equations and any(_is_equation_like(other, line) for other in lines))
    ]


def _is_equation_like(line: str, said: str) -> bool:
    try:
        return is_same_equation(line, said)
    except ValueError:  # not an equation
        return False


def search_little(monkeypatch, equations: list[str], selection: str | None = None) -> None:
    """Let every fit start with these equations and search little.

    The output then depends only on selection and notation, not on the luck of the search, and takes a second.
    The quickest selection is enough where nothing is said of the choice.
    The slow tests search as the pages say.
    """
    fit = SymbolicEstimator._fit

    def fit_little(self, *arguments, **options):
        asked = self.get_params(deep=False)
        self.config = SMALL | dict(self.config or {})
        self.preset = "ddsr:generator=none" if self.preset == "ddsr" else self.preset
        self.prior = None
        self.guesses = self.guesses or (() if self.template else equations)
        self.max_epochs = self.max_epochs or 1
        self.model_selection = self.model_selection or selection
        try:
            return fit(self, *arguments, **options)
        finally:
            self.set_params(**asked)

    monkeypatch.setattr(SymbolicEstimator, "_fit", fit_little)
    monkeypatch.setattr("ddsr.search.plain_forms.NUMBERS", (SMALL["evaluations_per_epoch"],))
