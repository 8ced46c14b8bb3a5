"""Campaigns against ddsr: kills, faults, awkward data, fuzzing, determinism, memory and exports.

`make trust` runs them all and writes `benchmarks/results/trust.json`; docs/trust.md shows the figures.
"""
