"""Pretraining of the prior: examples, training, export, and measures of what it proposes."""
