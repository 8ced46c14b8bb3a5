"""What can be wrong with what a user hands in. All are `ValueError`s, so generic handlers work."""


class DDSRError(ValueError):
    """Base of the package's own errors; the message says what is wrong, where, and what to do."""


class VocabularyError(DDSRError):
    """An unknown operator, or variables whose names cannot be told apart."""


class ExpressionError(DDSRError):
    """Text or tokens that are not an expression; `position` is where, or None."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class GrammarError(DDSRError):
    """Rules that contradict each other, or that no expression can satisfy."""


class DataError(DDSRError):
    """Data that no equation can be fitted to: wrong shape, empty, not finite, constant."""


class DataTypeError(DataError, TypeError):
    """Data of a type that cannot be read as a table of numbers, such as a set or a sparse matrix."""


class MethodError(DDSRError):
    """A method, option or setting that is not known, cannot be combined, or that this machine cannot run."""


class DeviceError(MethodError):
    """A device is there but cannot be used now: another process holds it, or its driver failed."""


class BenchError(DDSRError):
    """A benchmark that cannot be run as asked: an unknown suite, missing data, a store that is not one."""


class ReportError(DDSRError):
    """A report that cannot be written: a model without equations, a folder that is not there."""


class InputError(DDSRError):
    """A file that cannot be read as a table of numbers, or that has not the columns asked for."""


class RunError(DDSRError):
    """A run folder, a saved state or a model file that cannot be made, read, written or gone on with."""
