"""Reminder providers: their evaluation at events, and the Python code that the canonical ones use."""
