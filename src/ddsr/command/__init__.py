"""The commands of `ddsr`, a file each. What takes long to import is imported when a command runs."""
