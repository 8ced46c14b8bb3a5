"""Benchmarks: known equations, data drawn from them, and a judge of the models that methods find."""
