"""The texts of hovers."""
