"""Generators: networks that propose expressions."""
