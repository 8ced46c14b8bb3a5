"""Guards: what an equation does beside the rows that were measured, and what that costs."""
