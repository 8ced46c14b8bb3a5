"""Tables, figures and pages of results, beside published results."""
