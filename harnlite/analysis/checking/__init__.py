"""The static check of one file."""
