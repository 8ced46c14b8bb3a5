"""docs/paper.md: the tables and figures of the paper, as printed beside what the kept runs give."""
