"""The prior: a masked diffusion conditioned on the data, trained in advance on random expressions."""
