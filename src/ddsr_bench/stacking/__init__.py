"""Several searches of one kind on one GPU: their networks have one more axis, and take each step together."""
