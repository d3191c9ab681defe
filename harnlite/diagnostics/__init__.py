"""Text with positions, and everything that is said to a person about it."""
