"""Moves: what an equation could be instead, with simpler constants or fewer terms."""
