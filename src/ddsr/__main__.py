"""`python -m ddsr` is the command `ddsr`."""

from ddsr.cli import main

main(prog_name="ddsr")
