"""`python -m ddsr` is the command `ddsr`."""

from ddsr.cli.entry import main

main(prog_name="ddsr")
