"""JSON: reading it, writing it, and finding it in other text."""
