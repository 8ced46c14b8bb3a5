"""Guards: costs and tests of what an equation does away from the measured rows."""
