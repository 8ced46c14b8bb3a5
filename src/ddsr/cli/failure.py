"""Exit codes of commands, and error messages of one line.

0: success. 1: an error in the data, a file or the settings, or too little memory. 2: an error in the command
line itself. 130: interrupted (Ctrl-C). 143: terminated (SIGTERM). The last two print the result so far, if
there is one.
"""

from __future__ import annotations

import errno
from typing import Any

import click

from ddsr.cli.interrupt import HeardInterrupts, StopNow
from ddsr.cli.memory import NO_MEMORY, check_memory, is_lack_of_memory
from ddsr.cli.termination import Termination
from ddsr.data.printable import printable_lines
from ddsr.errors import BenchError, DDSRError

INTERRUPTED, TERMINATED = 130, 143


class Command(click.Command):
    """A command that reports errors as one line on stderr, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with Termination() as termination:
            try:
                check_memory()
                with HeardInterrupts():
                    return super().invoke(ctx)
            except (KeyboardInterrupt, StopNow):
                # CPython records an interrupt within an exec of a string, which dataclasses use on import,
                # and ends the process by the signal although it was handled. Another exec clears the record.
                exec("")
                raise _interrupted(termination) from None
            except click.exceptions.Exit as end:
                raise _interrupted(termination) if end.exit_code == INTERRUPTED else end from None
            except Exception as error:
                if _is_interrupted_import(error):
                    raise _interrupted(termination) from None
                message = _message(error)
                if message is None:
                    raise
                raise click.ClickException(printable_lines(message)) from error


class CommandGroup(click.Group):
    """A group of commands that report errors as one line."""

    command_class = Command


def _interrupted(termination: Termination) -> click.exceptions.Exit:
    return click.exceptions.Exit(TERMINATED if termination.is_heard else INTERRUPTED)


def _is_interrupted_import(error: Exception) -> bool:
    """Return whether an interrupt during the import of a native module became an ImportError."""
    each: BaseException | None = error if isinstance(error, (ImportError, SystemError)) else None
    while each is not None and not isinstance(each, (KeyboardInterrupt, StopNow)):
        each = each.__cause__ or each.__context__
    return each is not None


def _message(error: Exception) -> str | None:
    """Return the message for the user; None for internal errors and for click's own exceptions."""
    if isinstance(error, BenchError):  # its message lists several errors, one per line
        return str(error)
    if isinstance(error, DDSRError):
        return " ".join(str(error).split())
    if isinstance(error, (click.ClickException, click.Abort)):
        return None
    if is_lack_of_memory(error):
        return NO_MEMORY
    if isinstance(error, ModuleNotFoundError) and error.name and not error.name.startswith("ddsr"):
        install = "'ddsr[torch]'" if error.name == "torch" else "ddsr"
        return f"this command needs the package {error.name}, which is not installed: pip install {install}"
    if (
        isinstance(error, OSError) and error.errno != errno.EPIPE
    ):  # `ddsr show run | head`: click exits quietly
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return None
