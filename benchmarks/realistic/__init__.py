"""Curves and surfaces as they are measured: few rows, noise of some per cent."""
