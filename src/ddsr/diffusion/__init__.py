"""Random masked diffusion over expressions: the paper's generator."""
