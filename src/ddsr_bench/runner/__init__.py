"""Run methods on problems in processes, and store their results."""
