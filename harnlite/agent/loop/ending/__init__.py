"""Whether a loop ends after a turn, and the result it returns."""
