"""Completion suggestions, by the kind of place."""
