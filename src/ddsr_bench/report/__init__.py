"""Tables, figures and pages of results, next to published results."""
