"""`python -m benchmarks.paper`: write docs/paper.md and its figures from the kept runs."""

from benchmarks.paper.page import write

if __name__ == "__main__":
    write()
