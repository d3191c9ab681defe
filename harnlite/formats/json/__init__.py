"""JSON: reading it, writing it, and extracting it from other text."""
