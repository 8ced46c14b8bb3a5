"""Storage: files that are complete or absent, locks, and saved states."""
