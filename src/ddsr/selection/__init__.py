"""Choice of an equation among those that a search found."""
