"""Storage: files that are complete or absent, locks on them, and what is saved in them."""
