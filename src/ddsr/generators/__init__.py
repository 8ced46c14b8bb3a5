"""Generators: networks that write expressions."""
