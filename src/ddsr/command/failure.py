"""How a command ends: exit codes that scripts can trust, and one line for every mistake.

0: done. 1: something is wrong with the data, a file or the settings, or there is too little memory. 2: the
command line itself is wrong. 130: interrupted (Ctrl-C), and 143: terminated (SIGTERM), both with the result
so far where there is one.
"""

from __future__ import annotations

import errno
from typing import Any

import click

from ddsr.command.interrupt import HeardInterrupts, StopNow
from ddsr.command.memory import NO_MEMORY, check_memory, is_lack_of_memory
from ddsr.command.termination import Termination
from ddsr.errors import BenchError, DDSRError
from ddsr.terminal import printable_lines

INTERRUPTED, TERMINATED = 130, 143


class Command(click.Command):
    """A command whose failures are one line on stderr, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        with Termination() as termination:
            try:
                check_memory()
                with HeardInterrupts():
                    return super().invoke(ctx)
            except (KeyboardInterrupt, StopNow):
                # CPython notes one that comes within an exec of a text, as dataclasses have it while they are
                # imported, and ends the process by the signal though it was handled; the next exec takes it
                # back
                exec("")
                raise _interrupted(termination) from None
            except click.exceptions.Exit as end:
                raise _interrupted(termination) if end.exit_code == INTERRUPTED else end from None
            except Exception as error:
                if _is_interrupted_import(error):
                    raise _interrupted(termination) from None
                told = _told(error)
                if told is None:
                    raise
                raise click.ClickException(printable_lines(told)) from error


class CommandGroup(click.Group):
    """A group of such commands."""

    command_class = Command


def _interrupted(termination: Termination) -> click.exceptions.Exit:
    return click.exceptions.Exit(TERMINATED if termination.is_heard else INTERRUPTED)


def _is_interrupted_import(error: Exception) -> bool:
    """Whether an interrupt came while a native module was imported, which makes an ImportError of it."""
    each: BaseException | None = error if isinstance(error, (ImportError, SystemError)) else None
    while each is not None and not isinstance(each, (KeyboardInterrupt, StopNow)):
        each = each.__cause__ or each.__context__
    return each is not None


def _told(error: Exception) -> str | None:
    """Return the line that a user is shown; None for what is no user's mistake, and for click's own ends."""
    if isinstance(error, BenchError):  # a table's faults are listed, one per line
        return str(error)
    if isinstance(error, DDSRError):
        return " ".join(str(error).split())
    if isinstance(error, (click.ClickException, click.Abort)):
        return None
    if is_lack_of_memory(error):
        return NO_MEMORY
    if (
        isinstance(error, OSError) and error.errno != errno.EPIPE
    ):  # `ddsr show run | head`: click ends quietly
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}"
    return None
