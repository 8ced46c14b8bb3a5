"""Searches: the front of equations, the presets, and the loops that improve the front."""
