"""Moves: simpler models next to a given one, with simpler constants or fewer terms."""
