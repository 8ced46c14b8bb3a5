"""The judge: whether a model counts as the equation itself."""
