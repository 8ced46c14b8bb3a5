"""The commands of `ddsr`, one file each. Slow imports happen only when a command runs."""
