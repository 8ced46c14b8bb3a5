"""Expressions in other languages and formats."""
