"""How a command ends: exit codes that scripts can trust, and one line for every mistake.

0: done. 1: something is wrong with the data, a file or the settings. 2: the command line itself is wrong.
130: interrupted, with the result so far where there is one.
"""

from __future__ import annotations

import errno
from typing import Any

import click

from ddsr.command.interrupt import HeardInterrupts, StopNow
from ddsr.errors import DDSRError

INTERRUPTED = 130


class Command(click.Command):
    """A command whose failures are one line on stderr, never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            with HeardInterrupts():
                return super().invoke(ctx)
        except DDSRError as error:
            raise click.ClickException(" ".join(str(error).split())) from error
        except (KeyboardInterrupt, StopNow):
            # CPython notes one that comes within an exec of a text, as dataclasses have it while they are
            # imported, and ends the process by the signal though it was handled; the next exec takes it back
            exec("")
            raise click.exceptions.Exit(INTERRUPTED) from None
        except MemoryError as error:
            raise click.ClickException("there is not enough memory for this") from error
        except OSError as error:
            if error.errno == errno.EPIPE:  # `ddsr show run | head`: click ends quietly
                raise
            where = f"{error.filename}: " if error.filename else ""
            raise click.ClickException(f"{where}{error.strerror or error}") from error
