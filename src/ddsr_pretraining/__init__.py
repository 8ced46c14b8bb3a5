"""Pretraining of the prior: examples, training, export and evaluation."""
