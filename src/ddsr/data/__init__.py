"""The user's data: tables as arrays, checks, weights and samples of the rows."""
