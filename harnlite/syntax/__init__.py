"""Text becomes a tree."""
