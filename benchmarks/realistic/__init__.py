"""Realistic tables of curves and surfaces: few rows, noise of a few per cent."""
