"""Exceptions of the package. All are `ValueError`s, so generic handlers work."""

from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches

# A name resembles one that begins with it if the shorter of the two has at least this many letters.
LEAST_BEGINNING = 3


class DDSRError(ValueError):
    """Base class of the package's errors. The message says what is wrong, where, and what to do."""


class VocabularyError(DDSRError):
    """An unknown operator or variable, or names that are not valid or not unique."""


class ExpressionError(DDSRError):
    """Text or tokens that are not a valid expression; `position` is where, or None."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class TemplateError(DDSRError):
    """A template that cannot be read, or that does not match the data or the settings."""


class GrammarError(DDSRError):
    """Rules that contradict each other, or that no expression can satisfy."""


class DataError(DDSRError):
    """Data that cannot be fitted: of the wrong shape, empty, not finite or constant."""


class DataTypeError(DataError, TypeError):
    """Data of a type that is not a table of numbers, such as a set or a sparse matrix."""


class MethodError(DDSRError):
    """A method or setting that is unknown, cannot be combined with others, or cannot run on this machine."""


class DeviceError(MethodError):
    """A device that exists but cannot be used now: another process holds it, or its driver failed."""


class BenchError(DDSRError):
    """A benchmark that cannot run: an unknown suite, missing data, or a folder that is not a store."""


class ReportError(DDSRError):
    """A report that cannot be written, such as one of a model without equations or into a missing folder."""


class InputError(DDSRError):
    """A file that is not a table of numbers, or lacks a column that is needed."""


class RunError(DDSRError):
    """A run folder, a saved state or a model file that cannot be created, read, written or resumed."""


def nearest_names(name: object, known: Iterable[str], n: int = 1) -> list[str]:
    """Return at most `n` known names that resemble an unknown one, the most similar first.

    `exponential` resembles `exp` and `mem` resembles `memory`, since one begins with the other.
    """
    if not isinstance(name, str):
        return []
    given = name.lower()
    by_lower = {each.lower(): each for each in known}
    close = get_close_matches(given, by_lower, n=len(by_lower) or 1)
    shared = {each: each.startswith(given) or given.startswith(each) for each in by_lower}
    begun = [each for each in by_lower if shared[each] and min(len(each), len(given)) >= LEAST_BEGINNING]

    def resemblance(each: str) -> tuple[float, bool]:
        return SequenceMatcher(None, given, each).ratio(), shared[each]

    ranked = sorted({*close, *begun}, key=lambda each: (*resemblance(each), each), reverse=True)
    return [by_lower[each] for each in ranked][:n]


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Return a question in parentheses that suggests the nearest known name, or an empty text."""
    nearest = nearest_names(name, known)
    return f" (did you mean {nearest[0]!r}?)" if nearest else ""
