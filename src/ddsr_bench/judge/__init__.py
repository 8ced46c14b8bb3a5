"""Decide whether a model is the equation of its problem."""
