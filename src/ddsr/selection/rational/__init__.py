"""Rational forms: expressions as ratios of polynomials, cancelled and factored."""
