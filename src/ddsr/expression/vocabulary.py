"""Stand-in for the vocabulary; only what the grammar needs of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ddsr import _core
from ddsr.errors import VocabularyError


@dataclass(frozen=True)
class Vocabulary:
    """Operators, the literal 1, the constant, then variables."""

    variables: Sequence[str]
    operators: Sequence[str]
    has_one: bool = True
    has_constant: bool = True

    @property
    def core(self) -> _core.Vocabulary:
        """The core's vocabulary."""
        return _core.Vocabulary(
            list(self.operators), self.has_one, self.has_constant, len(self.variables)
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names by id."""
        leaves = ["1"] * self.has_one + ["c"] * self.has_constant
        return (*self.operators, *leaves, *self.variables)

    def token(self, name: str) -> int:
        """Id of a name."""
        if name not in self.names:
            raise VocabularyError(f"unknown token {name!r}")
        return self.names.index(name)

    def __len__(self) -> int:
        return len(self.names)
