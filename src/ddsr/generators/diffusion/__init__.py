"""Discrete diffusion over expressions: by random masking, the paper's generator, and D3PM beside it."""
