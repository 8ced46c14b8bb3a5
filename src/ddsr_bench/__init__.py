"""Benchmarks: known equations, data drawn from them, and a judge of what a method found."""
