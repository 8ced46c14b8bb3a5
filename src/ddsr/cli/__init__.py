"""The command `ddsr`, one file for each of its commands. Slow imports happen only when a command runs."""

from ddsr.cli.entry import main

__all__ = ["main"]
