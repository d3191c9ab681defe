"""The symbols that names refer to, and their occurrences."""
