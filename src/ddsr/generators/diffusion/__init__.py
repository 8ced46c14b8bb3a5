"""Discrete diffusion over expressions: the paper's random masking, and D3PM."""
