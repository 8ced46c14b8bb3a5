"""Contributors: the parts of the default search that propose expressions."""
