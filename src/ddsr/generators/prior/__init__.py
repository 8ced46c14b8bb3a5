"""The prior: a masked diffusion that has seen the data, trained before on random expressions."""
