"""Selection: which of the equations that a search found is given to the user."""
