"""Guards: costs and tests of an equation's behaviour away from the measured rows."""
