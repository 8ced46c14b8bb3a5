"""Several searches on one GPU whose networks draw and learn together."""
