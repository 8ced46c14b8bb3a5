"""Benchmark problems, and the data of a trial."""
